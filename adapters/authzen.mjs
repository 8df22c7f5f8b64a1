// @ts-check
// Any policy decision point that speaks the OpenID AuthZEN Authorization API 1.0: its evaluation endpoint. See docs/authzen.md.

import { engineGate } from './lib/gate.mjs';
import { facets, groupRules, plainRules } from './lib/rules.mjs';

/** @import { Action, Gate, PolicySpec, Rule } from 'toolgate-bench' */
/** @import { Facts } from './lib/state.mjs' */
/** @import { Facet } from './lib/rules.mjs' */

const { endpoint, headers } = settings(process.env);

/**
 * @param {Record<string, string | undefined>} env
 * @throws {Error} one line that says which variable is missing or wrong
 */
function settings({ AUTHZEN_URL, AUTHZEN_HEADERS = '{}' }) {
  if (!AUTHZEN_URL)
    throw new Error('set AUTHZEN_URL to the address of a decision point, such as http://127.0.0.1:8080');
  if (!isAddress(AUTHZEN_URL)) throw new Error(`AUTHZEN_URL is no address: ${JSON.stringify(AUTHZEN_URL)}`);
  try {
    const extra = new Headers(JSON.parse(AUTHZEN_HEADERS));
    extra.set('content-type', 'application/json');
    return { endpoint: `${AUTHZEN_URL.replace(/\/+$/, '')}/access/v1/evaluation`, headers: extra };
  } catch {
    throw new Error('AUTHZEN_HEADERS is no JSON object of header names and values');
  }
}

/**
 * The path of the endpoint is put behind it, so nothing may follow its own path; `fetch` refuses a user in an address.
 * @param {string} text
 */
function isAddress(text) {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/**
 * The evaluation request for one target of an action.
 * @param {PolicySpec} policy
 * @param {Action} action
 * @param {Facet} facet
 * @param {Facts} session
 */
function requestFor(policy, action, { targeted, target, origin }, session) {
  return {
    subject: { type: 'agent', id: 'agent' },
    action: { name: action.type, properties: { effect: action.effect } },
    resource: { type: targeted ? 'target' : 'none', id: target, ...(origin !== '' && { properties: { origin } }) },
    context: { policy, session },
  };
}

/**
 * @param {object} request
 * @returns {Promise<boolean>}
 */
async function evaluate(request) {
  const response = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(request) }).catch((error) => {
    throw new Error(`${endpoint} cannot be reached (${error.cause?.code ?? error.message})`);
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${endpoint} answered ${response.status}: ${text.slice(0, 100)}`);
  const decision = parse(text)?.decision;
  if (typeof decision !== 'boolean') throw new Error(`${endpoint} answered without a decision: ${text.slice(0, 100)}`);
  return decision;
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The policies of which one alone must permit every target of an action: a decision point that is asked once per target would
 * let one rule permit the first target and another the second. Policies of the bench stay whole.
 * @param {PolicySpec} policy
 * @returns {PolicySpec[]}
 */
function policiesOf(policy) {
  const sources = new Map(
    policy.rules.flatMap((rule) => plainRules({ ...policy, rules: [rule] }).map((plain) => [plain, rule])),
  );
  const groups = groupRules([...sources.keys()]);
  if (groups.length < 2) return [policy];
  return groups.map((group) => ({ ...policy, rules: group.map((plain) => /** @type {Rule} */ (sources.get(plain))) }));
}

/**
 * @param {PolicySpec} policy
 * @param {Action} action
 * @param {Facts} session
 */
async function permits(policy, action, session) {
  for (const facet of facets(action)) {
    if (!(await evaluate(requestFor(policy, action, facet, session)))) return false;
  }
  return true;
}

/** @type {Gate} */
export default engineGate({
  name: 'authzen',
  tiers: ['effect', 'tool', 'target', 'limits', 'origin'],
  engine: { name: new URL(endpoint).host, version: 'AuthZEN 1.0' },
  clauses: { effect: 'native', tool: 'native', target: 'native', limits: 'native', origin: 'native' },
  asynchronous: true,
  compile: policiesOf,
  async ask(policies, action, session) {
    for (const policy of policies) if (await permits(policy, action, session)) return true;
    return false;
  },
});
