import type { Action, Rule } from '../types.ts';
import type { ScenarioPolicy } from './types.ts';

function ruleMatches(rule: Rule, action: Action): boolean {
  if (rule.effect !== action.effect) return false;
  if (rule.type !== undefined && rule.type !== action.type) return false;
  if (rule.targets === undefined) return true;
  if (action.targets.length === 0) return rule.targets.length === 0;
  return action.targets.every((target) => rule.targets?.includes(target));
}

/** Whether the policy as written (tier `target`) permits an action: at least one rule matches it. */
export function permits(policy: ScenarioPolicy, action: Action): boolean {
  return policy.rules.some((rule) => ruleMatches(rule, action));
}

/** One session of the reference semantics at the tier `limits`: each action in turn, counting what was allowed. */
export function limitedSession(policy: ScenarioPolicy): (action: Action) => boolean {
  const counts = new Map<string, number>();
  let egressLeft = Infinity;
  return (action) => {
    const matching = policy.rules.filter((rule) => ruleMatches(rule, action));
    const count = counts.get(action.type) ?? 0;
    const egress = action.effect === 'read' ? 0 : 1;
    if (!matching.some((rule) => rule.maxCalls === undefined || count < rule.maxCalls) || egress > egressLeft)
      return false;
    counts.set(action.type, count + 1);
    egressLeft -= egress;
    if (egressLeft === Infinity && policy.limits?.untrustedSources.includes(action.type)) {
      egressLeft = policy.limits.egressAfterUntrusted;
    }
    return true;
  };
}
