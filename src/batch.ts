import type { GroundTruthAction } from './corpus.ts';
import type { Action, Origin, PolicySpec, Tier } from './types.ts';

/**
 * Sessions to run through a gate, as plain data that crosses to the gate's thread. A **check** is one call of a gate's
 * `check`; checks are numbered over the whole batch, session after session.
 */
export interface Batch {
  readonly policies: readonly PolicySpec[];
  /** Each distinct action once: two equal actions are one object to the gate, whoever asked for them. */
  readonly actions: readonly Action[];
  /** Per session: the index of its policy. */
  readonly sessionPolicy: Uint32Array;
  /** Per session: the number of its first check; one more element holds the number of checks. */
  readonly starts: Uint32Array;
  /** Per check: the index of its action. */
  readonly steps: Uint32Array;
  /** The order in which the sessions run. */
  readonly order: Uint32Array;
}

/** What became of a check, as a byte: not reached, allowed, denied, a gate error, or without a session to ask. */
export const CHECK = { notReached: 0, allow: 1, deny: 2, error: 3, noSession: 4 } as const;

/** Gives every distinct action one index, in the order of first sight. */
export interface ActionTable {
  readonly actions: Action[];
  indexOf(action: GroundTruthAction, origins?: readonly Origin[]): number;
}

/** A table of the actions of one tier, as a gate sees them: with origins at `origin`, without them elsewhere. */
export function createActionTable(tier: Tier): ActionTable {
  const actions: Action[] = [];
  const known = new Map<string, number>();
  const indexOf = ({ type, effect, targets, origins }: GroundTruthAction, pairOrigins = origins): number => {
    const shown = tier === 'origin' ? pairOrigins : undefined;
    const key = JSON.stringify([type, effect, targets, shown]);
    const found = known.get(key);
    if (found !== undefined) return found;
    known.set(key, actions.length);
    actions.push({
      type,
      effect,
      ...(targets.length > 0 && { target: targets.join(', ') }),
      targets,
      ...(shown && { origins: shown }),
    });
    return actions.length - 1;
  };
  return { actions, indexOf };
}

/** One session of a batch under construction. */
export interface SessionSteps {
  readonly policy: number;
  readonly steps: readonly number[];
}

/** Lays sessions out as a batch; `order` defaults to the order given. */
export function createBatch(
  policies: readonly PolicySpec[],
  actions: readonly Action[],
  sessions: readonly SessionSteps[],
  order: Uint32Array = Uint32Array.from(sessions.keys()),
): Batch {
  const starts = new Uint32Array(sessions.length + 1);
  sessions.forEach((session, index) => {
    starts[index + 1] = starts[index]! + session.steps.length;
  });
  const steps = new Uint32Array(starts[sessions.length]!);
  sessions.forEach((session, index) => steps.set(session.steps, starts[index]));
  return {
    policies,
    actions,
    sessionPolicy: Uint32Array.from(sessions, (session) => session.policy),
    starts,
    steps,
    order,
  };
}
