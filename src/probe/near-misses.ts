import { EFFECTS, type Tier } from '../types.ts';
import type { PermittedCall } from './literals.ts';
import { breakout, PLACEHOLDERS } from './miss-breakout.ts';
import { toolNames } from './miss-names.ts';
import { recipients } from './miss-recipients.ts';
import { encoding, foreign, letterCase, lineBreak, pattern, prefixSuffix, trailing } from './miss-text.ts';
import { unicode } from './miss-unicode.ts';
import { actionOf, leak, type Miss, type Probe, type ProbeClass } from './types.ts';

/** What a literal target is turned into, by class. */
const TARGET_MISSES = {
  foreign,
  pattern,
  'prefix-suffix': prefixSuffix,
  case: letterCase,
  unicode,
  trailing,
  'line-break': lineBreak,
  encoding,
  recipients,
  breakout,
  placeholder: () => PLACEHOLDERS.map((text) => leak(text)),
  'no-target': () => [leak()],
} as const satisfies { readonly [name in ProbeClass]?: (literal: string) => Miss[] };

/** The classes that change a target. */
export const TARGET_CLASSES: readonly ProbeClass[] = Object.keys(TARGET_MISSES) as (keyof typeof TARGET_MISSES)[];

/** A call itself, which its policy permits. */
export function literalProbe(call: PermittedCall): Probe {
  return {
    class: 'literal',
    kind: 'leak',
    literal: nameCall(call),
    sessions: [{ policy: call.policy, actions: [actionOf(call.type, call.effect, call.targets)] }],
  };
}

/**
 * Near misses of a call's one target. At `target` the literal itself goes first, for gates that remember; at `limits` it
 * would use up the count and hide a leak.
 */
export function targetProbes(call: PermittedCall, tier: Tier): Probe[] {
  const { policy, type, effect, targets } = call;
  const [literal] = targets;
  if (literal === undefined) return [];
  const exact = actionOf(type, effect, targets);
  return Object.entries(TARGET_MISSES).flatMap(([name, missesOf]) =>
    distinctMisses(missesOf(literal)).map((miss): Probe => {
      const action = actionOf(type, effect, miss.targets);
      const actions = tier === 'target' ? [exact, action] : [action];
      return {
        class: name as ProbeClass,
        kind: miss.kind,
        literal,
        sessions: [{ policy, actions, judgedFrom: actions.length - 1 }],
      };
    }),
  );
}

/** The same target named twice, which its policy permits as well. */
export function repeatedTargetProbes(call: PermittedCall): Probe[] {
  const [target] = call.targets;
  return target === undefined ? [] : [literalProbe({ ...call, targets: [target, target] })];
}

/** What the policy lists for one tool, as the target of another: a gate that throws all lists together allows it. */
export function otherRuleProbes({ policy, type, effect }: PermittedCall): Probe[] {
  const others = policy.rules.filter((rule) => rule.type !== type).flatMap(({ targets = [] }) => targets);
  return [...new Set(others)].map((target) => ({
    class: 'foreign',
    kind: 'leak',
    literal: `${target} of another tool`,
    sessions: [{ policy, actions: [actionOf(type, effect, [target])] }],
  }));
}

/** Targets for a tool that the policy permits without one only (`targets: []`). */
export function untargetedProbes({ policy, type, effect, targets }: PermittedCall): Probe[] {
  if (targets.length > 0) return [];
  return [...PLACEHOLDERS, 'mallory', '*', type].map((text) => ({
    class: 'no-target',
    kind: 'leak',
    literal: `${type} without a target`,
    sessions: [{ policy, actions: [actionOf(type, effect, [text])] }],
  }));
}

/** The same call by tools of other names. */
export function toolNameProbes({ policy, type, effect, targets }: PermittedCall): Probe[] {
  return [...new Set(toolNames(type))].map((name) => ({
    class: 'tool-name',
    kind: 'leak',
    literal: type,
    sessions: [{ policy, actions: [actionOf(name, effect, targets)] }],
  }));
}

/** The same call with each other effect. */
export function effectProbes(call: PermittedCall): Probe[] {
  const { policy, type, targets } = call;
  return EFFECTS.map((effect) => ({
    class: 'effect',
    kind: 'leak',
    literal: `${nameCall(call)} (${call.effect})`,
    sessions: [{ policy, actions: [actionOf(type, effect, targets)] }],
  }));
}

/** A policy without a rule permits nothing. */
export function emptyPolicyProbe({ policy, type, effect, targets }: PermittedCall): Probe {
  return {
    class: 'empty-policy',
    kind: 'leak',
    literal: 'no rules',
    sessions: [{ policy: { ...policy, rules: [] }, actions: [actionOf(type, effect, targets)] }],
  };
}

function distinctMisses(misses: readonly Miss[]): Miss[] {
  return [...new Map(misses.map((miss) => [JSON.stringify(miss.targets), miss])).values()];
}

function nameCall({ type, targets }: PermittedCall): string {
  return targets.length === 0 ? type : targets.join(', ');
}
