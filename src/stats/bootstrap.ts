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
  return pooledRates(weightedSuites(grids, 'k', weights), weightedSuites(grids, 'n', weights));
}

/**
 * Each suite's successes (`k`) or trials (`n`) in every resample, for whoever pools them more than once.
 * @throws RangeError when the weights were drawn for other grids, or the counts do not fit 31 bits with them.
 */
export function weightedSuites(grids: readonly Grid[], member: 'k' | 'n', weights: Weights): Float64Array[] {
  requireSameShape(grids, weights);
  return weights.map((suite, index) => weightedSums((grids[index] as Grid)[member], suite));
}

/** The rate of several suites together in every resample; NaN where a resample holds no trial. */
export function pooledRates(successes: readonly Float64Array[], trials: readonly Float64Array[]): Float64Array {
  const rates = summed(successes);
  const all = summed(trials);
  for (let at = 0; at < rates.length; at++) rates[at] = (rates[at] as number) / (all[at] as number);
  return rates;
}

function summed(parts: readonly Float64Array[]): Float64Array {
  const sum = new Float64Array(parts[0]?.length ?? 0);
  for (const part of parts)
    for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + (part[at] as number);
  return sum;
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
 * The sum, in every resample, of each value times its row's and its column's weight. Rows that are alike are taken together,
 * and a row as its most common value and the cells that differ from it: most rows of a report are nearly constant (all
 * denied, all allowed but the diagonal), which leaves few cells to visit. The inner loops run over the resamples, in the
 * order of the weights. All sums are of whole numbers, so their order changes nothing.
 */
function weightedSums(values: ArrayLike<number>, suite: SuiteWeights): Float64Array {
  const { rows: height, columns, resamples, rowWeights, columnWeights } = suite;
  const largest = Array.from(values).reduce((most, value) => Math.max(most, value), 0);
  if (largest * height * columns >= 2 ** 31) throw new RangeError('the counts are too large to be resampled');
  const sums = new Int32Array(resamples);
  const rowSums = new Int32Array(resamples);
  for (const { cells, rows } of alikeRows(values, suite)) {
    const usual = mostCommon(cells);
    // The column weights of a resample add up to the number of columns, whatever was drawn.
    const usualSum = usual * columns;
    if (cells.every((value) => value === usual)) {
      for (const row of rows) addScaled(sums, rowWeights, row * resamples, usualSum);
      continue;
    }
    rowSums.fill(usualSum);
    cells.forEach((value, column) => {
      if (value !== usual) addScaled(rowSums, columnWeights, column * resamples, value - usual);
    });
    for (const row of rows) addProducts(sums, rowWeights, row * resamples, rowSums);
  }
  return new Float64Array(sums);
}

/** Rows that hold a value other than 0, those with the same cells together. */
function alikeRows(values: ArrayLike<number>, { rows, columns }: Axes): { cells: number[]; rows: number[] }[] {
  const groups = new Map<string, { cells: number[]; rows: number[] }>();
  for (let row = 0; row < rows; row++) {
    const cells = Array.from({ length: columns }, (_, column) => values[row * columns + column] as number);
    if (cells.every((value) => value === 0)) continue;
    const key = cells.join();
    const group = groups.get(key) ?? { cells, rows: [] };
    group.rows.push(row);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** `Math.imul` multiplies whole numbers several times faster than `*`, which must look out for fractions and -0. */
function addScaled(sums: Int32Array, weights: Uint8Array, start: number, factor: number): void {
  const { length } = sums;
  for (let at = 0; at < length; at++) {
    sums[at] = ((sums[at] as number) + Math.imul(factor, weights[start + at] as number)) | 0;
  }
}

function addProducts(sums: Int32Array, weights: Uint8Array, start: number, factors: Int32Array): void {
  const { length } = sums;
  for (let at = 0; at < length; at++) {
    sums[at] = ((sums[at] as number) + Math.imul(factors[at] as number, weights[start + at] as number)) | 0;
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
