// @ts-check
// What a session has done so far: the state that engines do not keep themselves.

/** @import { Action, PolicySpec } from 'toolgate-bench' */

/**
 * What an engine is told of the session. `calls`: allowed calls of this action's tool so far. `egress`: allowed egress
 * actions since the first allowed call of an untrusted source; -1, below every limit, where that limit does not bear on the action.
 * @typedef {{ readonly calls: number, readonly egress: number }} Facts
 */

/** @type {Facts} */
const NOTHING = { calls: 0, egress: -1 };

/**
 * Counts allowed actions only: a denied one did not happen.
 * @param {PolicySpec} policy
 * @returns {{ facts(action: Action): Facts, allowed(action: Action): void }}
 */
export function trackSession(policy) {
  if (policy.tier !== 'limits') return { facts: () => NOTHING, allowed: () => {} };

  const untrusted = policy.limits?.untrustedSources ?? [];
  /** @type {Map<string, number>} */
  const calls = new Map();
  let exposed = false;
  let egress = 0;
  return {
    facts: ({ type, effect }) => ({
      calls: calls.get(type) ?? 0,
      egress: exposed && effect !== 'read' ? egress : -1,
    }),
    allowed({ type, effect }) {
      calls.set(type, (calls.get(type) ?? 0) + 1);
      if (exposed && effect !== 'read') egress++;
      if (untrusted.includes(type)) exposed = true;
    },
  };
}
