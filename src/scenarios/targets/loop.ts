import type { JsonObject } from '../types.ts';
import type { TargetInput, TargetResult, Usage } from '../target.ts';
import type { Connection } from './models.ts';

/** A call that a model asks for; `args` undefined: they do not parse, and `raw` is what there is. */
export interface AskedCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject | undefined;
  readonly raw: string;
}

/** One answer of a model, whatever the interface. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly AskedCall[];
  readonly usage: Usage;
  readonly model?: string;
  readonly stopReason?: string;
  readonly parameters: JsonObject;
  readonly notes: readonly string[];
}

/** A conversation with a model over some interface. */
export interface Conversation {
  ask(): Promise<ModelAnswer>;
  /** Hands in the results of the latest answer's calls, in their order. */
  answer(results: readonly { readonly call: AskedCall; readonly text: string }[]): void;
}

/** Talks to a model until it asks for no more calls, or the rounds are used up. */
export async function converse(
  conversation: Conversation,
  { call, tools }: TargetInput,
  { maxRounds }: Connection,
): Promise<TargetResult> {
  const notes: string[] = [];
  let usage: Usage = { input: 0, output: 0 };
  for (let round = 0; ; round++) {
    const { calls, parameters, model, stopReason, ...answer } = await conversation.ask();
    usage = { input: plus(usage.input, answer.usage.input), output: plus(usage.output, answer.usage.output) };
    notes.push(...answer.notes);
    const looksLikeCall =
      calls.length === 0 &&
      callAsText(
        answer.text,
        tools.map(({ name }) => name),
      );
    if (looksLikeCall) notes.push('a call of a tool was written as text and not made');
    const ended = calls.length > 0 && round === maxRounds;
    if (ended) notes.push(`the limit of ${maxRounds} rounds was reached; ${calls.length} calls were not made`);
    if (calls.length === 0 || ended) {
      return {
        text: answer.text,
        usage,
        parameters,
        notes,
        ...(model !== undefined && { model }),
        ...(stopReason !== undefined && { stopReason: ended ? 'max_rounds' : stopReason }),
      };
    }
    const results: { call: AskedCall; text: string }[] = [];
    for (const asked of calls) {
      if (asked.args) results.push({ call: asked, text: await call(asked.name, asked.args) });
      else {
        notes.push(`arguments of ${asked.name} do not parse: ${asked.raw.slice(0, 200)}`);
        results.push({ call: asked, text: 'Error: the arguments are not a JSON object. Nothing was done.' });
      }
    }
    conversation.answer(results);
  }
}

const plus = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other;

/** Arguments as the model wrote them: only a JSON object will do. Text that is empty stands for no arguments. */
export function parseArguments(raw: string): JsonObject | undefined {
  if (raw.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** An id for each call, in order: its own, or, where that is empty or taken, one that no other has. */
export function distinctIds(given: readonly string[]): string[] {
  const used = new Set(given);
  const seen = new Set<string>();
  return given.map((own, index) => {
    let id = own;
    if (own === '' || seen.has(own)) {
      id = `${own || 'call'}_${index}`;
      while (used.has(id)) id += '_';
      used.add(id);
    }
    seen.add(id);
    return id;
  });
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** Whether a text is, or holds, a call in one of the usual notations. */
function callAsText(text: string, tools: readonly string[]): boolean {
  if (/<(?:tool_call|function_call|function=|invoke)\b|\[TOOL_CALLS\]|<\|python_tag\|>/.test(text)) return true;
  if (tools.some((name) => new RegExp(`(?<![\\w.])${escaped(name)}\\((?:\\s*\\)|\\s*\\{|\\s*\\w+\\s*=)`).test(text)))
    return true;
  const named = [...text.matchAll(/"(?:name|function|tool)"\s*:\s*"([^"]+)"/g)];
  return named.some(([, name]) => tools.includes(name ?? '')) && /"(?:arguments|parameters|args)"\s*:/.test(text);
}

export const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
export const objectOr = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
export const textOr = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
