import type { Axes, SuiteWeights, Weights } from './resample.ts';
import { drawWeights } from './resample.ts';

/** One suite's outcomes. The cell of row i and column j is at `i * columns + j`. */
export interface Grid extends Axes {
  /** Successes per cell, whole numbers from 0 to `n`. */
  readonly k: ArrayLike<number>;
  /** Trials per cell; 0 where the cell does not exist (the diagonal of cross-task generality, a missing run). */
  readonly n: ArrayLike<number>;
}

/** Successes and trials of several repetitions of one thing, which are not independent of one another. */
export interface Cluster {
  readonly k: number;
  readonly n: number;
}

/**
 * The rate, pooled over the suites, in every resample: the sum of successes over the sum of trials, each cell counted
 * as often as its row times as often as its column was drawn. NaN where a resample holds no trial.
 *
 * @throws RangeError when the weights were drawn for other grids.
 */
export function bootstrapRates(grids: readonly Grid[], weights: Weights): Float64Array {
  requireSameShape(grids, weights);
  const successes = new Float64Array(weights[0]?.resamples ?? 0);
  const trials = new Float64Array(successes.length);
  weights.forEach((suite, index) => {
    const grid = grids[index] as Grid;
    addWeightedSums(grid.k, suite, successes);
    addWeightedSums(grid.n, suite, trials);
  });
  return successes.map((k, resample) => k / (trials[resample] as number));
}

/** The pooled rate in every resample when only whole clusters are drawn, independently within each stratum. */
export function clusterBootstrap(
  strata: readonly (readonly Cluster[])[],
  resamples: number,
  seed: number,
): Float64Array {
  const grids = strata.map(clusterGrid);
  return bootstrapRates(grids, drawWeights(grids, resamples, seed, 'rows'));
}

/** Clusters as a grid of one column, for figures that are paired on shared weights. */
export function clusterGrid(clusters: readonly Cluster[]): Grid {
  return {
    rows: clusters.length,
    columns: 1,
    k: clusters.map((cluster) => cluster.k),
    n: clusters.map((cluster) => cluster.n),
  };
}

/** Successes and trials of all grids together. */
export function totals(grids: readonly Grid[]): Cluster {
  let [k, n] = [0, 0];
  for (const grid of grids) {
    for (let cell = 0; cell < grid.n.length; cell++) {
      k += grid.k[cell] as number;
      n += grid.n[cell] as number;
    }
  }
  return { k, n };
}

function requireSameShape(grids: readonly Grid[], weights: Weights): void {
  const same =
    grids.length === weights.length &&
    grids.every(({ rows, columns, k, n }, index) => {
      const suite = weights[index] as SuiteWeights;
      const cells = rows * columns;
      return rows === suite.rows && columns === suite.columns && k.length === cells && n.length === cells;
    });
  if (!same) throw new RangeError('the resampling weights were drawn for grids of another size');
}

/**
 * Adds up, for every resample, each value times its row's and its column's weight. A row is taken as its most common value
 * and the cells that differ from it: most rows of a report are nearly constant (all denied, all allowed but the
 * diagonal), which leaves few cells to visit. The inner loops run over the resamples, in the order of the weights.
 */
function addWeightedSums(values: ArrayLike<number>, suite: SuiteWeights, sums: Float64Array): void {
  const { rows, columns, resamples, rowWeights, columnWeights } = suite;
  const rowSums = new Float64Array(resamples);
  for (let row = 0; row < rows; row++) {
    const cells = Array.from({ length: columns }, (_, column) => values[row * columns + column] as number);
    const usual = mostCommon(cells);
    const exceptions = cells.flatMap((value, column) => (value === usual ? [] : [{ column, excess: value - usual }]));
    // The column weights of a resample add up to the number of columns, whatever was drawn.
    const usualSum = usual * columns;
    if (exceptions.length === 0) {
      addScaled(sums, rowWeights, row * resamples, usualSum);
    } else {
      rowSums.fill(usualSum);
      for (const { column, excess } of exceptions) addScaled(rowSums, columnWeights, column * resamples, excess);
      addProducts(sums, rowWeights, row * resamples, rowSums);
    }
  }
}

function addScaled(sums: Float64Array, weights: Uint8Array, start: number, factor: number): void {
  if (factor === 0) return;
  for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] as number) + factor * (weights[start + at] as number);
}

function addProducts(sums: Float64Array, weights: Uint8Array, start: number, factors: Float64Array): void {
  for (let at = 0; at < sums.length; at++) {
    sums[at] = (sums[at] as number) + (factors[at] as number) * (weights[start + at] as number);
  }
}

function mostCommon(values: readonly number[]): number {
  const counts = new Map<number, number>();
  let best = 0;
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
    if ((counts.get(value) as number) > (counts.get(best) ?? 0)) best = value;
  }
  return best;
}
