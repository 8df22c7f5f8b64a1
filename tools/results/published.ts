import { readFileSync } from 'node:fs';
import { type GateRow, ROOT } from './measure.ts';

export const JSON_FILE = 'docs/results.json';

/** What docs/results.json holds. */
export function readPublished(): GateRow[] {
  return JSON.parse(readFileSync(`${ROOT}${JSON_FILE}`, 'utf8')) as GateRow[];
}

/** The rows as they are to be compared: with the times that are published, and without a probe the published one. */
export function asPublished(rows: readonly GateRow[], published: readonly GateRow[], probed: boolean): GateRow[] {
  return rows.map((row) => {
    const before = published.find(({ name }) => name === row.name);
    return { ...row, probe: probed ? row.probe : (before?.probe ?? null), usACheck: before?.usACheck ?? null };
  });
}

/** A line for each gate of which something else is published, with the tiers in which it is. */
export function differences(rows: readonly GateRow[], published: readonly GateRow[]): string[] {
  return rows.flatMap((row) => {
    const before = published.find(({ name }) => name === row.name);
    if (before === undefined) return [`${row.name}: nothing is published`];
    const { tiers, ...rest } = row;
    const { tiers: tiersBefore, ...restBefore } = before;
    const found = [
      ...(isSame(rest, restBefore) ? [] : ['what is said of the gate']),
      ...tiers.filter((tier, index) => !isSame(tier, tiersBefore[index])).map(({ tier }) => tier),
    ];
    return found.length === 0 ? [] : [`${row.name}: ${found.join(', ')}: not what is published`];
  });
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
