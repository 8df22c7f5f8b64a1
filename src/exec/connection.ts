import type { ThreadOptions } from '../gate-thread.ts';
import { startChild } from './child.ts';
import { type ExecReply, type ExecRequest, parseReply } from './protocol.ts';

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

/** Requests to a command, and their answers in whatever order they come. Once it has failed it stays failed. */
export interface Connection {
  /** Why the connection failed, with the command's last words; null while it works. */
  readonly failure: string | null;
  /** Null when the connection failed before the answer came. */
  readonly ask: (request: WithoutId<ExecRequest>, limitMs?: number) => Promise<ExecReply | null>;
  readonly end: () => Promise<void>;
}

interface Pending {
  readonly resolve: (reply: ExecReply | null) => void;
  readonly sentAt: number;
  readonly limitMs: number;
  readonly what: string;
}

/** How often late answers are looked for, in milliseconds. */
const LOOK_MS = 25;
/** When looks are further apart, the bench itself was held up. */
const STALL_MS = 4 * LOOK_MS;

export function connect(command: string, { onOutput, signal }: ThreadOptions): Connection {
  const pending = new Map<number, Pending>();
  let failure: string | null = null;
  let nextId = 0;
  let outbox: string[] = [];
  let lastAnswerAt = 0;
  let lookedAt = performance.now();

  const fail = (why: string): void => {
    if (failure !== null) return;
    const words = child.lastWords();
    failure = words === '' ? why : `${why}; its last words: ${words}`;
    clearInterval(clock);
    signal?.removeEventListener('abort', interrupt);
    child.kill();
    for (const { resolve } of pending.values()) resolve(null);
    pending.clear();
  };
  const interrupt = (): void => fail('interrupted');

  const child = startChild(command, {
    onStderr: onOutput,
    onFlood: () => fail('wrote a line without an end'),
    onLine: (line) => {
      if (failure !== null) return;
      const reply = parseReply(line);
      if (typeof reply === 'string') return fail(reply);
      const asked = pending.get(reply.id);
      if (asked === undefined) {
        return fail(
          reply.id >= 0 && reply.id < nextId
            ? `answered request ${reply.id} twice`
            : `answered request ${reply.id}, which nobody made`,
        );
      }
      pending.delete(reply.id);
      lastAnswerAt = performance.now();
      asked.resolve(reply);
    },
  });
  void child.gone.then((how) => fail(`the command ${how}`));
  signal?.addEventListener('abort', interrupt);

  const clock = setInterval(() => {
    const now = performance.now();
    // Answers may lie in the pipe that the bench was too busy to read: its own time is none of the command's.
    if (now - lookedAt > STALL_MS) lastAnswerAt = now;
    lookedAt = now;
    // Requests stand in the order in which they were sent, so the first is the oldest. While others are answered it may only
    // wait its turn: as many are in flight as the bench likes, and that is no fault of the command.
    for (const { sentAt, limitMs, what } of pending.values()) {
      if (now - Math.max(sentAt, lastAnswerAt) > limitMs) return fail(`${what} was not answered within ${limitMs} ms`);
      if (limitMs < Infinity) break;
    }
  }, LOOK_MS);
  if (signal?.aborted) interrupt();

  /** What is asked within one turn of the event loop leaves in one write. */
  const post = (line: string): void => {
    if (outbox.push(line) > 1) return;
    setImmediate(() => {
      child.send(outbox.join(''));
      outbox = [];
    });
  };
  return {
    get failure() {
      return failure;
    },
    ask: (request, limitMs = Infinity) =>
      new Promise((resolve) => {
        if (failure !== null) return resolve(null);
        const id = nextId++;
        pending.set(id, { resolve, sentAt: performance.now(), limitMs, what: request.type });
        post(`${JSON.stringify({ id, ...request })}\n`);
      }),
    end: async () => {
      const working = failure === null;
      failure ??= 'ended';
      clearInterval(clock);
      signal?.removeEventListener('abort', interrupt);
      if (working) await child.end();
      else child.kill();
    },
  };
}
