// @ts-check
// The Common Expression Language (@marcbachmann/cel-js): one expression for every policy, the rules are its data.

import { importEngine } from './lib/engine.mjs';
import { engineGate } from './lib/gate.mjs';
import { plainRules } from './lib/rules.mjs';

/** @import { Gate } from 'toolgate-bench' */

const { module: cel, engine } = await importEngine('@marcbachmann/cel-js', '8');

/** JavaScript numbers are CEL doubles here (ints would have to be BigInts), and are compared with doubles alone. */
const permits = new cel.Environment()
  .registerVariable('rules', 'list')
  .registerVariable('effect', 'string')
  .registerVariable('tool', 'string')
  .registerVariable('targets', 'list<string>')
  .registerVariable('origins', 'list<string>')
  .registerVariable('calls', 'double')
  .registerVariable('egress', 'double')
  .parse(
    `rules.exists(rule,
      rule.effect == effect
      && (rule.anyTool || rule.tool == tool)
      && (rule.targeting == "any"
        || (rule.targeting == "none" && targets.size() == 0)
        || (rule.targeting == "some" && targets.size() > 0)
        || (rule.targeting == "listed" && targets.size() > 0 && targets.all(target, target in rule.targets)))
      && (rule.anyOrigin || (origins.size() == targets.size() && origins.all(origin, origin in rule.origins)))
      && calls < rule.maxCalls
      && egress < rule.maxEgress)`,
  );

/**
 * @param {{ decide?: (input: object) => unknown }} [seam] `decide` stands in for the evaluation of the expression in tests
 * @returns {Gate}
 */
export function createGate({ decide = permits } = {}) {
  return engineGate({
    name: 'cel',
    tiers: ['effect', 'tool', 'target', 'limits', 'origin'],
    engine,
    clauses: { effect: 'native', tool: 'native', target: 'native', limits: 'native', origin: 'native' },
    compile: plainRules,
    ask: (rules, { effect, type, targets, origins = [] }, { calls, egress }) =>
      decide({ rules, effect, tool: type, targets, origins, calls, egress }) === true,
  });
}

export default createGate();
