import type { Statistic } from '../report.ts';
import type { Count } from '../score.ts';

/** A rate in per cent with one decimal place, without the sign; n/a where there is none. */
export function percent(rate: number | null): string {
  return rate === null ? 'n/a' : (100 * rate).toFixed(1);
}

/** A count as a fraction; `none` where there was nothing to count. */
export function fraction({ k, n }: Count, none = '–'): string {
  if (n === 0) return none;
  return k === null ? 'n/a' : `${k}/${n}`;
}

/** A rate in per cent with its interval, ends rounded outward to whole per cents; with `unit` where there is no interval. */
export function narrowCell({ rate, low, high, bound }: Statistic, unit = ''): string {
  if (rate === null) return 'n/a';
  const least = low === undefined ? 0 : Math.floor(100 * low + 1e-9);
  const most = high === undefined ? 0 : Math.ceil(100 * high - 1e-9);
  switch (bound) {
    case 'upper':
      return `${percent(rate)} ≤${most}†`;
    case 'lower':
      return `${percent(rate)} ≥${least}‡`;
    case 'two-sided':
      return `${percent(rate)} [${least},${most}]`;
    default:
      return `${percent(rate)}${unit}`;
  }
}
