// @ts-check
// Cedar (@cedar-policy/cedar-wasm): one `permit` per rule, in Cedar's JSON form. The effect is the action, the tool the resource.

import { importEngine } from './lib/engine.mjs';
import { engineGate } from './lib/gate.mjs';
import { plainRules } from './lib/rules.mjs';
import { avoidInlinedCalls, wellFormed } from './lib/wasm.mjs';

/** @import { Gate } from 'toolgate-bench' */
/** @import { PlainRule } from './lib/rules.mjs' */

avoidInlinedCalls();

const { module: cedar, engine } = await importEngine('@cedar-policy/cedar-wasm', '4', './nodejs');

/** @typedef {Record<string, unknown>} Expression of Cedar's JSON form */

const context = (/** @type {string} */ attr) => ({ '.': { left: { Var: 'context' }, attr } });
const isEmpty = (/** @type {string} */ attr) => ({ isEmpty: { arg: context(attr) } });
const isFilled = (/** @type {string} */ attr) => ({ '!': { arg: isEmpty(attr) } });
const below = (/** @type {string} */ attr, /** @type {number} */ limit) => ({
  '<': { left: context(attr), right: { Value: limit } },
});
/** Literals are values of the JSON form, never text to be parsed; `like`, which knows wildcards, is not used. */
const allListed = (/** @type {string} */ attr, /** @type {readonly string[]} */ listed) => ({
  containsAll: { left: { Set: listed.map((one) => ({ Value: wellFormed(one) })) }, right: context(attr) },
});

/**
 * @param {PlainRule} rule
 * @returns {Expression[]}
 */
function conditions(rule) {
  const targets = {
    any: [],
    none: [isEmpty('targets')],
    some: [isFilled('targets')],
    listed: [isFilled('targets'), allListed('targets', rule.targets)],
  };
  return [
    ...targets[rule.targeting],
    ...(rule.anyOrigin ? [] : [isFilled('origins'), allListed('origins', rule.origins)]),
    below('calls', rule.maxCalls),
    below('egress', rule.maxEgress),
  ];
}

/**
 * Permits alone: a `forbid` that fails to evaluate is skipped by Cedar, and the call allowed.
 * @param {PlainRule} rule
 */
function toCedar(rule) {
  return {
    effect: 'permit',
    principal: { op: 'All' },
    action: { op: '==', entity: { type: 'Action', id: rule.effect } },
    resource: rule.anyTool ? { op: 'All' } : { op: '==', entity: { type: 'Tool', id: wellFormed(rule.tool) } },
    conditions: conditions(rule).map((body) => ({ kind: 'when', body })),
  };
}

/**
 * Cedar keeps pre-parsed policies under names and has no call to forget one, so names are used again, the oldest first.
 * @param {number} size how many policies stay parsed
 */
function policyNames(size) {
  /** @type {object[]} Who has a name now; tokens, so that a policy is not kept alive. */
  const holders = Array.from({ length: size });
  let next = 0;
  return {
    /** @param {{ token: object, slot: number, json: Record<string, object> }} policy */
    nameOf(policy) {
      if (holders[policy.slot] === policy.token) return String(policy.slot);
      const parsed = cedar.preparsePolicySet(String(next), { staticPolicies: policy.json });
      if (parsed.type !== 'success') throw new Error(`Cedar refused the policy: ${parsed.errors[0]?.message}`);
      holders[next] = policy.token;
      policy.slot = next;
      next = (next + 1) % size;
      return String(policy.slot);
    },
  };
}

const names = policyNames(512);
const AGENT = { type: 'Agent', id: 'agent' };

/** @type {(call: object) => any} */
const isAuthorized = (call) => cedar.statefulIsAuthorized(call);

/**
 * @param {{ decide?: typeof isAuthorized }} [seam] `decide` stands in for Cedar's own decision in tests
 * @returns {Gate}
 */
export function createGate({ decide = isAuthorized } = {}) {
  return engineGate({
    name: 'cedar',
    tiers: ['effect', 'tool', 'target', 'limits', 'origin'],
    engine,
    clauses: { effect: 'native', tool: 'native', target: 'native', limits: 'native', origin: 'native' },
    compile: (policy) => ({
      token: {},
      slot: -1,
      json: Object.fromEntries(plainRules(policy).map((rule, index) => [`rule ${index}`, toCedar(rule)])),
    }),
    ask(policy, { effect, type, targets, origins = [] }, { calls, egress }) {
      const answer = decide({
        principal: AGENT,
        action: { type: 'Action', id: effect },
        resource: { type: 'Tool', id: wellFormed(type) },
        context: { targets: targets.map(wellFormed), origins, calls, egress },
        preparsedPolicySetId: names.nameOf(policy),
        entities: [],
      });
      return read(answer);
    },
  });
}

/**
 * @param {any} answer
 * @returns {boolean}
 * @throws {Error} when Cedar could not evaluate the call, or a policy: neither is a decision
 */
function read(answer) {
  if (answer.type !== 'success') throw new Error(`Cedar could not decide: ${answer.errors[0]?.message}`);
  const { decision, diagnostics } = answer.response;
  if (diagnostics.errors.length > 0) {
    throw new Error(`Cedar skipped a policy: ${diagnostics.errors[0].error.message}`);
  }
  return decision === 'allow';
}

export default createGate();
