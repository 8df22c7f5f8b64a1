import { type Batch, createActionTable, createBatch } from '../batch.ts';
import type { Suite, UserTask } from '../corpus.ts';
import { gridsOf, rateOf, withInterval } from '../intervals.ts';
import type { Measurement } from '../measure.ts';
import { policyFor } from '../policy.ts';
import { seededRandom, shuffledIndices } from '../random.ts';
import type { Statistic, Timing } from '../report.ts';
import { type Count, count, type Outcome } from '../score.ts';
import { pooledRates, weightedSuites } from '../stats/bootstrap.ts';
import { drawWeights, type Weights } from '../stats/resample.ts';
import { summarizeTiming } from '../summarize.ts';
import type { Tier } from '../types.ts';
import { agentDojoRows } from './agentdojo.ts';
import { type ChosenRuns, chooseRuns, type LeftOutReason } from './choose.ts';
import { type RunFigure, runOutcomes, unattributed } from './figures.ts';
import type { RecordedRun, Recording } from './recording.ts';

/** A rate as it was recorded, and as it would have been with the gate between the model and its tools. */
export interface WithoutAndWith {
  readonly without: Statistic;
  readonly with: Statistic;
}

/** One pipeline under one attack, with one gate at one tier. Definitions: `RUN_FIGURES` in figures.ts. */
export interface PipelineReport {
  readonly pipeline: string;
  readonly attack: string;
  readonly solvedRunsIntact: Statistic;
  readonly solvedRunsEgressIntact: Statistic;
  readonly breachesStopped: Statistic;
  readonly resistedRunsIntact: Statistic;
  readonly resistedRunsEgressIntact: Statistic;
  /** Breaches without a call that could be attributed to the injection: counted, never stopped. */
  readonly unattributed: number;
  /** Runs that are in none of the figures, and why. */
  readonly leftOut: Readonly<Record<LeftOutReason | 'missing', number>>;
  /** AgentDojo's own figures of the same pipeline and attack: errors included, and pairs whose goal takes no action. */
  readonly published: { readonly utility: Count; readonly utilityUnderAttack: Count; readonly asr: Count };
  readonly utility: WithoutAndWith;
  readonly utilityUnderAttack: WithoutAndWith;
  readonly asr: WithoutAndWith;
}

/** One gate at one tier, on every pipeline. */
export interface RunsTier {
  readonly tier: Tier;
  readonly errors: number;
  readonly firstError: string | null;
  readonly timing: Timing | null;
  readonly pipelines: readonly PipelineReport[];
}

/** A recording with one of its attacks. */
export interface Chosen extends ChosenRuns {
  readonly recording: Recording;
  readonly attack: string;
}

export interface RunsPlan {
  readonly suites: readonly Suite[];
  readonly chosen: readonly Chosen[];
  readonly untrustedSources: readonly string[];
  readonly seed: number;
  readonly resamples: number;
}

/** The runs of the given recordings under the given attacks, those that a recording does not have passed over. */
export function planRuns(
  suites: readonly Suite[],
  recordings: readonly Recording[],
  attacks: readonly string[],
): Chosen[] {
  return recordings.flatMap((recording) =>
    attacks
      .filter((attack) => recording.attacks.includes(attack))
      .map((attack) => ({ recording, attack, ...chooseRuns(recording, suites, attack) })),
  );
}

/** Every recorded call, judged in order in one session of its run on the policy of its user task. */
export function recordedRuns(plan: RunsPlan): Measurement<RunsTier> {
  const figures = estimatorOf(plan);
  const suites = countedSuites(plan.suites);
  const recorded = new Map<Chosen, Recorded>();
  return {
    batch: (tier) => batchOf(plan, tier),
    summarize: (tier, batch, replayed) => {
      let session = 0;
      const pipelines = plan.chosen.map((chosen): PipelineReport => {
        const starts = batch.starts.subarray(session, (session += chosen.runs.length) + 1);
        const { runs, recording } = chosen;
        const outcomes = runOutcomes({ actions: recording.actions, runs, starts, verdicts: replayed.verdicts }, suites);
        const of = (figure: RunFigure): Statistic => figures(figure, outcomes[figure]);
        if (!recorded.has(chosen)) recorded.set(chosen, recordedOf(chosen, plan.suites, of));
        return reportOf(chosen, recorded.get(chosen)!, of);
      });
      const { errors, firstError, timing } = replayed;
      return { tier, errors, firstError, timing: timing && summarizeTiming(timing), pipelines };
    },
  };
}

/** What no gate has a part in, and so is worked out once for all gates and tiers. */
interface Recorded extends Pick<PipelineReport, 'published' | 'unattributed'> {
  readonly utility: Statistic;
  readonly utilityUnderAttack: Statistic;
  readonly asr: Statistic;
}

