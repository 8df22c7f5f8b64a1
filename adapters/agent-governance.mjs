// @ts-check
// Microsoft's Agent Governance Toolkit (@microsoft/agent-governance-sdk): its declarative PolicyEngine, which counts calls itself.

import { importEngine } from './lib/engine.mjs';
import { engineGate } from './lib/gate.mjs';
import { facets, groupRules, plainRules, someGroupPermits } from './lib/rules.mjs';

/** @import { Gate, PolicySpec } from 'toolgate-bench' */
/** @import { PlainRule } from './lib/rules.mjs' */

const { module: sdk, engine } = await importEngine('@microsoft/agent-governance-sdk', '4');

/**
 * A policy document per group of rules, and one on counts. Which of them apply is decided by the name of the agent that asks.
 * @typedef {{ groups: number, documents: readonly object[], counted: boolean, policyEngine: any }} Documents
 */
const COUNTS = 'counts';
const agentOf = (/** @type {number} */ group) => `group ${group}`;

/**
 * Conditions are objects, compared with `===`: in the text form of a condition a quote in a literal ends it.
 * @param {PlainRule} rule
 * @returns {object[]}
 */
function toRules(rule) {
  const base = { effect: rule.effect, ...(rule.anyTool ? {} : { tool: rule.tool }) };
  const targets = {
    any: [{}],
    none: [{ targeted: false }],
    some: [{ targeted: true }],
    listed: rule.targets.map((target) => ({ targeted: true, target })),
  };
  const origins = rule.anyOrigin ? [{}] : rule.origins.map((origin) => ({ origin }));
  return targets[rule.targeting].flatMap((target) =>
    origins.map((origin) => ({ name: 'permit', ruleAction: 'allow', condition: { ...base, ...target, ...origin } })),
  );
}

/**
 * The engine counts a call when an `allow` with a limit wins, under the rule's name, so each tool has one rule of its own name,
 * and asking comes last. The ban on egress has a higher priority and no limit: a call that it denies is not counted.
 * @param {PolicySpec} policy
 */
function countRules({ rules, limits }) {
  const tools = new Map(rules.map(({ type, maxCalls }) => [type, maxCalls]));
  const ban =
    limits === undefined
      ? []
      : [{ name: 'egress', ruleAction: 'deny', priority: 1, condition: `egress >= ${limits.egressAfterUntrusted}` }];
  return [...ban, ...[...tools].map(([tool, maxCalls]) => countRule(tool, maxCalls))];
}

/**
 * A limit of 0 would let the first call through: the engine looks at a counter only once there is one.
 * @param {string | undefined} tool
 * @param {number | undefined} maxCalls
 */
function countRule(tool, maxCalls) {
  const rule = { name: `calls of ${tool}`, ruleAction: 'allow', condition: tool === undefined ? {} : { tool } };
  if (maxCalls === undefined) return rule;
  return maxCalls > 0 ? { ...rule, limit: `${maxCalls}/day` } : { ...rule, ruleAction: 'deny' };
}

/** @type {(engine: any, agent: string, call: object) => any} */
const evaluatePolicy = (policyEngine, agent, call) => policyEngine.evaluatePolicy(agent, call);

/**
 * Counters live in the engine: every session has one of its own.
 * @param {Documents} documents
 */
function openEngine(documents) {
  const policyEngine = new sdk.PolicyEngine();
  for (const one of documents.documents) policyEngine.loadPolicy(one);
  return { ...documents, policyEngine };
}

/**
 * @param {{ decide?: typeof evaluatePolicy }} [seam] `decide` stands in for the engine's own decision in tests
 * @returns {Gate}
 */
export function createGate({ decide = evaluatePolicy } = {}) {
  return engineGate({
    name: 'agent-governance',
    tiers: ['effect', 'tool', 'target', 'limits', 'origin'],
    engine,
    clauses: { effect: 'native', tool: 'native', target: 'native', limits: 'native', origin: 'native' },
    /** @returns {Documents} */
    compile(policy) {
      const groups = groupRules(plainRules(policy));
      const counted = policy.tier === 'limits';
      const documents = groups.map((rules, index) => document(agentOf(index), rules.flatMap(toRules)));
      if (counted) documents.push(document(COUNTS, countRules(policy)));
      return { groups: groups.length, counted, documents, policyEngine: null };
    },
    open: openEngine,
    ask({ groups, counted, policyEngine }, action, { egress }) {
      const call = { effect: action.effect, tool: action.type };
      const permitted = someGroupPermits(groups, facets(action), (group, facet) =>
        isAllowed(decide(policyEngine, agentOf(group), { ...call, ...facet })),
      );
      return permitted && (!counted || isAllowed(decide(policyEngine, COUNTS, { ...call, egress })));
    },
  });
}

/**
 * @param {string} agent
 * @param {object[]} rules
 */
function document(agent, rules) {
  return { name: agent, agents: [agent], scope: 'global', rules, default_action: 'deny' };
}

/**
 * `action` may also be `warn`, `log` or `require_approval`, none of which this adapter's rules use.
 * @param {any} result
 * @returns {boolean}
 */
function isAllowed(result) {
  return result.allowed === true;
}

export default createGate();
