// @ts-check
// The rules of a policy spec, spelled out for engines that take plain data.

/** @import { Action, Effect, Origin, PolicySpec, Rule } from 'toolgate-bench' */

/** Above every count; exact in every engine's numbers. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/**
 * A rule without optional members. `targeting`: `any`, whatever the targets; `none`, only actions without a target; `some`, at
 * least one target, whichever; `listed`, at least one and every one in `targets`. A rule allows while `calls` < `maxCalls` and
 * `egress` < `maxEgress` (see state.mjs).
 * @typedef {{
 *   effect: Effect, anyTool: boolean, tool: string,
 *   targeting: 'any' | 'none' | 'some' | 'listed', targets: readonly string[],
 *   anyOrigin: boolean, origins: readonly Origin[],
 *   maxCalls: number, maxEgress: number,
 * }} PlainRule
 */

/**
 * Every rule that can match at all.
 * @param {PolicySpec} policy
 * @returns {PlainRule[]}
 */
export function plainRules(policy) {
  const limited = policy.tier === 'limits';
  const maxEgress = (limited ? policy.limits?.egressAfterUntrusted : undefined) ?? UNLIMITED;
  return policy.rules
    .filter(({ targets, origins }) => origins === undefined || (origins.length > 0 && targets?.length !== 0))
    .map((rule) => ({
      effect: rule.effect,
      anyTool: rule.type === undefined,
      tool: rule.type ?? '',
      targeting: targetingOf(rule),
      targets: rule.targets ?? [],
      anyOrigin: rule.origins === undefined,
      origins: rule.origins ?? [],
      maxCalls: (limited ? rule.maxCalls : undefined) ?? UNLIMITED,
      maxEgress,
    }));
}

/** @param {Rule} rule */
function targetingOf({ targets, origins }) {
  if (targets === undefined) return origins === undefined ? 'any' : 'some';
  return targets.length === 0 ? 'none' : 'listed';
}

/**
 * Splits rules into groups for engines that are asked once per target: an action is permitted when some group permits every
 * target of it. One group would let one rule permit the first target and another rule the second; so two rules that could
 * share an action between them in this way never share a group. Real policies have one rule with targets per tool, and one group.
 * @param {readonly PlainRule[]} rules
 * @returns {PlainRule[][]}
 */
export function groupRules(rules) {
  /** @type {PlainRule[][]} */
  const groups = [];
  for (const rule of rules) {
    const home = groups.find((group) => !group.some((other) => couldShare(rule, other)));
    if (home) home.push(rule);
    else groups.push([rule]);
  }
  return groups;
}

/**
 * @param {PlainRule} a
 * @param {PlainRule} b
 */
function couldShare(a, b) {
  return isSelective(a) && isSelective(b) && a.effect === b.effect && (a.anyTool || b.anyTool || a.tool === b.tool);
}

/**
 * Whether the rule may permit one target of an action and not another.
 * @param {PlainRule} rule
 */
function isSelective({ targeting }) {
  return targeting === 'listed' || targeting === 'some';
}

/**
 * One target of an action, for engines that are asked once per target. `targeted` is false, and the texts are empty, for an
 * action without a target. A target without an origin has the origin `''`, which no rule lists.
 * @typedef {{ targeted: boolean, target: string, origin: 'user' | 'tool' | 'model' | '' }} Facet
 */

/** @type {readonly Facet[]} */
const NO_TARGET = [{ targeted: false, target: '', origin: '' }];

/**
 * The questions that an action comes down to: never none.
 * @param {Pick<Action, 'targets' | 'origins'>} action
 * @returns {readonly Facet[]}
 */
export function facets({ targets, origins }) {
  if (targets.length === 0) return NO_TARGET;
  return targets.map((target, index) => ({ targeted: true, target, origin: origins?.[index] ?? '' }));
}

/**
 * Whether some group permits every facet.
 * @param {number} groups how many there are
 * @param {readonly Facet[]} asked
 * @param {(group: number, facet: Facet) => boolean} ask
 */
export function someGroupPermits(groups, asked, ask) {
  for (let group = 0; group < groups; group++) {
    if (asked.every((facet) => ask(group, facet))) return true;
  }
  return false;
}
