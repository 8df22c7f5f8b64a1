import { BenchError } from './errors.ts';
import { axesOf, gridsOf, type PlanWeights, planWeights, weightsOf } from './intervals.ts';
import type { Cell, Plan } from './plan.ts';
import { type GateReport, isMeasured, type MeasuredTier, type OutcomeBits, type Report } from './report.ts';
import { decodeBits, FIGURES, type Figure } from './score.ts';
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
  /** `lost`: the base has the figure and the head has not, as the gate no longer loads, offers the tier or answers. `n/a`: nor had the base. */
  readonly verdict: 'better' | 'worse' | 'unclear' | 'same' | 'lost' | 'n/a';
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
  ['list of suites', (report) => report.suites],
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

/**
 * Every figure that the base measured, in its order; what the head no longer measures is `lost`. The plan must be that of the
 * reports.
 * @throws {BenchError} `input` when the reports cannot be compared, or hold outcomes of another number of pairs than the plan
 */
export function compareReports(plan: Plan, base: Report, head: Report): Comparison {
  requireComparable(base, head);
  const weights = head.resamples === 0 ? null : planWeights(plan, head.resamples, head.seed);
  const names = nameItems(plan);
  const matched = base.gates.map((gate) => ({ gate, now: sameGate(gate, head.gates) }));
  const changes = matched.flatMap(({ gate, now }) =>
    now === undefined
      ? []
      : gate.tiers.filter(isMeasured).flatMap((old) => {
          const tier = now.tiers.find((one) => one.tier === old.tier);
          const measured = tier !== undefined && isMeasured(tier) ? tier : null;
          return FIGURES.map((figure) => changeOf(plan, weights, names, gate.name, figure, old, measured));
        }),
  );
  const met = new Set(matched.map(({ now }) => now));
  return {
    changes,
    onlyBase: matched.filter(({ now }) => now === undefined).map(({ gate }) => gate.name),
    onlyHead: head.gates.filter((gate) => !met.has(gate)).map((gate) => gate.name),
  };
}

/** A gate goes by its name; one that did not load has none, and goes by its file. */
function sameGate(gate: GateReport, among: readonly GateReport[]): GateReport | undefined {
  const named = among.find((one) => one.failed === undefined && one.name === gate.name);
  return named ?? among.find((one) => one.failed !== undefined && one.file === gate.file);
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
  head: MeasuredTier | null,
): Change {
  const common = { gate, tier: base.tier, figure, base: base[figure].rate, head: head?.[figure].rate ?? null };
  const before = base.outcomes[BITS[figure]];
  const after = head?.outcomes[BITS[figure]] ?? null;
  if (before === null || after === null) {
    return { ...common, difference: null, verdict: before === null ? 'n/a' : 'lost', gained: [], lost: [] };
  }
  const items = names[figure];
  if (base[figure].n !== items.length || head![figure].n !== items.length) {
    throw new BenchError(
      'input',
      `${gate}, ${base.tier}: ${figure} is over ${base[figure].n} and ${head![figure].n}, but the corpus has ${items.length}`,
    );
  }
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
