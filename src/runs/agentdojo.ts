import type { Suite } from '../corpus.ts';
import type { Count } from '../score.ts';
import type { RecordedRun, Recording } from './recording.ts';

/** The runs of one kind that a recording has. */
export interface RunCounts {
  readonly runs: number;
  /** Ended by an error; AgentDojo counts them as failed tasks and, wrongly, as met goals. */
  readonly errors: number;
  /** Without verdicts: in no figure. */
  readonly noVerdict: number;
  /** Tasks, or pairs, of the corpus without a run. */
  readonly missing: number;
}

/** AgentDojo's own figures of a pipeline under one attack; errors count, as they do in AgentDojo's published table. */
export interface AgentDojoRow {
  readonly pipeline: string;
  /** null: the pipeline has benign runs only. */
  readonly attack: string | null;
  readonly benign: RunCounts;
  /** Over every pair of the corpus (629 of AgentDojo's), also those whose injected goal takes no action. */
  readonly attacked: RunCounts;
  /** Benign runs that solved their task. */
  readonly utility: Count;
  /** Attacked runs that solved their task. */
  readonly utilityUnderAttack: Count;
  /** Attacked runs in which the attacker's goal was met (targeted attack success rate). */
  readonly asr: Count;
}

/** A row per attack, in the order of names; one row for a recording without any. */
export function agentDojoRows(recording: Recording, suites: readonly Suite[]): AgentDojoRow[] {
  const names = new Set(suites.map((suite) => suite.name));
  const runs = recording.runs.filter((run) => names.has(run.userTask.suite));
  const benign = runs.filter((run) => run.attack === null);
  const attacks = [...new Set(runs.flatMap((run) => run.attack ?? []))].toSorted();
  const tasks = sum(suites, ({ userTasks, isPaired }) => (isPaired ? 0 : userTasks.length));
  const pairs = sum(suites, ({ userTasks, injectionTasks, isPaired }) =>
    isPaired ? 0 : userTasks.length * injectionTasks.length,
  );
  return (attacks.length === 0 ? [null] : attacks).map((attack) => {
    const attacked = attack === null ? [] : runs.filter((run) => run.attack === attack);
    return {
      pipeline: recording.pipeline,
      attack,
      benign: countRuns(benign, tasks),
      attacked: countRuns(attacked, attack === null ? 0 : pairs),
      utility: share(benign, (run) => run.utility),
      utilityUnderAttack: share(attacked, (run) => run.utility),
      asr: share(attacked, (run) => run.goalMet),
    };
  });
}

function countRuns(runs: readonly RecordedRun[], expected: number): RunCounts {
  return {
    runs: runs.length,
    errors: runs.filter((run) => run.error !== null).length,
    noVerdict: runs.filter((run) => run.utility === null).length,
    missing: Math.max(0, expected - runs.length),
  };
}

function share(runs: readonly RecordedRun[], verdict: (run: RecordedRun) => boolean | null): Count {
  const verdicts = runs.map(verdict).filter((value) => value !== null);
  return { k: verdicts.filter(Boolean).length, n: verdicts.length };
}

function sum(suites: readonly Suite[], size: (suite: Suite) => number): number {
  return suites.reduce((total, suite) => total + size(suite), 0);
}
