import type { Grid } from './bootstrap.ts';
import { bootstrapRates, totals } from './bootstrap.ts';
import { quantile, sortedDefined } from './quantile.ts';
import type { Weights } from './resample.ts';

/** How a figure moved from a base to a head, two gates or two reports, where more is better. */
export interface Difference {
  /** The head's rate less the base's; NaN when one of them has no trial. */
  readonly difference: number;
  /** The 95 % interval of the difference, from -1 to 1. */
  readonly low: number;
  readonly high: number;
  /**
   * `same`: every cell is the same. `better`, `worse`: the interval has a width and leaves out 0. `unclear`: all else; in
   * particular two rates of 0 and 1, which no resample can move, say nothing about other tasks.
   */
  readonly verdict: 'better' | 'worse' | 'unclear' | 'same';
}

/** Below this a width is what rounding leaves of a difference that is the same in every resample. */
const NO_WIDTH = 1e-12;

/**
 * The difference between two sets of outcomes on the same tasks, its interval from the 2.5 % and 97.5 % quantiles of the
 * differences, resample by resample: what makes a task hard for both cancels out.
 *
 * @throws RangeError when the weights were drawn for other grids.
 */
export function pairedDifference(base: readonly Grid[], head: readonly Grid[], weights: Weights): Difference {
  const baseRates = bootstrapRates(base, weights);
  const differences = bootstrapRates(head, weights).map((rate, resample) => rate - (baseRates[resample] as number));
  const difference = pooledRate(head) - pooledRate(base);
  if (identical(base, head)) return { difference, low: difference, high: difference, verdict: 'same' };
  const ascending = sortedDefined(differences);
  if (ascending.length === 0) return { difference, low: -1, high: 1, verdict: 'unclear' };
  const [low, high] = [quantile(ascending, 0.025), quantile(ascending, 0.975)];
  return { difference, low, high, verdict: verdictOf(low, high) };
}

function verdictOf(low: number, high: number): Difference['verdict'] {
  if (high - low < NO_WIDTH) return 'unclear';
  if (low > 0) return 'better';
  return high < 0 ? 'worse' : 'unclear';
}

function pooledRate(grids: readonly Grid[]): number {
  const { k, n } = totals(grids);
  return k / n;
}

function identical(base: readonly Grid[], head: readonly Grid[]): boolean {
  return base.every((grid, suite) => {
    const other = head[suite] as Grid;
    return sameNumbers(grid.k, other.k) && sameNumbers(grid.n, other.n);
  });
}

function sameNumbers(left: ArrayLike<number>, right: ArrayLike<number>): boolean {
  return Array.from(left).every((value, index) => value === right[index]);
}
