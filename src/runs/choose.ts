import type { Suite } from '../corpus.ts';
import type { RecordedRun, Recording } from './recording.ts';

/** Why a run is in none of the gate's figures; the first that holds. */
export type LeftOutReason = 'error' | 'noTrace' | 'noVerdict' | 'otherVersion';

/** The runs that a gate is measured on, for one pipeline and attack, and how many are not among them. */
export interface ChosenRuns {
  /** Benign runs, then attacked ones, in the recording's order. */
  readonly runs: readonly RecordedRun[];
  /** `missing`: user tasks and pairs that the pipeline has no run of. */
  readonly leftOut: Readonly<Record<LeftOutReason | 'missing', number>>;
}

/** Why a run says nothing about a gate; null: it does say something. */
export function leftOutReason(run: RecordedRun): LeftOutReason | null {
  if (run.error !== null) return 'error';
  if (run.calls === null) return 'noTrace';
  if (run.utility === null || (run.attack !== null && run.goalMet === null)) return 'noVerdict';
  return run.otherVersion ? 'otherVersion' : null;
}

/**
 * The benign runs and those of one attack, in the given suites. Pairs whose injected goal takes no action are not
 * counted anywhere: no gate on actions can stop it.
 */
export function chooseRuns(recording: Recording, suites: readonly Suite[], attack: string): ChosenRuns {
  const names = new Set(suites.map((suite) => suite.name));
  const found = recording.runs.filter(
    (run) =>
      names.has(run.userTask.suite) &&
      (run.attack === null || (run.attack === attack && run.injectionTask?.actions.length !== 0)),
  );
  const leftOut = {
    error: 0,
    noTrace: 0,
    noVerdict: 0,
    otherVersion: 0,
    missing: expectedRuns(suites, found.length) - found.length,
  };
  const runs = found.filter((run) => {
    const reason = leftOutReason(run);
    if (reason !== null) leftOut[reason]++;
    return reason === null;
  });
  return { runs, leftOut };
}

/** A benign run of every user task, and an attacked one of every pair whose injected goal takes an action. */
function expectedRuns(suites: readonly Suite[], found: number): number {
  if (suites.some(({ isPaired }) => isPaired)) return found;
  return suites.reduce((total, { userTasks, injectionTasks }) => {
    const withActions = injectionTasks.filter((task) => task.actions.length > 0).length;
    return total + userTasks.length * (1 + withActions);
  }, 0);
}
