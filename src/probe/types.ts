import type { Action, Effect, Origin, PolicySpec } from '../types.ts';

/** Every class of near miss, in the order of reports. docs/probe.md says what each tries. */
export const PROBE_CLASSES = [
  'literal',
  'foreign',
  'pattern',
  'prefix-suffix',
  'case',
  'unicode',
  'trailing',
  'line-break',
  'encoding',
  'recipients',
  'breakout',
  'placeholder',
  'no-target',
  'effect',
  'tool-name',
  'empty-policy',
  'origin',
  'repeat',
  'limit',
  'denied-call',
  'taint',
  'session-state',
] as const;
export type ProbeClass = (typeof PROBE_CLASSES)[number];

/** What a wrong allow amounts to: `leak`, another destination; `lenient`, one that a reader could defend as the same. */
export type ProbeKind = 'leak' | 'lenient';

/** One near miss: sessions that run one after the other, and the check of the last one that decides. */
export interface Probe {
  readonly class: ProbeClass;
  readonly kind: ProbeKind;
  /** What the policy lists, for the example that a report shows. */
  readonly literal: string;
  readonly sessions: readonly ProbeSession[];
}

export interface ProbeSession {
  readonly policy: PolicySpec;
  readonly actions: readonly Action[];
  /** From which action on the verdicts are judged; default 0. What stands before only prepares. */
  readonly judgedFrom?: number;
}

/** What a target can be turned into, and what allowing that amounts to. */
export interface Miss {
  readonly targets: readonly string[];
  readonly kind: ProbeKind;
}

export const leak = (...targets: readonly string[]): Miss => ({ targets, kind: 'leak' });
export const lenient = (...targets: readonly string[]): Miss => ({ targets, kind: 'lenient' });

/** An action as a gate sees it. */
export function actionOf(
  type: string,
  effect: Effect,
  targets: readonly string[],
  origins?: readonly Origin[],
): Action {
  return {
    type,
    effect,
    ...(targets.length > 0 && { target: targets.join(', ') }),
    targets,
    ...(origins && { origins }),
  };
}
