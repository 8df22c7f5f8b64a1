// @ts-check
// ATP provenance (@mondaydotcomorg/atp-provenance): declarative policies, and the library's own record of where a value came from.

import { importEngine } from './lib/engine.mjs';
import { engineGate } from './lib/gate.mjs';
import { facets, groupRules, plainRules } from './lib/rules.mjs';

/** @import { Gate, Origin } from 'toolgate-bench' */
/** @import { Facet, PlainRule } from './lib/rules.mjs' */

/** Later versions cannot be installed: they depend on versions of atp-runtime that are not published. */
const { module: atp, engine } = await importEngine('@mondaydotcomorg/atp-provenance', '0.19');

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** @type {Record<Origin, string>} */
const SOURCES = { user: atp.ProvenanceSource.USER, tool: atp.ProvenanceSource.TOOL, model: atp.ProvenanceSource.LLM };

/**
 * The engine allows what no rule blocks. Of a policy's rules the first that matches decides, and `log` means allow: so the
 * rules that permit come first, and one without a condition blocks the rest.
 * @param {readonly PlainRule[]} rules
 */
function toPolicy(rules) {
  return atp.createDeclarativePolicy({
    id: 'toolgate',
    scope: {}, // scope.toolName is a regular expression; the tool is compared in the conditions instead
    rules: [
      ...rules.map((rule) => ({ action: 'log', conditions: conditions(rule) })),
      { action: 'block', conditions: [], reason: 'no rule permits it' },
    ],
  });
}

/** @param {PlainRule} rule */
function conditions(rule) {
  const targets = {
    any: [],
    none: [is('args.targeted', false)],
    some: [is('args.targeted', true)],
    listed: [is('args.targeted', true), isIn('args.target.value', rule.targets)],
  };
  const sources = rule.origins.map((origin) => SOURCES[origin]);
  return [
    is('args.effect', rule.effect),
    ...(rule.anyTool ? [] : [is('args.tool', rule.tool)]),
    ...targets[rule.targeting],
    ...(rule.anyOrigin ? [] : [isIn('provenance.args.target.source.type', sources)]),
    isBelow('args.calls', rule.maxCalls),
    isBelow('args.egress', rule.maxEgress),
  ];
}

const is = (/** @type {string} */ field, /** @type {unknown} */ value) => ({ field, operator: 'equals', value });
const isIn = (/** @type {string} */ field, /** @type {readonly unknown[]} */ value) => ({
  field,
  operator: 'in',
  value,
});
/** On a number, `matches` compares: its text must be an operator and digits. */
const isBelow = (/** @type {string} */ field, /** @type {number} */ limit) => ({
  field,
  operator: 'matches',
  value: `<${limit}`,
});

/** @type {(policies: any, args: object) => Promise<void>} */
const checkTool = (policies, args) => policies.checkTool('call', 'tools', args);

/**
 * @param {Promise<void>} checked
 * @returns {Promise<boolean>}
 * @throws whatever is no refusal
 */
async function isPermitted(checked) {
  try {
    await checked;
    return true;
  } catch (error) {
    if (error instanceof atp.ProvenanceSecurityError) return false;
    throw error;
  }
}

let executions = 0;

/**
 * Asks about one target, whose origin the library is told as it would be in use. Its record is global: whatever happens, it is
 * emptied, else it grows and one session's values are found in the next.
 * @param {(args: object) => Promise<void>} check
 * @param {object} args
 * @param {Facet} facet
 */
async function permitsFacet(check, args, { targeted, target, origin }) {
  const value = { value: target };
  if (origin === '') return isPermitted(check({ ...args, targeted, target: value }));
  const execution = `toolgate ${executions++}`;
  try {
    return await isPermitted(check({ ...args, targeted, target: track(execution, value, origin) }));
  } finally {
    atp.cleanupProvenanceForExecution(execution);
  }
}

/**
 * The current execution is global as well, and is taken back before anything else can run.
 * @param {string} execution
 * @param {object} value
 * @param {Origin} origin
 */
function track(execution, value, origin) {
  atp.setProvenanceExecutionId(execution);
  try {
    return atp.createProvenanceProxy(value, { type: SOURCES[origin], timestamp: 0 });
  } finally {
    atp.clearProvenanceExecutionId();
  }
}

/**
 * @param {{ decide?: typeof checkTool }} [seam] `decide` stands in for the engine's own decision in tests
 * @returns {Gate}
 */
export function createGate({ decide = checkTool } = {}) {
  return engineGate({
    name: 'atp-provenance',
    tiers: ['effect', 'tool', 'target', 'limits', 'origin'],
    engine,
    clauses: { effect: 'native', tool: 'native', target: 'native', limits: 'native', origin: 'native' },
    asynchronous: true,
    compile: (policy) =>
      groupRules(plainRules(policy)).map((rules) => new atp.SecurityPolicyEngine([toPolicy(rules)], silent)),
    async ask(groups, action, { calls, egress }) {
      const args = { effect: action.effect, tool: action.type, calls, egress };
      const asked = facets(action);
      for (const group of groups) {
        if (await permitsAll((one) => decide(group, one), args, asked)) return true;
      }
      return false;
    },
  });
}

/**
 * @param {(args: object) => Promise<void>} check
 * @param {object} args
 * @param {readonly Facet[]} asked
 */
async function permitsAll(check, args, asked) {
  for (const facet of asked) {
    if (!(await permitsFacet(check, args, facet))) return false;
  }
  return true;
}

export default createGate();
