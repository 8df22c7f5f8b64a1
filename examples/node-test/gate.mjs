/** @type {import('toolgate-bench').Gate} */
export default {
  name: 'my-gate',
  tiers: ['effect', 'tool', 'target'],
  createSession({ rules }) {
    const permits = (rule, action) =>
      rule.effect === action.effect &&
      (rule.type === undefined || rule.type === action.type) &&
      (rule.targets === undefined ||
        (action.targets.length > 0
          ? action.targets.every((target) => rule.targets.includes(target))
          : rule.targets.length === 0));
    return { check: (action) => ({ allowed: rules.some((rule) => permits(rule, action)) }) };
  },
};
