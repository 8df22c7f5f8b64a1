import type { Grid } from '../../src/stats/bootstrap.ts';
import { bootstrapRates, totals } from '../../src/stats/bootstrap.ts';
import type { Interval } from '../../src/stats/interval.ts';
import { interval } from '../../src/stats/interval.ts';
import type { Axes, Resampled } from '../../src/stats/resample.ts';
import { drawWeights } from '../../src/stats/resample.ts';

/** What the simulation compares: the bench's intervals, the same with one side resampled only, and Wilson's. */
export type Method = 'two-way' | 'rows only' | 'columns only' | 'binomial';

/** A method made ready for grids of fixed sizes. */
export type IntervalOf = (grids: readonly Grid[]) => Pick<Interval, 'low' | 'high'>;

const RESAMPLED: Record<Exclude<Method, 'binomial'>, Resampled> = {
  'two-way': 'both',
  'rows only': 'rows',
  'columns only': 'columns',
};

/** Every repetition uses the same resamples, as every report with the same seed does. */
export function prepare(
  method: Method,
  axes: readonly Axes[],
  resamples: number,
  seed: number,
  independentTasks: number,
): IntervalOf {
  if (method === 'binomial') return wilson;
  const weights = drawWeights(axes, resamples, seed, RESAMPLED[method]);
  return (grids) => {
    const { k, n } = totals(grids);
    return interval(k, n, bootstrapRates(grids, weights), independentTasks);
  };
}

/** Wilson's score interval, which takes every trial for an independent one. */
function wilson(grids: readonly Grid[]): { low: number; high: number } {
  const { k, n } = totals(grids);
  const z = 1.959964;
  const centre = (k + (z * z) / 2) / (n + z * z);
  const half = (z / (n + z * z)) * Math.sqrt((k * (n - k)) / n + (z * z) / 4);
  return { low: centre - half, high: centre + half };
}
