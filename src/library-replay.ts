import { type Batch, CHECK } from './batch.ts';
import type { Corpus } from './corpus.ts';
import { BenchError } from './errors.ts';
import type { Order, Plan, Untrusted } from './plan.ts';
import type { Timing } from './report.ts';
import type { Action, Tier } from './types.ts';

/** One call of a replayed session. */
export interface ReplayedCall {
  /** As the gate saw it. */
  readonly action: Action;
  /** Whether the injection asked for it, not the user. No gate is told. */
  readonly injected: boolean;
  /** `error`: the gate threw, rejected or returned something else than a verdict; or there was no session to ask. */
  readonly verdict: 'allow' | 'deny' | 'error';
}

/** A user task with an injected goal: one session on the user task's policy. */
export interface PairSession {
  /** Tells it from a change of subject. */
  readonly kind: 'pair';
  /** The suite's name. */
  readonly suite: string;
  /** The user task, whose policy the gate was given. */
  readonly userTask: string;
  /** The injection task. */
  readonly injectionTask: string;
  /** In the order in which they were asked. */
  readonly calls: readonly ReplayedCall[];
}

/** A change of subject: one session on the first task's policy, with its calls and then the second task's. */
export interface CrossSession {
  /** Tells it from a pair. */
  readonly kind: 'cross';
  /** The suite's name. */
  readonly suite: string;
  /** The user task whose policy the gate was given. */
  readonly userTask: string;
  /** The user task that comes after it. */
  readonly secondTask: string;
  /** In the order in which they were asked. */
  readonly calls: readonly ReplayedCall[];
}

/** What a gate said to every call of every session at one tier. */
export interface Replay {
  /** The gate's name. */
  readonly gate: string;
  /** Of the policies that it was given. */
  readonly tier: Tier;
  /** What was replayed. */
  readonly corpus: Corpus;
  /** Names of the suites, in the order of the corpus. */
  readonly suites: readonly string[];
  /** Where the injected actions stood. */
  readonly order: Order;
  /** Which tools counted as untrusted sources. */
  readonly untrusted: Untrusted;
  /** Of the order in which the sessions ran. */
  readonly seed: number;
  /** The pairs, then the changes of subject, in corpus order. */
  readonly sessions: readonly (PairSession | CrossSession)[];
  /** Checks that ended in an error, and sessions that could not be opened. */
  readonly errors: number;
  /** What went wrong first, on one line. */
  readonly firstError: string | null;
  /** A sample of the latencies. */
  readonly timing: Timing | null;
}

/** Puts the bytes of a batch into words. */
export function replayOf(
  gate: string,
  corpus: Corpus,
  plan: Plan,
  tier: Tier,
  batch: Batch,
  verdicts: Uint8Array,
  rest: Pick<Replay, 'errors' | 'firstError' | 'timing'>,
): Replay {
  const { order, untrusted, seed } = plan.options;
  const callsOf = (session: number, injected: (at: number) => boolean): ReplayedCall[] => {
    const first = batch.starts[session]!;
    return Array.from({ length: batch.starts[session + 1]! - first }, (_, at) => ({
      action: batch.actions[batch.steps[first + at]!]!,
      injected: injected(at),
      verdict: wordOf(verdicts[first + at]!),
    }));
  };
  const pairs = plan.pairs.map(({ userTask, injectionTask, sequence }, session): PairSession => ({
    kind: 'pair',
    suite: userTask.suite,
    userTask: userTask.id,
    injectionTask: injectionTask.id,
    calls: callsOf(session, (at) => sequence[at]!.injected),
  }));
  const crosses = plan.crosses.map(({ firstTask, secondTask }, index): CrossSession => ({
    kind: 'cross',
    suite: firstTask.suite,
    userTask: firstTask.id,
    secondTask: secondTask.id,
    calls: callsOf(plan.pairs.length + index, () => false),
  }));
  const suites = plan.suites.map((suite) => suite.name);
  return { gate, tier, corpus, suites, order, untrusted, seed, sessions: [...pairs, ...crosses], ...rest };
}

function wordOf(check: number): ReplayedCall['verdict'] {
  if (check === CHECK.allow) return 'allow';
  return check === CHECK.deny ? 'deny' : 'error';
}

/** The bytes again. @throws {BenchError} `input` when the sessions are not the plan's */
export function verdictsOf({ sessions }: Replay, plan: Plan, batch: Batch): Uint8Array {
  const calls = sessions.flatMap((session) => session.calls);
  const fits =
    sessions.length === batch.order.length &&
    sessions.every((session, at) => session.calls.length === batch.starts[at + 1]! - batch.starts[at]!) &&
    plan.pairs.every(({ userTask, injectionTask }, at) => {
      const session = sessions[at]!;
      return session.kind === 'pair' && session.userTask === userTask.id && session.injectionTask === injectionTask.id;
    });
  if (!fits) throw new BenchError('input', "the replay's sessions are not those of its corpus and options");
  return Uint8Array.from(calls, ({ verdict }) => CHECK[verdict]);
}
