import { type Batch, createBatch, type SessionSteps } from '../batch.ts';
import type { Action, PolicySpec } from '../types.ts';
import { createReference } from './reference.ts';
import type { Probe } from './types.ts';

/** Probes laid out for a replay, with what the reference says of every check. */
export interface ProbeBatch {
  readonly probes: readonly Probe[];
  readonly batch: Batch;
  /** Per check: 1 where the reference allows it. */
  readonly expected: Uint8Array;
  /** Per check: the index of the probe that it judges, or -1 where it only prepares. */
  readonly judges: Int32Array;
}

/** Sessions stand in the order of the probes, and a probe's sessions one after the other. */
export function createProbeBatch(probes: readonly Probe[]): ProbeBatch {
  const policies = createTable<PolicySpec>((policy) => policy);
  const actions = createTable<Action>((action) => JSON.stringify(action));
  const sessions: SessionSteps[] = [];
  const expected: number[] = [];
  const judges: number[] = [];
  probes.forEach((probe, index) => {
    for (const session of probe.sessions) {
      const permits = createReference(session.policy);
      session.actions.forEach((action, at) => {
        expected.push(Number(permits(action)));
        judges.push(at < (session.judgedFrom ?? 0) ? -1 : index);
      });
      sessions.push({
        policy: policies.indexOf(session.policy),
        steps: session.actions.map((action) => actions.indexOf(action)),
      });
    }
  });
  return {
    probes,
    batch: createBatch(policies.items, actions.items, sessions),
    expected: Uint8Array.from(expected),
    judges: Int32Array.from(judges),
  };
}

/** Gives every distinct item one index, in the order of first sight. */
function createTable<T>(keyOf: (item: T) => unknown): { readonly items: T[]; indexOf(item: T): number } {
  const items: T[] = [];
  const known = new Map<unknown, number>();
  const indexOf = (item: T): number => {
    const key = keyOf(item);
    const found = known.get(key);
    if (found !== undefined) return found;
    known.set(key, items.length);
    return items.push(item) - 1;
  };
  return { items, indexOf };
}
