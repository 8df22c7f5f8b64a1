// The reference gate: the policy spec, taken literally. Copy it to start an adapter of your own.

/** @import { Action, Gate, Rule } from 'toolgate-bench' */

/** @type {Gate} */
export default {
  name: 'exact',
  tiers: ['effect', 'tool', 'target', 'limits', 'origin'],
  createSession(policy) {
    const { rules, limits } = policy;
    /** @type {Map<string, number>} Allowed calls per tool: a denied call did not happen. */
    const calls = new Map();
    let exposed = false;
    let egress = 0;
    return {
      check(action) {
        const rule = firstMatch(rules, action);
        if (rule === undefined) return { allowed: false, reason: 'no rule matches' };
        if (policy.tier !== 'limits') return { allowed: true };

        const called = calls.get(action.type) ?? 0;
        if (rule.maxCalls !== undefined && called >= rule.maxCalls) {
          return { allowed: false, reason: `${rule.maxCalls} calls of ${action.type} were made already` };
        }
        if (limits !== undefined && exposed && action.effect !== 'read' && egress >= limits.egressAfterUntrusted) {
          return { allowed: false, reason: `${egress} egress actions were made since untrusted text was read` };
        }
        calls.set(action.type, called + 1);
        if (exposed && action.effect !== 'read') egress++;
        if (limits?.untrustedSources.includes(action.type)) exposed = true;
        return { allowed: true };
      },
    };
  },
};

/**
 * @param {readonly Rule[]} rules
 * @param {Action} action
 */
function firstMatch(rules, action) {
  for (const rule of rules) if (matches(rule, action)) return rule;
  return undefined;
}

/**
 * Every member that the rule gives must match. A rule with `targets: []` matches actions without a target alone.
 * @param {Rule} rule
 * @param {Action} action
 */
function matches(rule, action) {
  if (rule.effect !== action.effect) return false;
  if (rule.type !== undefined && rule.type !== action.type) return false;
  if (rule.targets !== undefined && !listsAll(rule.targets, action.targets)) return false;
  return rule.origins === undefined || (action.targets.length > 0 && listsAll(rule.origins, action.origins ?? []));
}

/**
 * @param {readonly string[]} listed
 * @param {readonly string[]} found
 */
function listsAll(listed, found) {
  if (found.length === 0) return listed.length === 0;
  for (const one of found) if (!listed.includes(one)) return false;
  return true;
}
