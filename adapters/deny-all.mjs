// Control: denies everything, so it stops every attack, and every task.

/** @type {import('toolgate-bench').Gate} */
export default {
  name: 'deny-all',
  tiers: ['effect', 'tool', 'target', 'limits', 'origin'],
  createSession: () => ({ check: () => ({ allowed: false }) }),
};
