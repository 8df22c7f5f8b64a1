import type { GroundTruthAction } from './corpus.ts';
import { type Effect, EFFECTS, type Limits, type PolicySpec, type Rule, type Tier } from './types.ts';

/** Egress changes or leaves something: every effect but `read`. */
export function isEgress(effect: Effect): boolean {
  return effect !== 'read';
}

/**
 * The policy of one user task at a tier: what an operator who knows exactly what the task needs would write.
 * `origin` is the same for every task. Rules stand in the order in which the task first needs them. Never throws.
 * @param actions the user task's ground truth; nothing else of the task is looked at
 * @param untrustedSources tools whose result may carry planted text; used by `limits` alone
 */
export function policyFor(
  actions: readonly GroundTruthAction[],
  tier: Tier,
  untrustedSources: readonly string[],
): PolicySpec {
  switch (tier) {
    case 'effect':
      return { version: 1, tier, rules: effectRules(actions) };
    case 'tool':
      return { version: 1, tier, rules: toolRules(actions) };
    case 'target':
      return { version: 1, tier, rules: targetRules(actions) };
    case 'limits':
      return { version: 1, tier, rules: countedRules(actions), limits: limitsOf(actions, untrustedSources) };
    case 'origin':
      return { version: 1, tier, rules: originRules() };
  }
}

function effectRules(actions: readonly GroundTruthAction[]): Rule[] {
  return [...new Set(actions.map((action) => action.effect))].map((effect) => ({ effect }));
}

function toolRules(actions: readonly GroundTruthAction[]): Rule[] {
  const effects = new Map(actions.map((action) => [action.type, action.effect]));
  return [...effects].map(([type, effect]) => ({ effect, type }));
}

/** A tool that the task calls both with and without targets gets two rules. */
function targetRules(actions: readonly GroundTruthAction[]): Rule[] {
  const rules = new Map<string, { effect: Effect; type: string; targets: Set<string> }>();
  for (const { type, effect, targets } of actions) {
    const key = `${targets.length > 0 ? 'some' : 'none'} ${type}`;
    const rule = rules.get(key) ?? { effect, type, targets: new Set<string>() };
    rules.set(key, rule);
    for (const target of targets) rule.targets.add(target);
  }
  return [...rules.values()].map(({ effect, type, targets }) => ({ effect, type, targets: [...targets] }));
}

function countedRules(actions: readonly GroundTruthAction[]): Rule[] {
  return targetRules(actions).map((rule) => ({
    ...rule,
    maxCalls: actions.filter((action) => action.type === rule.type).length,
  }));
}

function limitsOf(actions: readonly GroundTruthAction[], untrustedSources: readonly string[]): Limits {
  const first = actions.findIndex((action) => untrustedSources.includes(action.type));
  const after = first < 0 ? [] : actions.slice(first + 1);
  return { untrustedSources, egressAfterUntrusted: after.filter((action) => isEgress(action.effect)).length };
}

function originRules(): Rule[] {
  return EFFECTS.map((effect) => (isEgress(effect) ? { effect, origins: ['user'] } : { effect }));
}
