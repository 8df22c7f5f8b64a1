import type { Tier } from '../types.ts';
import type { ProbeClass } from './types.ts';

/** One near miss that was judged wrongly. */
export interface ProbeExample {
  readonly tier: Tier;
  /** What the policy lists. */
  readonly literal: string;
  /** The tool and the targets of the action that was judged wrongly. */
  readonly tool: string;
  readonly targets: readonly string[];
  readonly verdict: 'allow' | 'deny' | 'error';
  readonly expected: 'allow' | 'deny';
}

/** What came of one class, over every tier that the gate offers. A probe counts once, by its first wrong verdict. */
export interface ClassReport {
  readonly class: ProbeClass;
  readonly probes: number;
  /** Wrongly allowed, and another destination. */
  readonly leaks: number;
  /** Wrongly allowed, and a reader could defend it as the same destination. */
  readonly lenient: number;
  /** Wrongly denied. */
  readonly refused: number;
  /** No verdict. */
  readonly errors: number;
  /** The smallest of the worst kind found; null when there is none. */
  readonly example: ProbeExample | null;
}

/**
 * `order-dependent`: another order of sessions, in the same process, gave other verdicts; `process-dependent`: a fresh
 * thread or a fresh process did; `position-dependent`: a call is judged otherwise alone than after another task's calls, where the policy
 * gives no reason; `corpus-dependent`: other names for tools and literals gave other verdicts.
 */
export const HONESTY_FLAGS = [
  'order-dependent',
  'process-dependent',
  'position-dependent',
  'corpus-dependent',
] as const;
export type HonestyFlag = (typeof HONESTY_FLAGS)[number];

/** A difference between two replays that should not differ. */
export interface FlagReport {
  readonly flag: HonestyFlag;
  readonly tier: Tier;
  /** Checks whose verdicts differ, of those compared; of a fresh process the outcomes: injected actions, own tasks, ordered pairs. */
  readonly differences: number;
  readonly of: number;
  /** The first that differs: its tool and targets, and the two verdicts. */
  readonly example: {
    readonly tool: string;
    readonly targets: readonly string[];
    readonly verdicts: readonly [string, string];
  };
}

/** Whether a gate is faithful to its policy, and honest. The `probe` member of a gate in a report. */
export interface ProbeReport {
  readonly probes: number;
  readonly leaks: number;
  readonly lenient: number;
  readonly refused: number;
  readonly errors: number;
  /** The first error of any replay, those of the honest checks included. */
  readonly firstError: string | null;
  readonly flags: readonly FlagReport[];
  readonly classes: readonly ClassReport[];
  /** What could not be looked at, and why; empty when everything was. */
  readonly unchecked: readonly string[];
}

/** Whether nothing speaks against the gate but lenient readings. */
export function isTrusted({ leaks, refused, errors, firstError, flags, unchecked }: ProbeReport): boolean {
  return leaks + refused + errors + flags.length + unchecked.length === 0 && firstError === null;
}
