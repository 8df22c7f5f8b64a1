// @ts-check
// CASL (@casl/ability). A rule's effect is CASL's action, its tool the subject type, all else conditions on the subject.

import { importEngine } from './lib/engine.mjs';
import { engineGate } from './lib/gate.mjs';
import { facets, groupRules, plainRules, someGroupPermits } from './lib/rules.mjs';

/** @import { Gate } from 'toolgate-bench' */
/** @import { PlainRule } from './lib/rules.mjs' */

const { module: casl, engine } = await importEngine('@casl/ability', '7');

/**
 * A call with one of its targets. CASL must be asked with an object, never with a type: a type alone ignores the conditions.
 * @typedef {{ type: string, group: number, targeted: boolean, target: string, origin: string, calls: number, egress: number }} Subject
 */

/** A tool may be called `all`, which CASL takes for every type of subject; prefixed, it never is. */
const typeOf = (/** @type {string} */ tool) => `tool:${tool}`;

/**
 * @param {PlainRule} rule
 * @param {number} group
 */
function toCasl(rule, group) {
  return {
    action: rule.effect,
    subject: rule.anyTool ? 'all' : typeOf(rule.tool),
    conditions: {
      group,
      ...(rule.targeting === 'none' ? { targeted: false } : {}),
      ...(rule.targeting === 'some' ? { targeted: true } : {}),
      ...(rule.targeting === 'listed' ? { targeted: true, target: { $in: rule.targets } } : {}),
      ...(rule.anyOrigin ? {} : { origin: { $in: rule.origins } }),
      calls: { $lt: rule.maxCalls },
      egress: { $lt: rule.maxEgress },
    },
  };
}

const options = { detectSubjectType: (/** @type {Subject} */ subject) => subject.type };

/** @type {(ability: any, effect: string, subject: Subject) => boolean} */
const can = (ability, effect, subject) => ability.can(effect, subject);

/**
 * @param {{ decide?: typeof can }} [seam] `decide` stands in for CASL's own decision in tests
 * @returns {Gate}
 */
export function createGate({ decide = can } = {}) {
  return engineGate({
    name: 'casl',
    tiers: ['effect', 'tool', 'target', 'limits', 'origin'],
    engine,
    clauses: { effect: 'native', tool: 'native', target: 'native', limits: 'native', origin: 'native' },
    compile(policy) {
      const groups = groupRules(plainRules(policy));
      const rules = groups.flatMap((group, index) => group.map((rule) => toCasl(rule, index)));
      return { groups: groups.length, ability: casl.createMongoAbility(rules, options) };
    },
    // CASL's conditions match a list of targets when one of them does, so each target is asked for by itself.
    ask({ groups, ability }, action, { calls, egress }) {
      const type = typeOf(action.type);
      return someGroupPermits(groups, facets(action), (group, facet) =>
        decide(ability, action.effect, { type, group, ...facet, calls, egress }),
      );
    },
  });
}

export default createGate();
