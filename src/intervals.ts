import type { Cell, Plan } from './plan.ts';
import type { Statistic } from './report.ts';
import { type Count, countBySuite, type Figure, type Outcome, sumOf } from './score.ts';
import { type Grid, pooledRates, weightedSuites } from './stats/bootstrap.ts';
import { interval } from './stats/interval.ts';
import { type Axes, drawWeights, type Weights } from './stats/resample.ts';

/** A figure over all suites, and over each. */
export interface Estimated {
  readonly all: Statistic;
  readonly suites: readonly Statistic[];
}

/** Turns a figure's outcome into its rate, with an interval where intervals are on. */
export type Estimate = (figure: Figure, outcome: Outcome) => Estimated;

/** The weights of a plan's resamples: those of the pairs' figures, and those of cross-task generality. */
export interface PlanWeights {
  readonly pairs: Weights;
  readonly crosses: Weights;
}

/** Draws them from the plan's tasks and the seed alone, so that every gate, tier and report shares them. */
export function planWeights(plan: Plan, resamples: number, seed: number): PlanWeights {
  const axes = planAxes(plan);
  return { pairs: drawWeights(axes.pairs, resamples, seed), crosses: drawWeights(axes.crosses, resamples, seed) };
}

function planAxes({ suites }: Plan): { pairs: Axes[]; crosses: Axes[] } {
  const goals = (index: number): number =>
    suites[index]!.injectionTasks.filter((task) => task.actions.length > 0).length;
  return {
    pairs: suites.map((suite, index) => ({ rows: suite.userTasks.length, columns: goals(index) })),
    crosses: suites.map(({ userTasks }) => ({ rows: userTasks.length, columns: userTasks.length })),
  };
}

/** Rates alone (0 resamples), or rates with 95 % intervals by the two-way bootstrap within each suite. */
export function estimator(plan: Plan, resamples: number, seed: number): Estimate {
  const { suites } = plan;
  if (resamples === 0) {
    return (_, outcome) => {
      const counts = countBySuite(outcome, suites.length);
      return { all: rateOf(sumOf(counts)), suites: counts.map(rateOf) };
    };
  }
  const weights = planWeights(plan, resamples, seed);
  const axes = planAxes(plan);
  // A figure has the same trials whatever the gate and tier.
  const trialsOf = new Map<Figure, Float64Array[]>();
  return (figure, outcome) => {
    const side = weightsOf(figure);
    const grids = gridsOf(outcome, axes[side]);
    const counts = countBySuite(outcome, suites.length);
    const successes = weightedSuites(grids, 'k', weights[side]);
    if (!trialsOf.has(figure)) trialsOf.set(figure, weightedSuites(grids, 'n', weights[side]));
    const trials = trialsOf.get(figure)!;
    const over = (counted: Count, from: number, to: number): Statistic =>
      withInterval(
        counted,
        () => pooledRates(successes.slice(from, to), trials.slice(from, to)),
        independentTasks(figure, axes.pairs.slice(from, to)),
      );
    return {
      all: over(sumOf(counts), 0, suites.length),
      suites: counts.map((counted, index) => over(counted, index, index + 1)),
    };
  };
}

/** Which weights a figure is resampled with. */
export function weightsOf(figure: Figure): keyof PlanWeights {
  return figure === 'crossTaskGenerality' ? 'crosses' : 'pairs';
}

/** What the exact bound at 0 or 1 counts: injection tasks for what is stopped or blocked, user tasks for the rest. */
function independentTasks(figure: Figure, pairs: readonly Axes[]): number {
  const axis = figure === 'attacksStopped' || figure === 'attackActionsBlocked' ? 'columns' : 'rows';
  return pairs.reduce((sum, suite) => sum + suite[axis], 0);
}

/** A count's rate, without an interval. */
export function rateOf({ k, n }: Count): Statistic {
  return { k, n, rate: k === null || n === 0 ? null : k / n };
}

/** A count's rate and interval; the resampled rates are asked for where they have a say. */
export function withInterval(counted: Count, resampledRates: () => Float64Array, tasks: number): Statistic {
  const statistic = rateOf(counted);
  if (counted.k === null || counted.n === 0) return statistic;
  const isCertain = counted.k === 0 || counted.k === counted.n;
  const rates = isCertain ? new Float64Array() : resampledRates();
  return { ...statistic, ...interval(counted.k, counted.n, rates, tasks) };
}

/** A figure's items as one grid a suite. */
export function gridsOf({ hit, cells }: Pick<Outcome, 'hit' | 'cells'>, axes: readonly Axes[]): Grid[] {
  const grids = axes.map(({ rows, columns }) => {
    const size = rows * columns;
    return { rows, columns, k: new Uint8Array(size), n: new Uint8Array(size) };
  });
  cells.forEach(({ suite, row, column }: Cell, item) => {
    const grid = grids[suite]!;
    const cell = row * grid.columns + column;
    grid.k[cell]! += hit[item]!;
    grid.n[cell]!++;
  });
  return grids;
}

/** The axes of the grids that a figure is counted on. */
export function axesOf(plan: Plan, figure: Figure): Axes[] {
  return planAxes(plan)[weightsOf(figure)];
}
