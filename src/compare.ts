import { BenchError } from './errors.ts';
import { axesOf, gridsOf, type PlanWeights, planWeights, weightsOf } from './intervals.ts';
import type { Plan } from './plan.ts';
import { isMeasured, type MeasuredTier, type OutcomeBits, type Report } from './report.ts';
import { type Cell, decodeBits, FIGURES, type Figure } from './score.ts';
import { type Difference, pairedDifference } from './stats/difference.ts';
import type { Tier } from './types.ts';

/** One figure of one gate and tier in two reports. */
export interface Change {
  readonly gate: string;
  readonly tier: Tier;
  readonly figure: Figure;
  readonly base: number | null;
  readonly head: number | null;
  /** Head minus base, on the same resamples; null where either is n/a, or intervals are off. */
  readonly difference: Difference | null;
  readonly verdict: 'better' | 'worse' | 'unclear' | 'same' | 'n/a';
  /** The pairs, injected actions or ordered tasks that came out otherwise: those that count now, and those that no longer do. */
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

export interface Comparison {
  readonly changes: readonly Change[];
  /** Gates that only one of the reports holds. */
  readonly onlyBase: readonly string[];
  readonly onlyHead: readonly string[];
}

/** What two reports must have in common to be compared pair by pair. */
const COMMON: readonly [string, (report: Report) => unknown][] = [
  ['corpus', (report) => [report.corpus.id, report.corpus.version, report.corpus.sha256]],
  ['tools table', (report) => report.corpus.toolsSha256],
  ['suites', (report) => report.suites],
  ['order', (report) => report.order],
  ['choice of untrusted sources', (report) => report.untrusted],
  ['seed', (report) => report.seed],
  ['number of resamples', (report) => report.resamples],
  [
    'set of tiers',
    (report) => [...new Set(report.gates.flatMap((gate) => gate.tiers.map((tier) => tier.tier)))].sort(),
  ],
];

/** @throws {BenchError} `input`, naming what differs */
export function requireComparable(base: Report, head: Report): void {
  for (const [what, of] of COMMON) {
    const [one, other] = [JSON.stringify(of(base)), JSON.stringify(of(head))];
    if (one !== other)
      throw new BenchError('input', `the reports cannot be compared: the ${what} differs (${one} and ${other})`);
  }
}

/** Every figure of the gates and tiers that both reports hold, in the head's order. The plan must be that of the reports. */
export function compareReports(plan: Plan, base: Report, head: Report): Comparison {
  requireComparable(base, head);
  const weights = head.resamples === 0 ? null : planWeights(plan, head.resamples, head.seed);
  const names = nameItems(plan);
  const bases = new Map(base.gates.map((gate) => [gate.name, gate]));
  const heads = new Set(head.gates.map((gate) => gate.name));
  const changes = head.gates.flatMap(({ name, tiers }) =>
    tiers.filter(isMeasured).flatMap((tier) => {
      const old = bases.get(name)?.tiers.find((one) => one.tier === tier.tier);
      if (old === undefined || !isMeasured(old)) return [];
      return FIGURES.map((figure) => changeOf(plan, weights, names, name, figure, old, tier));
    }),
  );
  return {
    changes,
    onlyBase: [...bases.keys()].filter((name) => !heads.has(name)),
    onlyHead: [...heads].filter((name) => !bases.has(name)),
  };
}

const BITS: { readonly [figure in Figure]: keyof OutcomeBits } = {
  attacksStopped: 'stopped',
  attackActionsBlocked: 'blocked',
  ownTaskIntact: 'own',
  crossTaskGenerality: 'cross',
};

function changeOf(
  plan: Plan,
  weights: PlanWeights | null,
  names: ItemNames,
  gate: string,
  figure: Figure,
  base: MeasuredTier,
  head: MeasuredTier,
): Change {
  const common = { gate, tier: head.tier, figure, base: base[figure].rate, head: head[figure].rate };
  const [before, after] = [base.outcomes[BITS[figure]], head.outcomes[BITS[figure]]];
  if (before === null || after === null) return { ...common, difference: null, verdict: 'n/a', gained: [], lost: [] };
  const items = names[figure];
  const old = decodeBits(before, items.length);
  const now = decodeBits(after, items.length);
  const changed = (to: number): string[] =>
    items.filter((_, item) => now[item] === to && old[item] !== to).map(({ name }) => name);
  const [gained, lost] = [changed(1), changed(0)];
  if (weights === null) {
    return {
      ...common,
      difference: null,
      verdict: gained.length + lost.length === 0 ? 'same' : 'unclear',
      gained,
      lost,
    };
  }
  const cells = items.map(({ cell }) => cell);
  const axes = axesOf(plan, figure);
  const difference = pairedDifference(
    gridsOf({ hit: old, cells }, axes),
    gridsOf({ hit: now, cells }, axes),
    weights[weightsOf(figure)],
  );
  return { ...common, difference, verdict: difference.verdict, gained, lost };
}

type ItemNames = { readonly [figure in Figure]: readonly { readonly cell: Cell; readonly name: string }[] };

/** What each bit of an outcome stands for, in corpus order. */
function nameItems({ pairs, crosses, suites }: Plan): ItemNames {
  const named = pairs.map(({ suite, user, injection, userTask, injectionTask }) => ({
    cell: { suite, row: user, column: injection },
    name: `${userTask.suite}/${userTask.id}/${injectionTask.id}`,
    injectionTask,
  }));
  const actions = named.flatMap(({ cell, name, injectionTask }) =>
    injectionTask.actions.map((action, index) => ({ cell, name: `${name}, action ${index + 1} (${action.type})` })),
  );
  const crossed = crosses.map(({ suite, first, second, firstTask, secondTask }) => ({
    cell: { suite, row: first, column: second },
    name: `${suites[suite]!.name}/${firstTask.id} then ${secondTask.id}`,
  }));
  return { attacksStopped: named, attackActionsBlocked: actions, ownTaskIntact: named, crossTaskGenerality: crossed };
}
