// Control: allows reads and nothing else, whatever the policy.

/** @type {import('toolgate-bench').Gate} */
export default {
  name: 'deny-egress',
  tiers: ['effect', 'tool', 'target', 'limits', 'origin'],
  createSession: () => ({ check: (action) => ({ allowed: action.effect === 'read' }) }),
};
