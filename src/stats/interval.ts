import { quantile, sortedDefined } from './quantile.ts';

/** A 95 % confidence interval for a rate, both limits from 0 to 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  /** `upper` at an observed rate of 0 and `lower` at 1: the exact one-sided bound; else `two-sided`. */
  readonly bound: 'two-sided' | 'upper' | 'lower';
}

const LOWER_TAIL = 0.025;
const UPPER_TAIL = 0.975;
const ONE_SIDED_ERROR = 0.05;

/**
 * The 95 % interval of an observed rate of k in n.
 *
 * - 0 < k < n: the 2.5 % and 97.5 % quantiles of the resampled rates (see `quantile`), resamples without a trial left out.
 * - k = 0 or k = n: no resample can show anything else, so the exact one-sided bound takes over: were the true rate
 *   beyond it, `independentTasks` independent tasks would all have come out alike with a probability below 5 %.
 * - Resamples that all show the observed rate (every task has the same one): no more is known than at 0 and 1, namely
 *   that at most a share of 1 - 0.05^(1/m) of such tasks is otherwise. The limits are where the rate lands when that
 *   share is all failures, or all successes. At 0 and 1 this is the exact bound itself.
 * - No trial, no independent task or no resample with a trial: nothing is known, [0, 1].
 */
export function interval(k: number, n: number, rates: Float64Array, independentTasks: number): Interval {
  if (n === 0) return { low: 0, high: 1, bound: 'two-sided' };
  if (k === 0) return { ...alike(0, independentTasks), bound: 'upper' };
  if (k === n) return { ...alike(1, independentTasks), bound: 'lower' };
  return { ...percentiles(k / n, rates, independentTasks), bound: 'two-sided' };
}

type Limits = Pick<Interval, 'low' | 'high'>;

function percentiles(rate: number, rates: Float64Array, independentTasks: number): Limits {
  const ascending = sortedDefined(rates);
  const [least, most] = [ascending[0], ascending.at(-1)];
  if (least === undefined) return { low: 0, high: 1 };
  if (least === rate && most === rate) return alike(rate, independentTasks);
  return { low: quantile(ascending, LOWER_TAIL), high: quantile(ascending, UPPER_TAIL) };
}

function alike(rate: number, independentTasks: number): Limits {
  const sameShare = ONE_SIDED_ERROR ** (1 / independentTasks);
  return { low: rate * sameShare, high: 1 - (1 - rate) * sameShare };
}