function recordedOf(
  { recording, attack, runs }: Chosen,
  suites: readonly Suite[],
  of: (figure: RunFigure) => Statistic,
): Recorded {
  const row = agentDojoRows(recording, suites).find((one) => one.attack === attack)!;
  return {
    published: { utility: row.utility, utilityUnderAttack: row.utilityUnderAttack, asr: row.asr },
    unattributed: unattributed(recording.actions, runs),
    utility: of('utilityWithout'),
    utilityUnderAttack: of('utilityUnderAttackWithout'),
    asr: of('asrWithout'),
  };
}

function batchOf({ chosen, untrustedSources, seed }: RunsPlan, tier: Tier): Batch {
  const table = createActionTable(tier);
  const policies = new Map<UserTask, number>();
  const policyOf = ({ userTask }: RecordedRun): number => {
    if (!policies.has(userTask)) policies.set(userTask, policies.size);
    return policies.get(userTask)!;
  };
  const sessions = chosen.flatMap(({ recording, runs }) => {
    const known = recording.actions.map((action) => table.indexOf(action));
    return runs.map((run) => ({ policy: policyOf(run), steps: run.calls!.map((call) => known[call]!) }));
  });
  const specs = [...policies.keys()].map((task) => policyFor(task.actions, tier, untrustedSources));
  return createBatch(specs, table.actions, sessions, shuffledIndices(sessions.length, seededRandom(seed)));
}

function reportOf(
  { recording, attack, leftOut }: Chosen,
  recorded: Recorded,
  of: (figure: RunFigure) => Statistic,
): PipelineReport {
  return {
    pipeline: recording.pipeline,
    attack,
    published: recorded.published,
    solvedRunsIntact: of('solvedRunsIntact'),
    solvedRunsEgressIntact: of('solvedRunsEgressIntact'),
    breachesStopped: of('breachesStopped'),
    resistedRunsIntact: of('resistedRunsIntact'),
    resistedRunsEgressIntact: of('resistedRunsEgressIntact'),
    unattributed: recorded.unattributed,
    leftOut,
    utility: { without: recorded.utility, with: of('utilityWith') },
    utilityUnderAttack: { without: recorded.utilityUnderAttack, with: of('utilityUnderAttackWith') },
    asr: { without: recorded.asr, with: of('asrWith') },
  };
}

/** Goals that take no action are in no figure, so they must not be drawn as tasks either. */
function countedSuites(suites: readonly Suite[]): Suite[] {
  return suites.map((suite) => ({
    ...suite,
    injectionTasks: suite.injectionTasks.filter((task) => task.actions.length > 0),
  }));
}

const BENIGN: ReadonlySet<RunFigure> = new Set([
  'solvedRunsIntact',
  'solvedRunsEgressIntact',
  'utilityWithout',
  'utilityWith',
]);
/** Figures of attacks: their exact bound at 0 or 1 counts injection tasks. */
const OF_ATTACKS: ReadonlySet<RunFigure> = new Set(['breachesStopped', 'asrWithout', 'asrWith']);

/** Benign figures are resampled over user tasks, the others over user and injection tasks, both within each suite. */
function estimatorOf({ suites, resamples, seed }: RunsPlan): (figure: RunFigure, outcome: Outcome) => Statistic {
  const ofFigures = countedSuites(suites);
  const benignAxes = ofFigures.map(({ userTasks }) => ({ rows: userTasks.length, columns: 1 }));
  const attackedAxes = ofFigures.map(({ userTasks, injectionTasks }) => ({
    rows: userTasks.length,
    columns: injectionTasks.length,
  }));
  const weights: { benign: Weights; attacked: Weights } | null =
    resamples === 0
      ? null
      : {
          benign: drawWeights(benignAxes, resamples, seed, 'rows'),
          attacked: drawWeights(attackedAxes, resamples, seed),
        };
  // Figures over the same runs have the same trials.
  const trialsOf = new WeakMap<Outcome['cells'], Float64Array[]>();
  const resampledRates = (figure: RunFigure, outcome: Outcome, drawn: Exclude<typeof weights, null>): Float64Array => {
    const kind = BENIGN.has(figure) ? 'benign' : 'attacked';
    const grids = gridsOf(outcome, kind === 'benign' ? benignAxes : attackedAxes);
    const trials = trialsOf.get(outcome.cells) ?? weightedSuites(grids, 'n', drawn[kind]);
    trialsOf.set(outcome.cells, trials);
    return pooledRates(weightedSuites(grids, 'k', drawn[kind]), trials);
  };
  return (figure, outcome) => {
    const counted = count(outcome);
    if (weights === null) return rateOf(counted);
    const tasks = distinctTasks(outcome, OF_ATTACKS.has(figure) ? 'column' : 'row');
    return withInterval(counted, () => resampledRates(figure, outcome, weights), tasks);
  };
}

function distinctTasks({ cells }: Outcome, axis: 'row' | 'column'): number {
  return new Set(cells.map((cell) => `${cell.suite} ${cell[axis]}`)).size;
}
