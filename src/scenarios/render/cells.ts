import type { Difference } from '../../stats/difference.ts';
import type { DetectorFigures, Part, Rate, Row } from '../figures.ts';

/** Per cent with one decimal where it is not whole. */
export function percent(share: number): string {
  const value = (100 * share).toFixed(1);
  return value.endsWith('.0') ? value.slice(0, -2) : value;
}

/** `[5, 23]`: an interval in per cent, its ends rounded outward; empty where there is none. */
export function limitsOf({ low, high }: Rate): string {
  if (low === undefined || high === undefined) return '';
  return `[${Math.floor(100 * low + 1e-9)}, ${Math.ceil(100 * high - 1e-9)}]`;
}

/** `12.9 [5, 23]`; `-` without a case. */
export function rateCell(rate: Rate): string {
  return rate.rate === null ? '-' : `${percent(rate.rate)} ${limitsOf(rate)}`.trimEnd();
}

/** The share compromised in a channel, for a heat map; `-` where nothing adversarial is. */
export function partCell(parts: readonly Part[], name: string): string {
  const part = parts.find((one) => one.name === name);
  return part?.compromised.rate == null ? '-' : percent(part.compromised.rate);
}

export function differenceCell(difference: Difference | undefined): string {
  if (difference === undefined) return '-';
  const points = 100 * difference.difference;
  const sign = points > 0 ? '+' : '';
  return `${sign}${points.toFixed(1).replace(/\.0$/, '')}`;
}

/** A detector's precision and recall as counts. */
export function detectorText({ texts, injected, flagged, hits }: DetectorFigures): string {
  return `flagged ${flagged} of ${texts} texts, ${hits} of them rightly; ${injected} held an injection`;
}

/** The rows of one target after another, in their order. */
export function byTarget(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(row.target, [...(groups.get(row.target) ?? []), row]);
  return groups;
}
