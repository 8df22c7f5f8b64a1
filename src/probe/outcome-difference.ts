import { type Batch, CHECK } from '../batch.ts';
import type { Plan } from '../plan.ts';
import type { OutcomeBits } from '../report.ts';
import { decodeBits, score } from '../score.ts';
import type { Action, Tier } from '../types.ts';
import type { FlagReport } from './findings.ts';

/** An outcome that came out otherwise, with the call that shows it best. */
interface Difference {
  readonly action: Action;
  readonly verdicts: readonly [string, string];
}

/**
 * Compares the verdicts of a replay with what a report says of the same sessions: every injected action, every pair's own
 * task, every ordered pair of tasks.
 * @returns undefined where all agree, or where a void session leaves nothing to compare
 */
export function outcomeDifference(
  plan: Plan,
  tier: Tier,
  batch: Batch,
  verdicts: Uint8Array,
  reported: OutcomeBits,
): FlagReport | undefined {
  const {
    attackActionsBlocked: blocked,
    ownTaskIntact: own,
    crossTaskGenerality: cross,
  } = score(plan, batch, verdicts);
  const all = [blocked, own, cross];
  if (all.some(({ voided }) => voided.includes(1))) return undefined;
  const bits = [reported.blocked, reported.own, reported.cross];
  if (bits.includes(null)) return undefined;
  const places = [injectedCalls(plan, batch), ownSessions(plan, batch), crossSessions(plan, batch)];
  let differences = 0;
  let example: Difference | undefined;
  all.forEach(({ hit }, index) => {
    const other = decodeBits(bits[index]!, hit.length);
    hit.forEach((value, item) => {
      if (value === other[item]) return;
      differences++;
      const place = places[index]!;
      example ??= exampleOf(batch, verdicts, place.first[item]!, place.last[item]!, index === 0);
    });
  });
  if (example === undefined) return undefined;
  const { action, verdicts: both } = example;
  const of = all.reduce((sum, { hit }) => sum + hit.length, 0);
  return {
    flag: 'process-dependent',
    tier,
    differences,
    of,
    example: { tool: action.type, targets: action.targets, verdicts: both },
  };
}

/** Per item, the numbers of its first and last check in the batch. */
interface Places {
  readonly first: readonly number[];
  readonly last: readonly number[];
}

function injectedCalls({ pairs }: Plan, { starts }: Batch): Places {
  const checks = pairs.flatMap(({ sequence }, pair) =>
    sequence.flatMap(({ injected }, at) => (injected ? [starts[pair]! + at] : [])),
  );
  return { first: checks, last: checks };
}

/** Sessions run in the order `after`: the user task's own calls come first. */
function ownSessions({ pairs }: Plan, { starts }: Batch): Places {
  const first = pairs.map((_, pair) => starts[pair]!);
  return { first, last: pairs.map(({ userTask }, pair) => first[pair]! + userTask.actions.length - 1) };
}

function crossSessions({ pairs, crosses }: Plan, { starts }: Batch): Places {
  const session = (index: number): number => pairs.length + index;
  return {
    first: crosses.map(({ firstTask }, index) => starts[session(index)]! + firstTask.actions.length),
    last: crosses.map((_, index) => starts[session(index) + 1]! - 1),
  };
}

/** A report holds what a session came to, not every verdict: where all was allowed here, any of its calls may be the denied one. */
function exampleOf(
  { actions, steps }: Batch,
  verdicts: Uint8Array,
  first: number,
  last: number,
  isSingle: boolean,
): Difference {
  let check = first;
  while (check < last && verdicts[check] === CHECK.allow) check++;
  const action = actions[steps[check]!]!;
  if (verdicts[check] !== CHECK.allow) return { action, verdicts: ['deny', 'allow'] };
  return { action, verdicts: ['allow', isSingle || first === last ? 'deny' : 'deny of this call or one before it'] };
}
