import { type Batch, CHECK } from '../batch.ts';
import { BenchError } from '../errors.ts';
import { failedSession, type LiveSession, nameOfVerdict } from '../gate-live.ts';
import { type OpenGate, type Replayed, type ReplayOptions, unfinished } from '../gate.ts';
import type { GateLimits, ThreadOptions } from '../gate-thread.ts';
import type { GateInfo } from '../thread/messages.ts';
import type { PolicySpec } from '../types.ts';
import { patienceMs } from '../patience.ts';
import { connect, type Connection } from './connection.ts';
import { parseHello } from './hello.ts';
import { PROTOCOL } from './protocol.ts';

/** Sessions in flight when the command line does not say: enough to keep both processes busy. */
const DEFAULT_CONCURRENCY = 64;

/**
 * Starts a command that speaks the line protocol, and asks for its name. A command that failed is started anew for the
 * next batch.
 * @throws {BenchError} `gate` when it does not say hello
 */
export async function openExecGate(command: string, options: ThreadOptions): Promise<OpenGate> {
  let connection = connect(command, options);
  const info = await hello(connection, command, options.limits);
  /** @returns why it cannot be started anew, or null */
  const restart = async (): Promise<string | null> => {
    if (connection.failure === null) return null;
    connection = connect(command, options);
    try {
      await hello(connection, command, options.limits);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  let sessions = 0;
  let restarting: Promise<string | null> | undefined;
  return {
    info,
    async replay(batch, replayOptions = {}) {
      const fault = await restart();
      if (fault !== null) return unfinished(new Uint8Array(batch.steps.length), fault);
      return replayOver(connection, batch, options, replayOptions);
    },
    async session(policy) {
      restarting ??= restart().finally(() => {
        restarting = undefined;
      });
      const fault = await restarting;
      return fault === null ? openLive(connection, sessions++, policy, options.limits) : failedSession(fault);
    },
    close: () => connection.end(),
  };
}

/** A session that is asked call by call. */
async function openLive(
  connection: Connection,
  session: number,
  policy: PolicySpec,
  { timeoutMs }: GateLimits,
): Promise<LiveSession> {
  const opened = await connection.ask({ type: 'open', session, policy }, timeoutMs);
  if (opened === null) return failedSession(connection.failure ?? 'no answer');
  if (opened['error'] !== undefined) return failedSession(`open: ${show(opened['error'])}`);
  return {
    check: async (action) => {
      const reply = await connection.ask({ type: 'check', session, action }, timeoutMs);
      if (reply === null) return { verdict: 'error', note: connection.failure };
      const { verdict, note } = judge(reply);
      return { verdict: nameOfVerdict(verdict), note };
    },
    close: async () => {
      await connection.ask({ type: 'close', session }, timeoutMs);
      return connection.failure;
    },
  };
}

async function hello(connection: Connection, command: string, limits: GateLimits): Promise<GateInfo> {
  const limitMs = patienceMs(limits);
  const reply = await connection.ask({ type: 'hello', protocol: PROTOCOL }, limitMs);
  const read = connection.failure ?? (reply === null ? 'did not say hello' : parseHello(reply));
  if (typeof read !== 'string') return read;
  await connection.end();
  throw new BenchError('gate', `--exec ${command}: ${read}`);
}

async function replayOver(
  connection: Connection,
  batch: Batch,
  { limits, signal }: ThreadOptions,
  { concurrency = DEFAULT_CONCURRENCY, detail = false, onProgress }: ReplayOptions,
): Promise<Replayed> {
  const verdicts = new Uint8Array(batch.steps.length);
  const notes: (string | null)[] = detail ? Array.from(verdicts, () => null) : [];
  const samplesUs: number[] = [];
  const began = performance.now();
  let firstError: string | null = null;
  let next = 0;
  let checks = 0;
  let errors = 0;
  const progress = onProgress && setInterval(() => onProgress(checks, verdicts.length), 200);
  const ask: Connection['ask'] = (request, limitMs = limits.timeoutMs) => connection.ask(request, limitMs);
  const failed = (message: string): void => {
    errors++;
    firstError ??= message;
  };

  const runSession = async (session: number): Promise<void> => {
    const [first, end] = [batch.starts[session]!, batch.starts[session + 1]!];
    const opened = await ask({ type: 'open', session, policy: batch.policies[batch.sessionPolicy[session]!]! });
    if (opened === null) return;
    if (opened['error'] !== undefined) {
      verdicts.fill(CHECK.noSession, first, end);
      return failed(`open: ${show(opened['error'])}`);
    }
    for (let check = first; check < end; check++) {
      const action = batch.actions[batch.steps[check]!]!;
      const asked = performance.now();
      checks++;
      const reply = await ask({ type: 'check', session, action });
      if (reply === null) return;
      samplesUs.push((performance.now() - asked) * 1000);
      const { verdict, note } = judge(reply);
      verdicts[check] = verdict;
      if (verdict === CHECK.error) failed(`check(${action.type}): ${note}`);
      if (detail) notes[check] = note;
    }
    await ask({ type: 'close', session });
  };
  const lane = async (): Promise<void> => {
    while (next < batch.order.length && connection.failure === null) await runSession(batch.order[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, batch.order.length) }, lane));
  clearInterval(progress);
  if (connection.failure !== null) {
    const interrupted = signal?.aborted === true;
    return {
      ...unfinished(verdicts, interrupted ? 'interrupted' : connection.failure),
      ...(interrupted && { errors, firstError }),
    };
  }
  const timing = { checks, samplesUs, totalMs: performance.now() - began };
  return { verdicts, cutShort: null, errors, firstError, warning: null, timing, notes };
}

function judge({ allowed, error, reason }: Readonly<Record<string, unknown>>): {
  verdict: number;
  note: string | null;
} {
  if (typeof allowed === 'boolean') {
    return { verdict: allowed ? CHECK.allow : CHECK.deny, note: typeof reason === 'string' ? reason : null };
  }
  if (error !== undefined) return { verdict: CHECK.error, note: show(error) };
  const found = allowed === undefined ? 'without "allowed"' : `"allowed": ${show(allowed)}`;
  return { verdict: CHECK.error, note: `answered ${found}, expected true or false` };
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > 300 ? `${text.slice(0, 297)}...` : text;
}
