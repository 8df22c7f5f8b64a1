import { setMaxListeners } from 'node:events';
import type { Budget, Price } from './budget.ts';
import { costOf } from './budget.ts';
import { type CaseRecord, keyText, type StoreNote } from './caseRecord.ts';
import type { Stack } from './defenses/index.ts';
import type { CaseKey } from './outcome.ts';
import type { AnyTarget } from './course.ts';
import { runCase } from './runCase.ts';
import { seedOf } from './seed.ts';
import type { JsonObject, Scenario } from './types.ts';
import type { Setting, World } from './world.ts';

/** A case with all that it is made of. */
export interface PlannedCase {
  readonly key: CaseKey;
  readonly scenario: Scenario;
  readonly target: AnyTarget;
  readonly stack: Stack;
}

/** Every case of a run, in the order of targets, stacks, scenarios and repetitions. */
export function planCases(
  scenarios: readonly Scenario[],
  targets: readonly AnyTarget[],
  stacks: readonly Stack[],
  repeat: number,
): PlannedCase[] {
  return targets.flatMap((target) =>
    stacks.flatMap((stack) =>
      scenarios.flatMap((scenario) =>
        Array.from({ length: repeat }, (_, index): PlannedCase => {
          const setting: Setting = scenario.injection.length > 0 ? 'attack' : 'clean';
          const key = {
            scenario: scenario.id,
            setting,
            target: target.name,
            defense: stack.name,
            repetition: index + 1,
          };
          return { key, scenario, target, stack };
        }),
      ),
    ),
  );
}

/** What a run needs beside its cases. */
export interface RunOptions {
  readonly world: World;
  readonly seed: number;
  readonly concurrency: number;
  readonly turnMs: number;
  readonly signal: AbortSignal;
  readonly now: () => Date;
  readonly corpus: string;
  readonly version: string;
  readonly commit: string | null;
  readonly requested: JsonObject;
  readonly price?: Price | undefined;
  readonly budget?: Budget | undefined;
  /** Cases that need not be run again, by their keys' text. */
  readonly finished: ReadonlyMap<string, CaseRecord>;
  /** Told of every case as it ends, and of what ends a run early. */
  readonly onLine: (line: CaseRecord | StoreNote) => void;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Runs what is not finished. @returns the records of all planned cases that there are, in the order of the plan */
export async function runCases(cases: readonly PlannedCase[], options: RunOptions): Promise<CaseRecord[]> {
  const { signal, budget, finished, now, onLine } = options;
  // Every case under way listens for the interruption.
  setMaxListeners(0, signal);
  const records = cases.map(({ key }) => finished.get(keyText(key)));
  const open = [...cases.keys()].filter((index) => records[index] === undefined);
  let done = cases.length - open.length;
  const lane = async (): Promise<void> => {
    for (let index = open.shift(); index !== undefined; index = open.shift()) {
      if (signal.aborted || budget?.stopped) return;
      const record = await runOne(cases[index]!, options);
      if (record === undefined) return;
      records[index] = record;
      onLine(record);
      options.onProgress?.(++done, cases.length);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, lane));
  if (signal.aborted || budget?.stopped) {
    const note = signal.aborted ? 'interrupted' : 'stopped at the cap';
    onLine({ kind: 'note', time: now().toISOString(), note, ...(budget && { spent: budget.spent }) });
  }
  return records.filter((record) => record !== undefined);
}

/** @returns undefined when the run ended in the middle of the case, which then has no outcome */
async function runOne(planned: PlannedCase, options: RunOptions): Promise<CaseRecord | undefined> {
  const { world, turnMs, signal, now, corpus, version, commit, requested, price, budget } = options;
  const { key, scenario, target, stack } = planned;
  // The same for every target and stack, so that these are compared on equal terms.
  const seed = seedOf(options.seed, `${key.scenario}/${key.setting}/${key.repetition}`);
  try {
    const result = await runCase({ scenario, setting: key.setting, target, stack, seed, world, turnMs, signal });
    if (signal.aborted || (result.error && budget?.stopped)) return undefined;
    const { input, output } = result.usage;
    const cost = price && input !== null && output !== null ? costOf(price, input, output) : null;
    return {
      kind: 'case',
      key,
      channel: scenario.channel,
      family: scenario.family,
      corpus,
      version,
      commit,
      time: now().toISOString(),
      seed,
      requested,
      ...result,
      cost,
      ...(budget && { spent: budget.spent }),
    };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
