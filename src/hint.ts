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

/**
 * For each gate that is no control: of its tightest tier that lets attacks through, the calls that most of them consist of.
 * `origin` is no tighter than the tiers of one task, so it counts where no other lets any through.
 * @param commands what --exec was given: the `file` of a gate in another language
 */
export function hintsOf(plan: Plan, gates: readonly GateReport[], commands: readonly string[] = []): Hint[] {
  return gates.filter((gate) => !gate.control).flatMap((gate) => hintOf(plan, gate, commands));
}

function hintOf(plan: Plan, gate: GateReport, commands: readonly string[]): Hint[] {
  const leaky = gate.tiers
    .filter(isMeasured)
    .filter(({ outcomes, attacksStopped: { k, n } }) => outcomes.stopped !== null && k! < n);
  const tier = leaky.findLast((one) => one.tier !== 'origin') ?? leaky.at(-1);
  if (tier === undefined) return [];
  const stopped = decodeBits(tier.outcomes.stopped!, plan.pairs.length);
  const missed = plan.pairs.filter((_, index) => stopped[index] === 0);
  const ways = groupBy(missed, wayOf);
  const [most] = [...ways.values()].sort((a, b) => b.length - a.length);
  return [
    {
      gate: gate.name,
      tier: tier.tier,
      tools: most![0]!.injectionTask.actions.map((action) => action.type),
      pairs: most!.length,
      missed: missed.length,
      command: commandFor(plan, gate, tier.tier, most![0]!, commands.includes(gate.file)),
    },
  ];
}

function commandFor(
  { options: { order, untrusted } }: Plan,
  gate: GateReport,
  tier: MeasuredTier['tier'],
  { userTask, injectionTask }: MissedPair,
  isCommand: boolean,
): string {
  const words = [isCommand ? '--exec' : '', shellWord(gate.file)];
  const path = `${userTask.suite}/${userTask.id}/${injectionTask.id}`;
  const options = [
    `--tier ${tier}`,
    order === 'after' ? '' : `--order ${order}`,
    untrusted === 'measured' ? '' : `--untrusted ${untrusted}`,
  ];
  return ['explain', ...words, path, ...options].filter((part) => part !== '').join(' ');
}

type MissedPair = Plan['pairs'][number];
const wayOf = ({ injectionTask }: MissedPair): string => injectionTask.actions.map((action) => action.type).join(' ');

function groupBy(pairs: readonly MissedPair[], keyOf: (pair: MissedPair) => string): Map<string, MissedPair[]> {
  const groups = new Map<string, MissedPair[]>();
  for (const pair of pairs) groups.set(keyOf(pair), [...(groups.get(keyOf(pair)) ?? []), pair]);
  return groups;
}
