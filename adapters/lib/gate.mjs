// @ts-check
// What every adapter of an engine has in common.

import { trackSession } from './state.mjs';

/** @import { Action, Clause, Gate, PolicySpec, Session, Tier, Verdict } from 'toolgate-bench' */
/** @import { Facts } from './state.mjs' */

/**
 * An engine as an adapter sees it. `Compiled` is a policy in the engine's own form.
 * @template Compiled
 * @typedef {{
 *   name: string,
 *   tiers: readonly Tier[],
 *   engine: { name: string, version: string },
 *   clauses: { readonly [clause in Clause]?: 'native' | 'adapter' },
 *   compile: (policy: PolicySpec) => Compiled | Promise<Compiled>,
 *   open?: (compiled: Compiled) => Compiled,
 *   ask: (compiled: Compiled, action: Action, facts: Facts) => boolean | Promise<boolean>,
 *   asynchronous?: boolean,
 * }} EngineParts
 * `compile` is called once per policy, `open` once per session of an engine that keeps state of its own, `ask` once per check.
 */

/** @type {Verdict} */
const ALLOW = Object.freeze({ allowed: true });

/**
 * @template Compiled
 * @param {EngineParts<Compiled>} parts
 * @returns {Gate}
 */
export function engineGate({ name, tiers, engine, clauses, compile, open = (same) => same, ask, asynchronous }) {
  /** @type {WeakMap<PolicySpec, Compiled | Promise<Compiled>>} Policies are the same frozen objects all through a run. */
  const cache = new WeakMap();
  const deny = Object.freeze({ allowed: false, reason: `${engine.name} does not permit it` });
  const openSession = asynchronous ? queuedSession : syncSession;

  /**
   * @param {PolicySpec} policy
   * @param {Compiled} compiled
   */
  function session(policy, compiled) {
    const own = open(compiled);
    return openSession(policy, (action, facts) => ask(own, action, facts), deny);
  }

  return {
    name,
    tiers,
    engine,
    clauses,
    createSession(policy) {
      const ready = cache.get(policy) ?? compile(policy);
      cache.set(policy, ready);
      return ready instanceof Promise ? ready.then((compiled) => session(policy, compiled)) : session(policy, ready);
    },
  };
}

/**
 * @param {PolicySpec} policy
 * @param {(action: Action, facts: Facts) => boolean | Promise<boolean>} ask
 * @param {Verdict} deny
 * @returns {Session}
 */
function syncSession(policy, ask, deny) {
  const state = trackSession(policy);
  return {
    check(action) {
      if (ask(action, state.facts(action)) !== true) return deny;
      state.allowed(action);
      return ALLOW;
    },
  };
}

/**
 * Checks wait for one another, so that a count is up to date when the next check reads it.
 * @param {PolicySpec} policy
 * @param {(action: Action, facts: Facts) => boolean | Promise<boolean>} ask
 * @param {Verdict} deny
 * @returns {Session}
 */
function queuedSession(policy, ask, deny) {
  const state = trackSession(policy);
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  /** @param {Action} action */
  async function settle(action) {
    if (!(await ask(action, state.facts(action)))) return deny;
    state.allowed(action);
    return ALLOW;
  }
  return {
    check(action) {
      const mine = last.then(() => settle(action));
      last = mine.catch(() => {});
      return mine;
    },
  };
}
