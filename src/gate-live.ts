import { CHECK } from './batch.ts';
import type { Answer, GateThread } from './gate-thread.ts';
import type { Reply, Request } from './thread/messages.ts';
import type { Action, PolicySpec } from './types.ts';

/** What a gate said of one call. An `error` is neither an allow nor a deny. */
export interface LiveVerdict {
  readonly verdict: 'allow' | 'deny' | 'error';
  /** The gate's reason, or what went wrong; null: none given. Text from outside. */
  readonly note: string | null;
}

/** A gate's session that is asked call by call. */
export interface LiveSession {
  check(action: Action): Promise<LiveVerdict>;
  /** @returns what went wrong, or null */
  close(): Promise<string | null>;
}

/** A session that could not be opened: every check says why. */
export function failedSession(note: string): LiveSession {
  return { check: async () => ({ verdict: 'error', note }), close: async () => null };
}

/** A thread answers one request at a time; those of several sessions stand in line. */
const lines = new WeakMap<GateThread, Promise<unknown>>();

async function inTurn<T>(thread: GateThread, work: () => Promise<T>): Promise<T> {
  const turn = (lines.get(thread) ?? Promise.resolve()).then(work);
  lines.set(thread, turn);
  return turn;
}

/** Opens a session in a gate's thread; when that fails every check says so. */
export async function openLive(
  thread: GateThread,
  gate: number,
  policy: PolicySpec,
  timeoutMs: number,
): Promise<LiveSession> {
  const ask = async (request: Request): Promise<Reply | string> =>
    inTurn(thread, async () => {
      if (!thread.usable) return 'the gate hung or ended its thread before';
      const memory = { verdicts: new SharedArrayBuffer(0), calls: new SharedArrayBuffer(4) };
      return replyOf(await thread.ask(request, memory, timeoutMs, () => {}));
    });
  const opened = await ask({ kind: 'open', gate, policy });
  if (typeof opened === 'string' || opened.kind !== 'opened') {
    const note = typeof opened === 'string' ? opened : 'message' in opened ? opened.message : 'could not be opened';
    return failedSession(note);
  }
  const { session } = opened;
  return {
    check: async (action) => {
      const reply = await ask({ kind: 'check', session, action });
      if (typeof reply === 'string') return { verdict: 'error', note: reply };
      if (reply.kind !== 'checked') return { verdict: 'error', note: 'no verdict' };
      return { verdict: nameOfVerdict(reply.verdict), note: reply.note };
    },
    close: async () => {
      const reply = await ask({ kind: 'close', session });
      return typeof reply === 'string' ? reply : reply.kind === 'failed' ? reply.message : null;
    },
  };
}

/** The name of a byte of `CHECK`. */
export function nameOfVerdict(verdict: number): LiveVerdict['verdict'] {
  if (verdict === CHECK.allow) return 'allow';
  return verdict === CHECK.deny ? 'deny' : 'error';
}

function replyOf(answer: Answer): Reply | string {
  if (answer.kind === 'reply') return answer.reply;
  if (answer.kind === 'timeout') return `did not answer within ${answer.limitMs} ms`;
  return answer.kind === 'died' ? answer.message : 'interrupted';
}
