import { readFileSync } from 'node:fs';
import { kindOf } from './replay.mjs';

/**
 * @import { Gate } from '../types.ts'
 * @import { GateInfo } from './messages.ts'
 */

const TIERS = ['effect', 'tool', 'target', 'limits', 'origin'];
const CLAUSES = ['effect', 'tool', 'target', 'limits', 'origin'];

/**
 * Imports an adapter and checks it against the contract.
 * @param {string} url
 * @returns {Promise<{ gate: Gate, info: GateInfo }>}
 * @throws {Error} with one line that says what is missing
 */
export async function loadGate(url) {
  // Most adapters are .mjs, and pay for nothing else.
  if (!url.endsWith('.mjs')) await (await import('./prepare.mjs')).prepareFor(url);
  const module = await importAdapter(url);
  if (!('default' in module)) {
    const named = Object.keys(module);
    const hint = named.length > 0 ? `; it exports ${named.slice(0, 5).join(', ')}` : '';
    throw new Error(`has no default export${hint}; write "export default { name, createSession }"`);
  }
  // A module that a compiler turned into CommonJS has its default export below what Node takes for it.
  return inspect(module.default?.__esModule ? module.default.default : module.default);
}

/**
 * @param {string} url
 * @returns {Promise<any>} the adapter's module
 * @throws {Error} what the adapter throws; of a module under a CommonJS name, one line that says so
 */
async function importAdapter(url) {
  try {
    return await import(url);
  } catch (error) {
    const [ending] = /\.c[jt]s$/.exec(url) ?? [];
    if (!(error instanceof SyntaxError) || ending === undefined) throw error;
    const { isModuleSource } = await import('./module-format.mjs');
    if (!isModuleSource(readFileSync(new URL(url), 'utf8'))) throw error;
    throw new Error(`is written as a module, which Node takes no ${ending} for; name it ${ending.replace('c', 'm')}`, {
      cause: error,
    });
  }
}

/**
 * @param {any} gate
 * @returns {{ gate: Gate, info: GateInfo }}
 */
function inspect(gate) {
  if (typeof gate !== 'object' || gate === null)
    throw new Error('the default export is no object with name and createSession');
  if (typeof gate.createSession !== 'function') throw new Error('the default export has no createSession function');
  const { name, tiers = TIERS.slice(0, 4), engine, clauses } = gate;
  if (typeof name !== 'string' || name.trim() === '') throw new Error('the name is no string, or empty');
  if (!Array.isArray(tiers) || tiers.length === 0) throw new Error(`tiers is no list of tiers (${TIERS.join(', ')})`);
  const unknown = tiers.find((tier) => !TIERS.includes(tier));
  if (unknown !== undefined) throw new Error(`tiers lists ${kindOf(unknown)}, which is none of ${TIERS.join(', ')}`);
  const info = { name, tiers: TIERS.filter((tier) => tiers.includes(tier)) };
  return {
    gate,
    info: /** @type {GateInfo} */ ({
      ...info,
      ...(engine !== undefined && { engine: inspectEngine(engine) }),
      ...(clauses !== undefined && { clauses: inspectClauses(clauses) }),
    }),
  };
}

/** @param {any} engine */
function inspectEngine(engine) {
  if (typeof engine?.name !== 'string' || typeof engine.version !== 'string') {
    throw new Error('engine is no object with a name and a version, both strings');
  }
  return { name: engine.name, version: engine.version };
}

/** @param {any} clauses */
function inspectClauses(clauses) {
  const fit = Object.entries(clauses ?? 0).every(
    ([clause, who]) => CLAUSES.includes(clause) && (who === 'native' || who === 'adapter'),
  );
  if (typeof clauses !== 'object' || clauses === null || !fit) {
    throw new Error(`clauses is no object that says "native" or "adapter" of ${CLAUSES.join(', ')}`);
  }
  return { ...clauses };
}
