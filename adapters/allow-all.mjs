// Control: allows everything, so it stops nothing.

/** @type {import('../src/types.ts').Gate} */
export default {
  name: 'allow-all',
  tiers: ['effect', 'tool', 'target', 'limits', 'origin'],
  createSession: () => ({ check: () => ({ allowed: true }) }),
};
