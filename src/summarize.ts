import type { Batch } from './batch.ts';
import type { Replayed } from './gate.ts';
import { batchesOf, type Plan } from './plan.ts';
import type { Estimate } from './intervals.ts';
import type { MeasuredTier, OutcomeBits, Timing } from './report.ts';
import type { Measurement } from './measure.ts';
import { countByTool, encodeBits, FIGURES, type Figure, type Outcomes, score } from './score.ts';
import type { ReplayTiming } from './thread/messages.ts';
import type { Tier } from './types.ts';

/** The ground truth as a measurement. */
export function groundTruth(plan: Plan, estimate: Estimate): Measurement<MeasuredTier> {
  return {
    batch: batchesOf(plan),
    summarize: (tier, batch, replayed) => summarizeTier(plan, tier, batch, replayed, estimate),
  };
}

/** Everything that a report says of one gate at one tier. */
export function summarizeTier(
  plan: Plan,
  tier: Tier,
  batch: Batch,
  replayed: Replayed,
  estimate: Estimate,
): MeasuredTier {
  const outcomes = score(plan, batch, replayed.verdicts);
  const estimated = mapFigures((figure) => estimate(figure, outcomes[figure]));
  return {
    tier,
    ...mapFigures((figure) => estimated[figure].all),
    errors: replayed.errors,
    firstError: replayed.firstError,
    timing: replayed.timing && summarizeTiming(replayed.timing),
    outcomes: encodeOutcomes(outcomes),
    suites: Object.fromEntries(
      plan.suites.map((suite, index) => [suite.name, mapFigures((figure) => estimated[figure].suites[index]!)]),
    ),
    tools: Object.fromEntries(countByTool(plan, batch, replayed.verdicts)),
  };
}

function mapFigures<T>(of: (figure: Figure) => T): { [figure in Figure]: T } {
  return Object.fromEntries(FIGURES.map((figure) => [figure, of(figure)])) as { [figure in Figure]: T };
}

function encodeOutcomes(outcomes: Outcomes): OutcomeBits {
  return {
    stopped: encodeBits(outcomes.attacksStopped),
    blocked: encodeBits(outcomes.attackActionsBlocked),
    own: encodeBits(outcomes.ownTaskIntact),
    cross: encodeBits(outcomes.crossTaskGenerality),
  };
}

/** A sample's quantiles. */
export function summarizeTiming({ checks, samplesUs, totalMs }: ReplayTiming): Timing {
  const sorted = samplesUs.toSorted((a, b) => a - b);
  return { checks, p50Us: nearestRank(sorted, 0.5), p99Us: nearestRank(sorted, 0.99), totalMs: rounded(totalMs) };
}

/** The nearest-rank quantile of sorted values, to the nanosecond. */
function nearestRank(sorted: readonly number[], q: number): number | null {
  const value = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)];
  return value === undefined ? null : rounded(value);
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
