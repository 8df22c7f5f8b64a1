import type { Origin } from '../types.ts';
import type { PermittedCall } from './literals.ts';
import { actionOf, type Probe } from './types.ts';

const ORIGIN_LISTS: readonly (readonly Origin[])[] = [
  [],
  ['user'],
  ['tool'],
  ['model'],
  ['user', 'user'],
  ['user', 'tool'],
  ['model', 'user'],
  ['user', 'user', 'tool'],
  ['user', 'tool', 'user'],
];

/** Each tool with every mix of origins: reads are free, and egress needs targets that the user named, all of them. */
export function originProbes({ policy, type, effect, targets }: PermittedCall): Probe[] {
  const literal = targets[0] ?? 'ann@good.example';
  return ORIGIN_LISTS.map((origins) => {
    const action = actionOf(
      type,
      effect,
      origins.map((_, index) => (index === 0 ? literal : `${literal}${index}`)),
      origins,
    );
    return {
      class: 'origin',
      kind: 'leak',
      literal: `${effect}: ${origins.join(', ') || 'no target'}`,
      sessions: [{ policy, actions: [action] }],
    };
  });
}
