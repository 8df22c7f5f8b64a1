import type { Statistic } from '../../report.ts';
import { percent } from '../figures.ts';
import { html, type Value } from './markup.ts';

/** An interval in per cent, its ends rounded outward; empty where there is none. */
export function interval({ low, high, bound }: Statistic, digits: number): string {
  const scale = 10 ** digits;
  const least = (Math.floor(100 * scale * (low ?? 0) + 1e-9) / scale).toFixed(digits);
  const most = (Math.ceil(100 * scale * (high ?? 0) - 1e-9) / scale).toFixed(digits);
  switch (bound) {
    case 'two-sided':
      return `[${least}, ${most}]`;
    case 'upper':
      return `≤ ${most} †`;
    case 'lower':
      return `≥ ${least} ‡`;
    default:
      return '';
  }
}

/** A figure as a table shows it: the rate, and below it the interval. */
export function cell(statistic: Statistic): Value {
  const below = statistic.rate === null ? '' : interval(statistic, 0);
  return html`${percent(statistic.rate)}${below === '' ? null : html`<small>${below}</small>`}`;
}

/** A figure in full: `601 of 609 = 98.7 % [96.3, 100.0]`. */
export function inFull(statistic: Statistic): string {
  if (statistic.rate === null) return 'n/a';
  return `${statistic.k} of ${statistic.n} = ${percent(statistic.rate)} % ${interval(statistic, 1)}`.trimEnd();
}
