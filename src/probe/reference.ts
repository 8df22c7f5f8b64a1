import { isEgress } from '../policy.ts';
import type { Action, PolicySpec, Rule } from '../types.ts';

/**
 * What the policy spec says, taken literally: one session's verdicts, call by call. Written apart from `adapters/exact.mjs`,
 * so that a slip in one shows against the other.
 * @returns whether the next action is permitted
 */
export function createReference(policy: PolicySpec): (action: Action) => boolean {
  const allowedCalls = new Map<string, number>();
  const { limits } = policy;
  let exposed = false;
  let egressLeft = limits?.egressAfterUntrusted ?? 0;
  return (action) => {
    const rules = policy.rules.filter((rule) => permits(rule, action));
    if (rules.length === 0) return false;
    const calls = allowedCalls.get(action.type) ?? 0;
    if (rules.every((rule) => rule.maxCalls !== undefined && calls >= rule.maxCalls)) return false;
    const counted = exposed && isEgress(action.effect);
    if (limits !== undefined && counted && egressLeft === 0) return false;
    allowedCalls.set(action.type, calls + 1);
    if (counted) egressLeft--;
    if (limits?.untrustedSources.includes(action.type)) exposed = true;
    return true;
  };
}

/** Whether a rule matches: every member that it gives must. */
function permits(rule: Rule, { type, effect, targets, origins = [] }: Action): boolean {
  if (rule.effect !== effect || (rule.type !== undefined && rule.type !== type)) return false;
  if (rule.targets !== undefined) {
    const allowed = new Set(rule.targets);
    const fits = targets.length === 0 ? allowed.size === 0 : targets.every((target) => allowed.has(target));
    if (!fits) return false;
  }
  if (rule.origins === undefined) return true;
  const trusted = new Set(rule.origins);
  return targets.length > 0 && origins.length === targets.length && origins.every((origin) => trusted.has(origin));
}
