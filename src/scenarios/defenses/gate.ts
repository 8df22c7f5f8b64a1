import type { OpenGate } from '../../gate.ts';
import type { LiveSession } from '../../gate-live.ts';
import { policyFor } from '../../policy.ts';
import type { PolicySpec, Rule, Tier } from '../../types.ts';
import type { Defense } from '../defense.ts';
import type { ScenarioPolicy } from '../types.ts';

/**
 * What a gate is given at a tier: `target` the policy as written, `tool` without its targets, `effect` without its tools too, `limits` with its
 * counts and limits, `origin` the rules that are the same for every task.
 */
export function policyAt(policy: ScenarioPolicy, tier: Tier): PolicySpec {
  if (tier === 'origin') return policyFor([], 'origin', []);
  if (tier === 'limits') {
    return { version: 1, tier, rules: policy.rules, ...(policy.limits && { limits: policy.limits }) };
  }
  return { version: 1, tier, rules: distinct(policy.rules.map((rule) => ruleAt(rule, tier))) };
}

function ruleAt({ effect, type, targets }: Rule, tier: Tier): Rule {
  return {
    effect,
    ...(tier !== 'effect' && type !== undefined && { type }),
    ...(tier === 'target' && targets !== undefined && { targets }),
  };
}

function distinct(rules: readonly Rule[]): Rule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}

/** A gate of the replay bench between the target and its tools. */
export function gateDefense(gate: OpenGate, tier: Tier, name: string): Defense {
  return {
    name,
    start: async ({ policy }) => {
      const spec = policyAt(policy, tier);
      let session: LiveSession = await gate.session(spec);
      return {
        wantsOrigins: tier === 'origin',
        check: async (action) => ({ gate: name, ...(await session.check(action)) }),
        newSession: async () => {
          await session.close();
          session = await gate.session(spec);
        },
        close: async () => {
          await session.close();
        },
      };
    },
    close: () => gate.close(),
  };
}
