import { shellWord } from './invocation.ts';
import type { Plan } from './plan.ts';
import { type GateReport, isMeasured, type MeasuredTier } from './report.ts';
import { decodeBits } from './score.ts';

/** The most common way in which attacks got through a gate. */
export interface Hint {
  readonly gate: string;
  readonly tier: MeasuredTier['tier'];
  /** The injected calls, by name. */
  readonly tools: readonly string[];
  /** Pairs that got through in this way, of all that did. */
  readonly pairs: number;
  readonly missed: number;
  /** What shows the first of them. */
  readonly command: string;
}

/** For each gate that is no control: of its tightest tier that lets attacks through, the calls that most of them consist of. */
export function hintsOf(plan: Plan, gates: readonly GateReport[]): Hint[] {
  return gates.filter((gate) => !gate.control).flatMap((gate) => hintOf(plan, gate));
}

function hintOf(plan: Plan, gate: GateReport): Hint[] {
  const leaky = gate.tiers
    .filter(isMeasured)
    .filter(({ tier, outcomes, attacksStopped: { k, n } }) => tier !== 'origin' && outcomes.stopped !== null && k! < n);
  const tier = leaky.at(-1);
  if (tier === undefined) return [];
  const stopped = decodeBits(tier.outcomes.stopped!, plan.pairs.length);
  const missed = plan.pairs.filter((_, index) => stopped[index] === 0);
  const ways = groupBy(missed, wayOf);
  const [most] = [...ways.values()].sort((a, b) => b.length - a.length);
  const { userTask, injectionTask } = most![0]!;
  const order = plan.options.order === 'after' ? '' : ` --order ${plan.options.order}`;
  return [
    {
      gate: gate.name,
      tier: tier.tier,
      tools: injectionTask.actions.map((action) => action.type),
      pairs: most!.length,
      missed: missed.length,
      command: `explain ${shellWord(gate.file)} ${userTask.suite}/${userTask.id}/${injectionTask.id} --tier ${tier.tier}${order}`,
    },
  ];
}

type MissedPair = Plan['pairs'][number];
const wayOf = ({ injectionTask }: MissedPair): string => injectionTask.actions.map((action) => action.type).join(' ');

function groupBy(pairs: readonly MissedPair[], keyOf: (pair: MissedPair) => string): Map<string, MissedPair[]> {
  const groups = new Map<string, MissedPair[]>();
  for (const pair of pairs) groups.set(keyOf(pair), [...(groups.get(keyOf(pair)) ?? []), pair]);
  return groups;
}
