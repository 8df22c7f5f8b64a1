import { type Batch, CHECK, createBatch, type SessionSteps } from '../batch.ts';
import type { Plan } from '../plan.ts';
import type { Tier } from '../types.ts';
import type { FlagReport, HonestyFlag } from './findings.ts';
import { createReference, type ReferenceClauses } from './reference.ts';

/**
 * Finds the checks on which two replays differ.
 * @param compared the numbers of the checks to look at, where not all
 * @returns undefined where none differs
 */
export function differenceOf(
  flag: HonestyFlag,
  tier: Tier,
  batch: Batch,
  first: Uint8Array,
  second: Uint8Array,
  compared: Iterable<number> = first.keys(),
): FlagReport | undefined {
  let of = 0;
  let differences = 0;
  let earliest = -1;
  for (const check of compared) {
    of++;
    if (first[check] === second[check]) continue;
    if (differences++ === 0) earliest = check;
  }
  if (earliest < 0) return undefined;
  const { type, targets } = batch.actions[batch.steps[earliest]!]!;
  const verdicts = [verdictName(first[earliest]!), verdictName(second[earliest]!)] as const;
  return { flag, tier, differences, of, example: { tool: type, targets, verdicts } };
}

function verdictName(verdict: number): string {
  return verdict === CHECK.allow ? 'allow' : verdict === CHECK.deny ? 'deny' : 'error';
}

/** The numbers of the checks that agree in every replay given. */
export function agreeing(first: Uint8Array, ...others: readonly Uint8Array[]): number[] {
  return [...first.keys()].filter((check) => others.every((other) => other[check] === first[check]));
}

/** Every (A, B) of the plan with B's actions alone on A's policy, and which check of (A then B) each stands for. */
export interface AloneBatch {
  readonly batch: Batch;
  /** Per check of `batch`: the number of the same call's check in the plan's own batch. */
  readonly counterpart: Uint32Array;
  /** Per check: 1 where the policy itself gives a reason for another verdict: calls or budget that A used up. */
  readonly excused: Uint8Array;
}

/** The clauses with a memory, together and each alone: a gate may have left one of them to others. */
const READINGS: readonly ReferenceClauses[] = [
  { counts: true, taint: true },
  { counts: true, taint: false },
  { counts: false, taint: true },
];

/** @param whole the plan's batch at the tier, in which the crosses stand after the pairs */
export function createAloneBatch(plan: Plan, whole: Batch): AloneBatch {
  const sessions: SessionSteps[] = [];
  const counterpart: number[] = [];
  const excused: number[] = [];
  plan.crosses.forEach(({ firstTask }, index) => {
    const session = plan.pairs.length + index;
    const policy = whole.sessionPolicy[session]!;
    const from = whole.starts[session]! + firstTask.actions.length;
    const steps = [...whole.steps.subarray(from, whole.starts[session + 1])];
    const before = [...whole.steps.subarray(whole.starts[session], from)];
    sessions.push({ policy, steps });
    counterpart.push(...steps.map((_, at) => from + at));
    excused.push(...excuses(whole, policy, before, steps));
  });
  return {
    batch: createBatch(whole.policies, whole.actions, sessions),
    counterpart: Uint32Array.from(counterpart),
    excused: Uint8Array.from(excused),
  };
}

function excuses({ policies, actions }: Batch, policy: number, before: number[], steps: number[]): number[] {
  const spec = policies[policy]!;
  if (spec.limits === undefined) return steps.map(() => 0);
  const excused = steps.map(() => 0);
  for (const reading of READINGS) {
    const after = createReference(spec, reading);
    const alone = createReference(spec, reading);
    for (const step of before) after(actions[step]!);
    steps.forEach((step, at) => {
      if (after(actions[step]!) !== alone(actions[step]!)) excused[at] = 1;
    });
  }
  return excused;
}

/** Compares B's calls alone with the same calls after A's, where the policy gives no reason for a difference. */
export function positionDifference(
  tier: Tier,
  { batch, counterpart, excused }: AloneBatch,
  alone: Uint8Array,
  whole: Uint8Array,
  stable: Iterable<number>,
): FlagReport | undefined {
  const after = Uint8Array.from(counterpart, (check) => whole[check]!);
  const steady = new Set(stable);
  const compared = [...alone.keys()].filter((check) => excused[check] === 0 && steady.has(counterpart[check]!));
  return differenceOf('position-dependent', tier, batch, after, alone, compared);
}
