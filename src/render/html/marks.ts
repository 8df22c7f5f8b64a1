import { isMeasured, type Report, type Statistic } from '../../report.ts';
import type { Tier } from '../../types.ts';

/** One gate at one tier in the plot of attacks stopped against cross-task generality. */
export interface PlotPoint {
  /** Position of the gate in the report. */
  readonly gate: number;
  readonly tier: Tier;
  /** Cross-task generality. */
  readonly x: Statistic & { readonly rate: number };
  /** Attacks stopped. */
  readonly y: Statistic & { readonly rate: number };
}

/** Points with the same two rates, drawn as one. */
export interface Mark {
  readonly x: number;
  readonly y: number;
  readonly points: readonly PlotPoint[];
}

export interface At {
  readonly x: number;
  readonly y: number;
}

/** Every gate and tier that has both figures. */
export function pointsOf(report: Report): PlotPoint[] {
  return report.gates.flatMap(({ tiers }, gate) =>
    tiers.filter(isMeasured).flatMap(({ tier, attacksStopped, crossTaskGenerality }) => {
      const [x, y] = [crossTaskGenerality, attacksStopped];
      return hasRate(x) && hasRate(y) ? [{ gate, tier, x, y }] : [];
    }),
  );
}

function hasRate(statistic: Statistic): statistic is Statistic & { rate: number } {
  return statistic.rate !== null;
}

/** Points that coincide become one mark; marks stand from left to right, then from the bottom up. */
export function mergeCoincident(points: readonly PlotPoint[]): Mark[] {
  const marks = new Map<string, PlotPoint[]>();
  for (const point of points) {
    const key = `${point.x.rate} ${point.y.rate}`;
    marks.set(key, [...(marks.get(key) ?? []), point]);
  }
  return [...marks.values()]
    .map((list) => ({ x: list[0]!.x.rate, y: list[0]!.y.rate, points: list }))
    .sort((a, b) => a.x - b.x || a.y - b.y);
}

/** The Pareto front: what no other has at least as much of in both, and more in one. From left to right, each once. */
export function paretoFront<T extends At>(list: readonly T[]): T[] {
  const front: T[] = [];
  let highest = -Infinity;
  for (const at of list.toSorted((a, b) => b.x - a.x || b.y - a.y)) {
    if (at.y <= highest) continue;
    front.unshift(at);
    highest = at.y;
  }
  return front;
}

/** The corners of the staircase at and below which everything is reached or beaten by a member of the front. */
export function staircase(front: readonly At[]): At[] {
  const corners = front.flatMap((at, index) => [
    { x: front[index - 1]?.x ?? 0, y: at.y },
    { x: at.x, y: at.y },
  ]);
  const last = front.at(-1);
  return last === undefined ? [] : [...corners, { x: last.x, y: 0 }];
}
