import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Batch } from './batch.ts';
import { messageOf } from './errors.ts';
import { patienceMs } from './patience.ts';
import type { Envelope, HeapLimit, Reply, Request } from './thread/messages.ts';

/** What bounds a gate. */
export interface GateLimits {
  /** One call of the gate, in milliseconds; see `patienceMs` for what is no call. */
  readonly timeoutMs: number;
  /** JavaScript heap of a gate's thread between two calls, in MB. */
  readonly memoryMb: number;
}

/** How a request to a gate's thread ended: with its reply, or without. */
export type Answer =
  | { readonly kind: 'reply'; readonly reply: Exclude<Reply, Note> }
  /** `call` is the number that stood in `calls` when the thread was given up, after so many milliseconds; 0: no call was under way. */
  | { readonly kind: 'timeout'; readonly call: number; readonly limitMs: number }
  | { readonly kind: 'died'; readonly message: string }
  | { readonly kind: 'interrupted' };

/** What runs gates, seen from the bench: a thread, or the bench itself for its own. Once it timed out or died it is of no more use. */
export interface GateThread {
  readonly usable: boolean;
  /** The batches that the thread has; a batch's number is its place. */
  readonly batches: Batch[];
  /** One request at a time. `onNote` gets the first error and the first warning as they happen. */
  ask(request: Request, memory: SharedMemory, limitMs: number, onNote: (note: Note) => void): Promise<Answer>;
  end(): Promise<void>;
}

export type Note = Extract<Reply, { kind: 'error' | 'warning' }>;
export type SharedMemory = Pick<Envelope, 'verdicts' | 'calls'>;

export interface ThreadOptions {
  readonly limits: GateLimits;
  /** What the gate writes to standard output and standard error. */
  readonly onOutput: (text: string) => void;
  /** Ends the request under way when it fires. */
  readonly signal?: AbortSignal | undefined;
}

/** How long an ended thread is waited for: one that is stuck in native code never ends. */
const END_MS = 500;

/**
 * V8's own limit stands far above the gate's: an array that grows takes two and a half times its size for a moment, and one
 * for which there is no room ends the whole process. Between two checks the thread itself sees to the gate's limit; within
 * one, its time runs out long before.
 */
function engineLimitMb(memoryMb: number): number {
  return Math.max(4096, 3 * memoryMb);
}

/** The exit code of a thread that ended itself for the memory that its gate holds. */
const OUT_OF_MEMORY = 83;

export function startThread(options: ThreadOptions): GateThread {
  const { memoryMb } = options.limits;
  const worker = new Worker(new URL('./thread/thread.mjs', import.meta.url), {
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: engineLimitMb(memoryMb) },
    workerData: { heapBytes: memoryMb * 2 ** 20, exitCode: OUT_OF_MEMORY } satisfies HeapLimit,
    execArgv: [],
  });
  worker.stdout.setEncoding('utf8').on('data', options.onOutput);
  worker.stderr.setEncoding('utf8').on('data', options.onOutput);
  let usable = true;
  let finish: (answer: Answer) => void = () => {};
  let onNote: (note: Note) => void = () => {};
  const giveUp = (answer: Answer): void => {
    usable = false;
    finish(answer);
  };
  const { port1: port, port2: theirs } = new MessageChannel();
  worker.postMessage(theirs, [theirs]);
  const take = (reply: Reply): void => {
    if (reply.kind === 'error' || reply.kind === 'warning') onNote(reply);
    else finish({ kind: 'reply', reply });
  };
  port.on('message', take);
  const died = (message: string): void => {
    // What it said before it died counts.
    for (let last = receiveMessageOnPort(port); last !== undefined; last = receiveMessageOnPort(port))
      take(last.message);
    port.close();
    giveUp({ kind: 'died', message });
  };
  worker.on('error', (error) => died(obituary(error, options.limits)));
  worker.on('exit', (code) =>
    died(code === OUT_OF_MEMORY ? tooMuch(memoryMb) : `the gate ended its thread (process.exit, code ${code})`),
  );
  const interrupt = (): void => giveUp({ kind: 'interrupted' });

  const end = async (): Promise<void> => {
    usable = false;
    options.signal?.removeEventListener('abort', interrupt);
    worker.unref();
    port.close();
    await Promise.race([worker.terminate(), new Promise((resolve) => setTimeout(resolve, END_MS).unref())]);
  };
  options.signal?.addEventListener('abort', interrupt);

  const ask: GateThread['ask'] = async (request, memory, limitMs, note) => {
    onNote = note;
    let stopWatch = (): void => {};
    const answer = await new Promise<Answer>((resolve) => {
      finish = resolve;
      if (options.signal?.aborted) return interrupt();
      const calls = new Int32Array(memory.calls);
      const limits = { callMs: limitMs, idleMs: patienceMs(options.limits) };
      stopWatch = watch(calls, limits, (call, late) => giveUp({ kind: 'timeout', call, limitMs: late }));
      port.postMessage({ request, ...memory } satisfies Envelope);
    });
    stopWatch();
    if (answer.kind !== 'reply') await end();
    return answer;
  };
  return {
    get usable() {
      return usable;
    },
    batches: [],
    ask,
    end,
  };
}

/**
 * Looks at the calls under way and reports one that has not changed for `callMs`, or that none has been under way for
 * `idleMs`: what an adapter left running may keep its thread from the next call, or from the reply. Time is counted in
 * looks, so that a machine that slept, or a bench that was kept waiting, blames no gate.
 */
function watch(
  calls: Int32Array,
  { callMs, idleMs }: { readonly callMs: number; readonly idleMs: number },
  onLate: (call: number, limitMs: number) => void,
): () => void {
  const everyMs = Math.min(50, Math.max(1, callMs / 4));
  const last = new Int32Array(calls.length);
  const unchangedMs = new Float64Array(calls.length);
  let unusedMs = 0;
  let looked = performance.now();
  const timer = setInterval(() => {
    const passedMs = Math.min(performance.now() - looked, 2 * everyMs);
    looked = performance.now();
    unusedMs += passedMs;
    for (let lane = 0; lane < calls.length; lane++) {
      const call = Atomics.load(calls, lane);
      if (call !== 0) unusedMs = 0;
      unchangedMs[lane] = call === 0 || call !== last[lane] ? 0 : unchangedMs[lane]! + passedMs;
      last[lane] = call;
      if (unchangedMs[lane]! >= callMs) return onLate(call, callMs);
    }
    if (unusedMs >= idleMs) onLate(0, idleMs);
  }, everyMs);
  return () => clearInterval(timer);
}

function obituary(error: Error & { code?: string }, { memoryMb }: GateLimits): string {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return tooMuch(memoryMb);
  return `the gate threw outside of a check: ${messageOf(error)}`;
}

function tooMuch(memoryMb: number): string {
  return `the gate used more than ${memoryMb} MB of memory (--memory)`;
}
