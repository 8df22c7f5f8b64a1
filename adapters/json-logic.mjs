// @ts-check
// JSON Logic (json-logic-engine): one piece of logic for every policy, the rules are its data.

import { importEngine } from './lib/engine.mjs';
import { engineGate } from './lib/gate.mjs';
import { plainRules } from './lib/rules.mjs';

/** @import { Gate } from 'toolgate-bench' */

const { module: jsonLogic, engine } = await importEngine('json-logic-engine', '5');

const own = (/** @type {string} */ name) => ({ var: name });
/** What the call says, from within a rule: out of the rule and out of the list of rules. */
const call = (/** @type {string} */ name) => ({ var: `../../${name}` });
/** What the rule says, from within a list of the call's. */
const outer = (/** @type {string} */ name) => ({ var: `../../${name}` });
const targeting = (/** @type {string} */ kind) => ({ '===': [own('targeting'), kind] });
/** `all` is false of an empty list. `in` looks for a part of a text where its second operand is one; here it is always a list. */
const allListed = (/** @type {string} */ found, /** @type {string} */ listed) => ({
  all: [call(found), { in: [own(''), outer(listed)] }],
});

const LOGIC = {
  some: [
    own('rules'),
    {
      and: [
        { '===': [own('effect'), call('effect')] },
        { or: [own('anyTool'), { '===': [own('tool'), call('tool')] }] },
        {
          or: [
            targeting('any'),
            { and: [targeting('none'), { '===': [call('count'), 0] }] },
            { and: [targeting('some'), { '>': [call('count'), 0] }] },
            { and: [targeting('listed'), allListed('targets', 'targets')] },
          ],
        },
        {
          or: [
            own('anyOrigin'),
            { and: [{ '===': [call('origins.length'), call('count')] }, allListed('origins', 'origins')] },
          ],
        },
        { '<': [call('calls'), own('maxCalls')] },
        { '<': [call('egress'), own('maxEgress')] },
      ],
    },
  ],
};

/** Built once and from this file's own text alone: the engine turns logic into JavaScript source. */
const permits = new jsonLogic.LogicEngine().build(LOGIC);

/**
 * @param {{ decide?: (input: object) => unknown }} [seam] `decide` stands in for the evaluation of the logic in tests
 * @returns {Gate}
 */
export function createGate({ decide = permits } = {}) {
  return engineGate({
    name: 'json-logic',
    tiers: ['effect', 'tool', 'target', 'limits', 'origin'],
    engine,
    clauses: { effect: 'native', tool: 'native', target: 'native', limits: 'native', origin: 'native' },
    compile: plainRules,
    ask: (rules, { effect, type, targets, origins = [] }, { calls, egress }) =>
      decide({ rules, effect, tool: type, targets, count: targets.length, origins, calls, egress }) === true,
  });
}

export default createGate();
