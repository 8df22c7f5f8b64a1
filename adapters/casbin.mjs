// @ts-check
// Casbin (casbin): the model is fixed text; a rule is one policy line per literal target and origin, given as data.

import { importEngine } from './lib/engine.mjs';
import { engineGate } from './lib/gate.mjs';
import { facets, groupRules, plainRules, someGroupPermits } from './lib/rules.mjs';

/** @import { Gate } from 'toolgate-bench' */
/** @import { PlainRule } from './lib/rules.mjs' */

const { module: casbin, engine } = await importEngine('casbin', '5');

/**
 * Equality alone: keyMatch2, regexMatch and globMatch take literals for patterns. What a line leaves open is `any`, in a
 * column of its own, so that no tool or target can be mistaken for it. Limits are text, as all of a line; `<` makes numbers of them.
 */
const MODEL = `
[request_definition]
r = group, effect, tool, targeting, target, origin, calls, egress
[policy_definition]
p = group, effect, tools, tool, targeting, target, origin, maxCalls, maxEgress
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.group == p.group && r.effect == p.effect \
&& (p.tools == 'any' || r.tool == p.tool) \
&& (p.targeting == 'any' || p.targeting == r.targeting || (p.targeting == 'listed' && r.targeting == 'some' && r.target == p.target)) \
&& (p.origin == 'any' || r.origin == p.origin) \
&& r.calls < p.maxCalls && r.egress < p.maxEgress
`;

/** Without a line, Casbin evaluates its matcher on empty texts and allows an empty request: there is always one, that matches nothing. */
const NOTHING = ['no group', 'no effect', 'one', '', 'none', '', 'none', '0', '0'];

/**
 * @param {PlainRule} rule
 * @param {number} group
 */
function toLines(rule, group) {
  const targets = rule.targeting === 'listed' ? rule.targets : [''];
  const origins = rule.anyOrigin ? ['any'] : rule.origins;
  const limits = [String(rule.maxCalls), String(rule.maxEgress)];
  const tool = [rule.anyTool ? 'any' : 'one', rule.tool];
  return targets.flatMap((target) =>
    origins.map((origin) => [String(group), rule.effect, ...tool, rule.targeting, target, origin, ...limits]),
  );
}

/** @type {(enforcer: any, request: readonly unknown[]) => boolean} */
const enforce = (enforcer, request) => enforcer.enforceSync(...request);

/**
 * @param {{ decide?: typeof enforce }} [seam] `decide` stands in for Casbin's own decision in tests
 * @returns {Gate}
 */
export function createGate({ decide = enforce } = {}) {
  return engineGate({
    name: 'casbin',
    tiers: ['effect', 'tool', 'target', 'limits', 'origin'],
    engine,
    clauses: { effect: 'native', tool: 'native', target: 'native', limits: 'native', origin: 'native' },
    async compile(policy) {
      const groups = groupRules(plainRules(policy));
      const lines = groups.flatMap((group, index) => group.flatMap((rule) => toLines(rule, index)));
      const model = casbin.newModelFromString(MODEL);
      model.addPolicies('p', 'p', [NOTHING, ...lines]);
      return { groups: groups.length, enforcer: await casbin.newEnforcer(model) };
    },
    ask({ groups, enforcer }, { effect, type, ...action }, { calls, egress }) {
      return someGroupPermits(groups, facets(action), (group, { targeted, target, origin }) =>
        decide(enforcer, [String(group), effect, type, targeted ? 'some' : 'none', target, origin, calls, egress]),
      );
    },
  });
}

export default createGate();
