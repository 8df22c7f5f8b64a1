// Control: allows everything, so it stops nothing.

/** @type {import('toolgate-bench').Gate} */
export default {
  name: 'allow-all',
  tiers: ['effect', 'tool', 'target', 'limits', 'origin'],
  createSession: () => ({ check: () => ({ allowed: true }) }),
};
