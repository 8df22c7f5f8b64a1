import { type Batch, CHECK, createBatch, type SessionSteps } from '../batch.ts';
import type { Plan } from '../plan.ts';
import { isEgress } from '../policy.ts';
import type { Action, PolicySpec, Tier } from '../types.ts';
import type { FlagReport, HonestyFlag } from './findings.ts';
import { createReference } from './reference.ts';

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

/** Every (A, B) of the plan with B's actions alone on A's policy. */
export interface AloneBatch {
  readonly batch: Batch;
  /** Per session: the number of A's first check in the plan's own batch, and how many calls A has. */
  readonly before: readonly { readonly from: number; readonly calls: number }[];
  /** Per check: 1 where the reference itself judges the call otherwise after A's. */
  readonly excused: Uint8Array;
}

/** @param whole the plan's batch at the tier, in which the crosses stand after the pairs */
export function createAloneBatch(plan: Plan, whole: Batch): AloneBatch {
  const sessions: SessionSteps[] = [];
  const before: { from: number; calls: number }[] = [];
  const excused: number[] = [];
  plan.crosses.forEach(({ firstTask }, index) => {
    const session = plan.pairs.length + index;
    const policy = whole.sessionPolicy[session]!;
    const from = whole.starts[session]!;
    const calls = firstTask.actions.length;
    const steps = [...whole.steps.subarray(from, whole.starts[session + 1])];
    sessions.push({ policy, steps: steps.slice(calls) });
    before.push({ from, calls });
    excused.push(...referenceDiffers(whole, policy, steps.slice(0, calls), steps.slice(calls)));
  });
  return { batch: createBatch(whole.policies, whole.actions, sessions), before, excused: Uint8Array.from(excused) };
}

function referenceDiffers({ policies, actions }: Batch, policy: number, first: number[], second: number[]): number[] {
  const spec = policies[policy]!;
  if (spec.limits === undefined) return second.map(() => 0);
  const after = createReference(spec);
  const alone = createReference(spec);
  for (const step of first) after(actions[step]!);
  return second.map((step) => Number(after(actions[step]!) !== alone(actions[step]!)));
}

/**
 * Compares B's calls alone with the same calls after A's. A difference is excused where the reference shows one, and where
 * the calls that the gate itself allowed before had used up what the policy grants: a gate with a mistake elsewhere, or
 * with one of the limits left out, is not accused of knowing where it stands.
 * @param whole the plan's batch, and the verdicts on it
 * @param stable the checks of `whole` on which the gate agrees with itself
 */
export function positionDifference(
  tier: Tier,
  { batch, before, excused }: AloneBatch,
  alone: Uint8Array,
  whole: { readonly batch: Batch; readonly verdicts: Uint8Array },
  stable: Iterable<number>,
): FlagReport | undefined {
  const after = new Uint8Array(alone.length);
  const steady = new Set(stable);
  const compared: number[] = [];
  before.forEach(({ from, calls }, session) => {
    const start = batch.starts[session]!;
    const end = batch.starts[session + 1]!;
    const policy = batch.policies[batch.sessionPolicy[session]!]!;
    after.set(whole.verdicts.subarray(from + calls, from + calls + end - start), start);
    for (let check = start; check < end; check++) {
      const counterpart = from + calls + check - start;
      if (excused[check] === 1 || !steady.has(counterpart)) continue;
      if (after[check] !== alone[check]) {
        const allowed =
          after[check] === CHECK.deny
            ? allowedActions(whole.batch, whole.verdicts, from, counterpart)
            : allowedActions(batch, alone, start, check);
        if (isUsedUp(policy, allowed, actionAt(batch, check))) continue;
      }
      compared.push(check);
    }
  });
  return differenceOf('position-dependent', tier, batch, after, alone, compared);
}

function actionAt({ actions, steps }: Batch, check: number): Action {
  return actions[steps[check]!]!;
}

function allowedActions(batch: Batch, verdicts: Uint8Array, first: number, last: number): Action[] {
  const allowed: Action[] = [];
  for (let check = first; check < last; check++) {
    if (verdicts[check] === CHECK.allow) allowed.push(actionAt(batch, check));
  }
  return allowed;
}

/** Whether the calls allowed so far leave none of the tool's, or none of the budget after untrusted text was read. */
function isUsedUp({ rules, limits }: PolicySpec, allowed: readonly Action[], { type, effect }: Action): boolean {
  if (limits === undefined) return false;
  const calls = allowed.filter((action) => action.type === type).length;
  if (rules.some((rule) => rule.type === type && rule.maxCalls !== undefined && calls >= rule.maxCalls)) return true;
  const exposure = allowed.findIndex((action) => limits.untrustedSources.includes(action.type));
  if (exposure < 0 || !isEgress(effect)) return false;
  const egress = allowed.slice(exposure + 1).filter((action) => isEgress(action.effect)).length;
  return egress >= limits.egressAfterUntrusted;
}
