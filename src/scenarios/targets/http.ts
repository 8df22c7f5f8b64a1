import { messageOf } from '../../errors.ts';
import { costOf } from '../budget.ts';
import type { JsonObject } from '../types.ts';
import type { Connection } from './models.ts';

/** A model's answer: its JSON, and the parameters that the server took. */
export interface Answered {
  readonly body: Record<string, unknown>;
  /** Names of parameters that were left out because the server refused them. */
  readonly leftOut: readonly string[];
}

/** Characters that a token has at the least, for the most that a request may cost. */
const CHARACTERS_PER_TOKEN = 2;
/** Bytes of an answer that are read at most. */
const LARGEST = 16 * 1024 * 1024;
/** Parameters that a request can do without. */
const OPTIONAL = ['temperature', 'seed', 'max_tokens', 'max_completion_tokens', 'parallel_tool_calls', 'tool_choice'];
/** A server that asks for more patience than this is not waited for. */
const LONGEST_WAIT_MS = 60_000;

/** Reads how many tokens an answer took; null: it does not say. */
export type ReadUsage = (body: Record<string, unknown>) => {
  readonly input: number | null;
  readonly output: number | null;
};

/**
 * Posts a request until it is answered: 429, 5xx, cut connections and answers that are no JSON are tried again with growing waits, or those that
 * the server asks for (Retry-After); a parameter that a 400 names is left out.
 * @throws {Error} when the attempts are used up, the server refuses, or the signal fires
 */
export async function post(
  connection: Connection,
  request: JsonObject,
  readUsage: ReadUsage,
  signal: AbortSignal,
  omitted: readonly string[] = [],
): Promise<Answered> {
  const { attempts = 6, waitMs = 500 } = connection;
  const leftOut = [...omitted];
  let last = '';
  for (let attempt = 0; attempt < attempts;) {
    const body = Object.fromEntries(Object.entries(request).filter(([name]) => !leftOut.includes(name)));
    const reply = await tryOnce(connection, JSON.stringify(body), readUsage, signal);
    if (reply.kind === 'answer') return { body: reply.body, leftOut };
    const refused = reply.kind === 'refused' ? refusedParameter(reply.message, Object.keys(body)) : undefined;
    if (refused !== undefined) {
      leftOut.push(refused);
      continue;
    }
    if (reply.kind === 'refused') throw new Error(reply.message);
    last = reply.message;
    if (++attempt < attempts) await pause(reply.waitMs ?? waitMs * 2 ** (attempt - 1), signal);
  }
  throw new Error(`${last}, ${attempts} times`);
}

type Reply =
  | { readonly kind: 'answer'; readonly body: Record<string, unknown> }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'again'; readonly message: string; readonly waitMs?: number };

const UNKNOWN: ReturnType<ReadUsage> = { input: null, output: null };

async function tryOnce(
  connection: Connection,
  body: string,
  readUsage: ReadUsage,
  signal: AbortSignal,
): Promise<Reply> {
  const settle = reserve(connection, body);
  let used: ReturnType<ReadUsage> | undefined = UNKNOWN;
  try {
    const { url, headers, requestMs = 120_000 } = connection;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      // Elsewhere, nobody has said that key and conversation may go.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestMs)]),
    });
    if (!response.ok) used = undefined;
    const text = await readBody(response);
    if (!response.ok) return failure(response, text);
    const answered = objectOf(text);
    if (!answered) return { kind: 'again', message: 'answered with something else than JSON' };
    used = readUsage(answered);
    return { kind: 'answer', body: answered };
  } catch (error) {
    if (signal.aborted || error instanceof TooLarge) throw error;
    if (neverSent(error)) used = undefined;
    return { kind: 'again', message: `no answer: ${causeOf(error)}` };
  } finally {
    // A request that was refused is not charged for; one whose answer was cut, late or unreadable may have been, so it counts in full.
    settle(used);
  }
}

function reserve(
  { price, budget, maxTokens }: Connection,
  body: string,
): (used: ReturnType<ReadUsage> | undefined) => void {
  if (!price || !budget) return () => {};
  const settle = budget.reserve(costOf(price, body.length / CHARACTERS_PER_TOKEN, maxTokens));
  return (used) => {
    if (!used) settle(0);
    else settle(used.input === null || used.output === null ? null : costOf(price, used.input, used.output));
  };
}

class TooLarge extends Error {}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > LARGEST) throw new TooLarge(`the answer is longer than ${LARGEST / 1024 / 1024} MB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function failure({ status, headers }: Response, text: string): Reply {
  const message = `the server answered ${status}: ${text.replace(/\s+/g, ' ').slice(0, 300)}`;
  if (status !== 408 && status !== 409 && status !== 429 && status < 500) return { kind: 'refused', message };
  const after = headers.get('retry-after');
  if (after === null) return { kind: 'again', message };
  const seconds = /^\d+(\.\d+)?$/.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1000;
  if (Number.isNaN(seconds)) return { kind: 'again', message };
  const waitMs = Math.max(0, seconds * 1000);
  if (waitMs > LONGEST_WAIT_MS)
    return { kind: 'refused', message: `${message} (asks to wait ${Math.ceil(seconds)} s)` };
  return { kind: 'again', message, waitMs };
}

/** The parameter that a refusal names, if the request can do without it. */
function refusedParameter(message: string, sent: readonly string[]): string | undefined {
  if (!message.startsWith('the server answered 400')) return undefined;
  return OPTIONAL.find((name) => sent.includes(name) && new RegExp(`\\b${name}\\b`).test(message));
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether there was no connection to send a request over. */
function neverSent(error: unknown): boolean {
  const { code } = (error instanceof Error && error.cause ? error.cause : {}) as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN';
}

/** fetch hides what happened in the cause. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return messageOf(cause);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new Error('interrupted'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
