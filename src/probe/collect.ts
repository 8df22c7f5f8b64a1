import type { Corpus } from '../corpus.ts';
import { policyFor } from '../policy.ts';
import type { Tier } from '../types.ts';
import { callPerTool, distinctCalls, ownCalls, type PermittedCall, SPECIAL_LITERALS, specialCall } from './literals.ts';
import {
  effectProbes,
  emptyPolicyProbe,
  literalProbe,
  otherRuleProbes,
  repeatedTargetProbes,
  targetProbes,
  toolNameProbes,
  untargetedProbes,
} from './near-misses.ts';
import { originProbes } from './origin-probes.ts';
import { createReference } from './reference.ts';
import { limitProbes, policyStateProbes, repeatProbes, sharedLimitProbes, taintProbes } from './stateful.ts';
import type { Probe } from './types.ts';

/**
 * Every probe of a tier, literals first: those of the corpus's policies, then special ones. A near miss that the policy
 * permits after all (a literal whose lower case is itself, say) is left out.
 */
export function collectProbes(corpus: Corpus, tier: Tier): Probe[] {
  const own = ownCalls(corpus, tier);
  if (tier === 'origin') return originTier(own);
  const tools = callPerTool(own);
  const misses = tier === 'effect' || tier === 'tool' ? tools : [...distinctCalls(own), ...specialCalls(tier)];
  const shared = [
    ...[...own, ...specialCalls(tier)].map(literalProbe),
    ...misses.flatMap(effectProbes),
    ...(tier === 'effect' ? [] : tools.flatMap(toolNameProbes)),
    ...tools.map(emptyPolicyProbe),
    ...policyStateProbes(misses),
  ];
  switch (tier) {
    case 'effect':
    case 'tool':
      return [...shared, ...misses.flatMap(repeatProbes)].filter(isMiss);
    case 'target':
      return [...shared, ...targetTier(misses, tier), ...misses.flatMap(repeatProbes)].filter(isMiss);
    case 'limits': {
      const sources = tools.filter(({ type }) => corpus.header.untrustedSources.includes(type));
      const limits = [...misses.flatMap(limitProbes), ...sharedLimitProbes(), ...taintProbes(sources)];
      return [...shared, ...targetTier(misses, tier), ...limits].filter(isMiss);
    }
  }
}

function specialCalls(tier: Tier): PermittedCall[] {
  return tier === 'target' || tier === 'limits' ? SPECIAL_LITERALS.map((literal) => specialCall(literal, tier)) : [];
}

function targetTier(calls: readonly PermittedCall[], tier: Tier): Probe[] {
  return [
    ...calls.flatMap(repeatedTargetProbes),
    ...calls.flatMap((call) => targetProbes(call, tier)),
    ...calls.flatMap(otherRuleProbes),
    ...calls.flatMap(untargetedProbes),
  ];
}

function originTier(own: readonly PermittedCall[]): Probe[] {
  const policy = policyFor([], 'origin', []);
  const calls = callPerTool(own).map((call) => ({ ...call, policy }));
  return [...calls.flatMap(originProbes), ...calls.map(emptyPolicyProbe)];
}

/** Classes of one near miss a session, where an expected allow means that it is none. */
function isMiss({ class: name, sessions }: Probe): boolean {
  if (NOT_MISSES.has(name)) return true;
  const { policy, actions } = sessions[0]!;
  return !createReference(policy)(actions.at(-1)!);
}

const NOT_MISSES = new Set<Probe['class']>([
  'literal',
  'origin',
  'repeat',
  'limit',
  'denied-call',
  'taint',
  'session-state',
]);
