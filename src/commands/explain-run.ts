import { CHECK, createActionTable, createBatch } from '../batch.ts';
import { usage } from '../cli-options.ts';
import type { Corpus } from '../corpus.ts';
import type { OpenGate } from '../gate.ts';
import { suggest } from '../near.ts';
import { policyFor } from '../policy.ts';
import { renderSequence } from '../render/sequence.ts';
import { isAttributed } from '../runs/figures.ts';
import { findRecordings } from '../runs/find.ts';
import type { RecordedRun, Recording } from '../runs/recording.ts';
import type { Tier } from '../types.ts';

/** A recorded run, found. */
export interface FoundRun {
  readonly recording: Recording;
  readonly run: RecordedRun;
  readonly path: string;
}

/**
 * PIPELINE/SUITE/user_task_N/ATTACK/injection_task_M, or PIPELINE/SUITE/user_task_N/none for the benign run.
 * @param file of the recording, when it is none of those that come with the bench
 * @throws {BenchError} `usage` for what does not exist, with near names
 */
export function findRun(parts: readonly string[], file: string | undefined, corpus: Corpus, cwd: string): FoundRun {
  const [pipeline = '', suite = '', user = '', attack = '', injection, extra] = parts;
  const path = parts.join('/');
  if (extra !== undefined || (attack === 'none') !== (injection === undefined)) {
    throw usage(
      `${path}: write PIPELINE/SUITE/user_task_N/ATTACK/injection_task_M, or PIPELINE/SUITE/user_task_N/none`,
    );
  }
  const [recording] = findRecordings(corpus, [file ?? pipeline], cwd);
  const { runs } = recording!;
  const named = (typed: string, what: string, names: Iterable<string>): void => {
    const known = [...new Set(names)];
    if (!known.includes(typed))
      throw usage(`${path}: no ${what} is called ${JSON.stringify(typed)}${suggest(typed, known)}`);
  };
  named(
    suite,
    'suite',
    runs.map((run) => run.userTask.suite),
  );
  const ofSuite = runs.filter((run) => run.userTask.suite === suite);
  named(
    user,
    `user task of ${suite}`,
    ofSuite.map((run) => run.userTask.id),
  );
  named(attack, 'attack', ['none', ...recording!.attacks]);
  const found = ofSuite.filter((run) => run.userTask.id === user && (run.attack ?? 'none') === attack);
  if (injection !== undefined)
    named(
      injection,
      'recorded injection task',
      found.flatMap((run) => run.injectionTask?.id ?? []),
    );
  const run = found.find((one) => one.injectionTask?.id === injection);
  if (run === undefined) throw usage(`${path}: the pipeline has no such run`);
  return { recording: recording!, run, path };
}

/** What a gate says to each recorded call, and what that makes of the run. */
export async function explainRun(
  { recording, run, path }: FoundRun,
  tier: Tier,
  untrustedSources: readonly string[],
  gate: OpenGate,
): Promise<{ text: string[]; errors: number }> {
  if (run.calls === null) throw usage(`${path}: the run has no trace of its calls`);
  const actions = run.calls.map((call) => recording.actions[call]!);
  const table = createActionTable(tier);
  const policy = policyFor(run.userTask.actions, tier, untrustedSources);
  const steps = actions.map((action) => table.indexOf(action));
  const { verdicts, notes, errors, cutShort } = await gate.replay(
    createBatch([policy], table.actions, [{ policy: 0, steps }]),
    { detail: true },
  );
  const attributed = (index: number): boolean =>
    run.injectionTask !== null && isAttributed(actions[index]!, run.injectionTask);
  const lines = renderSequence(
    `${gate.info.name} on ${path}`,
    policy,
    actions.map((action, at) => ({
      action,
      origins: action.origins,
      askedBy: attributed(at) ? 'injection' : 'model',
      verdict: verdicts[at]!,
      note: notes[at] ?? null,
    })),
  );
  const denied = verdicts.filter((verdict) => verdict === CHECK.deny).length;
  const said = (verdict: boolean | null): string => (verdict === null ? 'not recorded' : verdict ? 'yes' : 'no');
  return {
    errors,
    text: [
      ...lines,
      '',
      `recorded: task solved: ${said(run.utility)}${run.attack === null ? '' : `; attacker's goal met: ${said(run.goalMet)}`}${run.error === null ? '' : `; ended by an error (${run.error})`}${run.otherVersion ? '; another version of the task' : ''}`,
      cutShort ??
        (errors > 0
          ? 'no outcome: a call of the gate failed'
          : denied === 0
            ? 'intact: no call denied'
            : `${denied} of ${actions.length} calls denied`),
    ],
  };
}
