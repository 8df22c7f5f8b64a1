// @ts-check
// Open Policy Agent (@open-policy-agent/opa-wasm): one Rego policy, compiled in advance, for every policy; the rules are its data.

import { readFileSync } from 'node:fs';
import { importEngine } from './lib/engine.mjs';
import { engineGate } from './lib/gate.mjs';
import { plainRules } from './lib/rules.mjs';
import { avoidInlinedCalls, wellFormed } from './lib/wasm.mjs';

/** @import { Gate } from 'toolgate-bench' */

avoidInlinedCalls();

const { module: opa, engine } = await importEngine('@open-policy-agent/opa-wasm', '1');
const policy = opa.default.loadPolicySync(readFileSync(new URL('opa/gate.wasm', import.meta.url)));

/** @type {object | null} The data that OPA holds: one document at a time, given again when a session of another policy asks. */
let loaded = null;

/**
 * @param {ArrayBuffer} data
 * @param {object} input
 * @returns {unknown}
 */
function evaluate(data, input) {
  if (loaded !== data) policy.setData(data);
  loaded = data;
  return policy.evaluate(input);
}

/**
 * @param {{ decide?: typeof evaluate }} [seam] `decide` stands in for OPA's own evaluation in tests
 * @returns {Gate}
 */
export function createGate({ decide = evaluate } = {}) {
  return engineGate({
    name: 'opa',
    tiers: ['effect', 'tool', 'target', 'limits', 'origin'],
    engine,
    clauses: { effect: 'native', tool: 'native', target: 'native', limits: 'native', origin: 'native' },
    compile(spec) {
      const rules = plainRules(spec).map((rule) => ({
        ...rule,
        tool: wellFormed(rule.tool),
        targets: rule.targets.map(wellFormed),
      }));
      return new TextEncoder().encode(JSON.stringify({ rules })).buffer;
    },
    ask: (data, { effect, type, targets, origins = [] }, { calls, egress }) =>
      read(decide(data, { effect, tool: wellFormed(type), targets: targets.map(wellFormed), origins, calls, egress })),
  });
}

/**
 * @param {any} results one result, of the one entry point
 * @returns {boolean}
 * @throws {Error} when the policy came to no result
 */
function read(results) {
  const allowed = results?.[0]?.result;
  if (typeof allowed !== 'boolean') throw new Error('OPA could not decide: the policy came to no result');
  return allowed;
}

export default createGate();
