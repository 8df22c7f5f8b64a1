import { type Batch, CHECK } from './batch.ts';
import { BenchError, messageOf } from './errors.ts';
import { failedSession, type LiveSession, openLive } from './gate-live.ts';
import type { Answer, GateThread, Note, ThreadOptions } from './gate-thread.ts';
import { patienceMs } from './patience.ts';
import type { GateInfo, ReplayTiming } from './thread/messages.ts';
import type { PolicySpec } from './types.ts';

/** A gate that can be asked, behind its thread. */
export interface OpenGate {
  readonly info: GateInfo;
  /** Runs every session of the batch. Never rejects for what the gate does. */
  replay(batch: Batch, options?: ReplayOptions): Promise<Replayed>;
  /** Opens a session to be asked call by call. Never rejects for what the gate does. */
  session(policy: PolicySpec): Promise<LiveSession>;
  close(): Promise<void>;
}

export interface ReplayOptions {
  /** Sessions in flight at once, for gates that wait on something. Default 1. */
  readonly concurrency?: number;
  /** Whether the reason or error of every check is kept. Default false. */
  readonly detail?: boolean;
  /** Told now and then how many checks are done. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** What came out of a batch. */
export interface Replayed {
  /** Per check, a byte of `CHECK`. */
  readonly verdicts: Uint8Array;
  /** Why the batch was not finished; null when it was. */
  readonly cutShort: string | null;
  /** Checks that ended in an error, and sessions that could not be opened; a cut counts as one. */
  readonly errors: number;
  readonly firstError: string | null;
  readonly warning: string | null;
  /** Null when the batch was cut short. */
  readonly timing: ReplayTiming | null;
  /** Per check, its reason or error; empty without `detail`. */
  readonly notes: readonly (string | null)[];
}

/**
 * Loads an adapter. A thread that hung or died is replaced for the next batch.
 * @param url of the adapter's file
 * @param shown the file as the user typed it, for messages
 * @param first where to load it; default: a thread of its own, as after each that hung or died
 * @throws {BenchError} `gate` when the adapter cannot be loaded
 */
export async function openGate(url: URL, shown: string, options: ThreadOptions, first?: GateThread): Promise<OpenGate> {
  let thread = first ?? (await newThread(options));
  let loadedIn: GateThread | undefined;
  let number = 0;
  let opening: ReturnType<typeof ready> | undefined;
  const ready = async (): Promise<GateInfo | undefined> => {
    if (!thread.usable) thread = await newThread(options);
    if (loadedIn === thread) return undefined;
    const { gate, ...info } = await load(thread, url, shown, options);
    loadedIn = thread;
    number = gate;
    return info;
  };
  const info = await ready();
  return {
    info: info!,
    replay: async (batch, replayOptions = {}) => {
      try {
        await ready();
      } catch (error) {
        return unfinished(new Uint8Array(batch.steps.length), messageOf(error));
      }
      return replayIn(thread, number, batch, options.limits.timeoutMs, replayOptions);
    },
    session: async (policy) => {
      // Sessions that are opened at the same time wait for one and the same new thread.
      opening ??= ready().finally(() => {
        opening = undefined;
      });
      try {
        await opening;
        return await openLive(thread, number, policy, options.limits.timeoutMs);
      } catch (error) {
        return failedSession(messageOf(error));
      }
    },
    close: () => thread.end(),
  };
}

/** Loaded with the first gate that needs a thread: the bench's own do not. */
async function newThread(options: ThreadOptions): Promise<GateThread> {
  const { startThread } = await import('./gate-thread.ts');
  return startThread(options);
}

/** What is left of a batch when the gate fails for good: the verdicts until then, and one error. */
export function unfinished(verdicts: Uint8Array, why: string): Replayed {
  return { verdicts, cutShort: why, errors: 1, firstError: why, warning: null, timing: null, notes: [] };
}

async function load(
  thread: GateThread,
  url: URL,
  shown: string,
  { limits }: ThreadOptions,
): Promise<GateInfo & { gate: number }> {
  const limitMs = patienceMs(limits);
  const memory = { verdicts: new SharedArrayBuffer(0), calls: new SharedArrayBuffer(4) };
  const answer = await thread.ask({ kind: 'load', url: url.href }, memory, limitMs, () => {});
  if (answer.kind === 'reply' && answer.reply.kind === 'loaded') {
    const { kind: _, ...loaded } = answer.reply;
    return loaded;
  }
  await thread.end();
  throw new BenchError('gate', `${shown}: ${loadFailure(answer, limitMs)}`);
}

function loadFailure(answer: Answer, limitMs: number): string {
  if (answer.kind === 'timeout') return `did not load within ${limitMs} ms`;
  if (answer.kind === 'died') return `${answer.message} while it was loaded`;
  if (answer.kind === 'interrupted') return 'interrupted';
  return answer.reply.kind === 'refused' ? answer.reply.message : 'could not be loaded';
}

async function replayIn(
  thread: GateThread,
  gate: number,
  batch: Batch,
  timeoutMs: number,
  { concurrency = 1, detail = false, onProgress }: ReplayOptions,
): Promise<Replayed> {
  const memory = {
    verdicts: new SharedArrayBuffer(batch.steps.length),
    calls: new SharedArrayBuffer(4 * Math.max(1, Math.min(concurrency, batch.order.length))),
  };
  const notes: { error?: Note; warning?: Note } = {};
  const shared = new Uint8Array(memory.verdicts);
  const progress = onProgress && setInterval(() => onProgress(countReached(shared), shared.length), 200);
  const known = thread.batches.indexOf(batch);
  const batchId = known < 0 ? thread.batches.push(batch) - 1 : known;
  const request = { kind: 'replay', gate, batchId, batch: known < 0 ? batch : null, detail } as const;
  const answer = await thread.ask(request, memory, timeoutMs, (note) => {
    notes[note.kind] = note;
  });
  clearInterval(progress);
  const verdicts = shared.slice();
  const cutShort = whyCut(answer, batch);
  const reply = answer.kind === 'reply' && answer.reply.kind === 'replayed' ? answer.reply : undefined;
  return {
    verdicts,
    cutShort,
    errors:
      (reply?.errors ?? countErrors(batch, verdicts)) + (cutShort === null || answer.kind === 'interrupted' ? 0 : 1),
    firstError: notes.error ? withPlace(notes.error, batch) : answer.kind === 'interrupted' ? null : cutShort,
    warning: notes.warning?.message ?? null,
    timing: reply?.timing ?? null,
    notes: reply?.notes ?? [],
  };
}

function countReached(verdicts: Uint8Array): number {
  let reached = 0;
  for (let check = 0; check < verdicts.length; check++) if (verdicts[check] !== CHECK.notReached) reached++;
  return reached;
}

function countErrors({ starts }: Batch, verdicts: Uint8Array): number {
  let errors = 0;
  for (let check = 0; check < verdicts.length; check++) if (verdicts[check] === CHECK.error) errors++;
  for (let session = 0; session < starts.length - 1; session++) {
    if (verdicts[starts[session]!] === CHECK.noSession) errors++;
  }
  return errors;
}

function whyCut(answer: Answer, batch: Batch): string | null {
  switch (answer.kind) {
    case 'reply':
      return null;
    case 'timeout':
      return `${nameCall(answer.call, batch)} did not answer within ${answer.limitMs} ms`;
    case 'died':
      return answer.message;
    case 'interrupted':
      return 'interrupted';
  }
}

/** The call that a number in `calls` stands for; see thread/replay.mjs. */
function nameCall(call: number, batch: Batch): string {
  if (call === 0) return "the gate's thread, busy with something that is no call,";
  if (call > 0) return `check(${nameAction(batch, call - 1)})`;
  return -call > batch.order.length ? 'close()' : 'createSession()';
}

function nameAction(batch: Batch, check: number): string {
  const action = batch.actions[batch.steps[check]!]!;
  return action.target === undefined ? action.type : `${action.type} ${JSON.stringify(action.target)}`;
}

function withPlace(note: Note, batch: Batch): string {
  const check = note.kind === 'error' ? note.check : null;
  return check === null ? note.message : `check(${nameAction(batch, check)}): ${note.message}`;
}
