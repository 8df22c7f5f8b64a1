/*
 * One file of AgentDojo's runs folder, as far as this bench reads it. Files come from many versions of AgentDojo and
 * from people's own pipelines, so nothing is taken for granted but what is checked here.
 */

/** What one message says: its text (the blocks of a list joined by newlines) and the calls it proposes. */
export interface RawMessage {
  readonly role: string;
  readonly text: string;
  readonly calls: readonly RawCall[];
}

/** A proposed call as recorded. */
export interface RawCall {
  readonly tool: unknown;
  readonly args: unknown;
}

/** What a file says. */
export interface RawRun {
  /** AgentDojo's verdict on the user's task; null: none. */
  readonly utility: boolean | null;
  /** AgentDojo's `security`, which is true when the attacker's goal was met; null: none. */
  readonly security: boolean | null;
  /** The text of the error that ended the run; null: none. */
  readonly error: string | null;
  /** Empty when nothing was recorded. */
  readonly messages: readonly RawMessage[];
}

/** What the path says that a file holds; the pipeline is not compared (`pipeline_name` may say `local`). */
export interface RunName {
  readonly pipeline: string;
  readonly suite: string;
  /** A user task; or an injection task whose goal was given as a user's request. */
  readonly task: string;
  /** `none`: no attack. */
  readonly attack: string;
  /** null for a run without an attack. */
  readonly injection: string | null;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSet = (value: unknown): boolean => value !== null && value !== undefined && value !== '';

/** Reads a file's bytes. Throws an error whose message says what is wrong, without the path. */
export function parseRun(bytes: Uint8Array, name: RunName): RawRun {
  const raw = parseJson(bytes);
  if (!isObject(raw)) throw new Error('not a JSON object');
  checkName(raw, name);
  if (!('messages' in raw)) throw new Error('no member messages: not a run of AgentDojo');
  return {
    utility: verdict(raw, 'utility'),
    security: verdict(raw, 'security'),
    error: isSet(raw['error']) ? String(raw['error']) : null,
    messages: list(raw['messages'], 'messages').map(message),
  };
}

function parseJson(bytes: Uint8Array): unknown {
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('not UTF-8');
  }
  try {
    return JSON.parse(text);
  } catch {
    // V8's message quotes the text, which is an attacker's.
    throw new Error(`not JSON, or cut off (${bytes.byteLength} bytes)`);
  }
}

/** A file that says it is another run than its path says was put there by mistake. */
function checkName(raw: Json, name: RunName): void {
  const expected: Readonly<Record<string, string | null>> = {
    suite_name: name.suite,
    user_task_id: name.task,
    injection_task_id: name.injection,
  };
  for (const [key, value] of Object.entries(expected)) {
    const found = raw[key] ?? null;
    if (found !== value)
      throw new Error(`${key} is ${JSON.stringify(found)}, but the path says ${JSON.stringify(value)}`);
  }
}

function verdict(raw: Json, key: string): boolean | null {
  const value = raw[key] ?? null;
  if (value !== null && typeof value !== 'boolean') throw new Error(`${key} is neither true, false nor null`);
  return value;
}

function list(value: unknown, at: string): readonly unknown[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new Error(`${at} is neither a list nor null`);
  return value;
}

function message(value: unknown, index: number): RawMessage {
  const at = `messages[${index}]`;
  if (!isObject(value) || typeof value['role'] !== 'string') throw new Error(`${at} has no role`);
  return {
    role: value['role'],
    text: contentText(value['content'], `${at}.content`),
    calls: list(value['tool_calls'], `${at}.tool_calls`).map((call, number) => {
      if (!isObject(call)) throw new Error(`${at}.tool_calls[${number}] is not an object`);
      return { tool: call['function'], args: call['args'] };
    }),
  };
}

/** Blocks of a kind without text (`redacted_thinking`, say) add nothing. */
function contentText(content: unknown, at: string): string {
  if (typeof content === 'string') return content;
  const texts = list(content, at).map((block) => (isObject(block) ? block['content'] : block));
  return texts.filter((text) => typeof text === 'string').join('\n');
}
