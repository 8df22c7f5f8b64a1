import type { Message, Target, TargetInput, Usage } from '../target.ts';
import type { Json, JsonObject } from '../types.ts';
import { post } from './http.ts';
import {
  type AskedCall,
  type Conversation,
  converse,
  countOf,
  distinctIds,
  type ModelAnswer,
  objectOr,
  parseArguments,
  textOr,
} from './loop.ts';
import type { Connection } from './models.ts';

/**
 * A model behind an OpenAI-compatible chat-completions endpoint (https://platform.openai.com/docs/api-reference/chat), as llama.cpp, vLLM and
 * Ollama serve it too.
 */
export function openaiTarget(name: string, connection: Connection): Target {
  const leftOut: string[] = [];
  return { name, run: (input) => converse(openConversation(connection, input, leftOut), input, connection) };
}

const usageOf = (body: Record<string, unknown>): Usage => {
  const usage = objectOr(body['usage']);
  return { input: countOf(usage['prompt_tokens']), output: countOf(usage['completion_tokens']) };
};

/** @param leftOut what the server refused before, kept from turn to turn and case to case */
function openConversation(connection: Connection, input: TargetInput, leftOut: string[]): Conversation {
  const { model, maxTokens, temperature } = connection;
  const messages: JsonObject[] = messagesOf(input);
  const tools = input.tools.map((tool) => ({ type: 'function', function: { ...tool } })) as unknown as Json[];
  return {
    ask: async () => {
      const parameters = { temperature, max_tokens: maxTokens, seed: input.seed };
      const request = { model, messages, ...(tools.length > 0 && { tools }), ...parameters };
      const { body, leftOut: now } = await post(connection, request, usageOf, input.signal, leftOut);
      for (const name of now) if (!leftOut.includes(name)) leftOut.push(name);
      const answer = answerOf(body, parametersWithout(parameters, now));
      messages.push(assistantMessage(answer));
      return answer;
    },
    answer: (results) => {
      for (const { call, text } of results) messages.push({ role: 'tool', tool_call_id: call.id, content: text });
    },
  };
}

export function parametersWithout(parameters: JsonObject, leftOut: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !leftOut.includes(name)));
}

/** Every result of a tool needs the call that it answers. */
function messagesOf({ system, messages }: TargetInput): JsonObject[] {
  const lead: JsonObject[] = system === undefined ? [] : [{ role: 'system', content: system }];
  return [...lead, ...messages.flatMap(messageOf)];
}

function messageOf({ role, content, tool, args }: Message, index: number): JsonObject[] {
  if (role !== 'tool') return [{ role, content }];
  const id = `before_${index}`;
  const made = { id, type: 'function', function: { name: tool ?? '', arguments: JSON.stringify(args ?? {}) } };
  return [
    { role: 'assistant', content: null, tool_calls: [made] },
    { role: 'tool', tool_call_id: id, content },
  ];
}

function answerOf(body: Record<string, unknown>, parameters: JsonObject): ModelAnswer {
  const choices = body['choices'];
  const choice = objectOr(Array.isArray(choices) ? choices[0] : undefined);
  const message = choice['message'];
  if (typeof message !== 'object' || message === null) throw new Error('the answer has no choices[0].message');
  const { content, refusal, tool_calls: toolCalls, function_call: oldCall } = message as Record<string, unknown>;
  const calls = callsOf(Array.isArray(toolCalls) ? toolCalls : []);
  const text = contentText(content) || textOr(refusal) || '';
  const [model, stopReason] = [textOr(body['model']), textOr(choice['finish_reason'])];
  return {
    text,
    calls,
    usage: usageOf(body),
    parameters,
    notes: [
      ...(typeof oldCall === 'object' && oldCall !== null
        ? ['a call in the old form (function_call) was not made']
        : []),
      ...(text === '' && calls.length === 0 ? ['the answer is empty'] : []),
      ...duplicateIds(toolCalls),
    ],
    ...(model !== undefined && { model }),
    ...(stopReason !== undefined && { stopReason }),
  };
}

/** Some servers give all calls the same id, or none; the position tells them apart then. */
function callsOf(values: readonly unknown[]): AskedCall[] {
  const ids = distinctIds(values.map((value) => textOr(objectOr(value)['id']) ?? ''));
  return values.map((value, index) => {
    const made = objectOr(objectOr(value)['function']);
    const given = made['arguments'];
    const raw = typeof given === 'string' ? given : JSON.stringify(given ?? {});
    return { id: ids[index]!, name: textOr(made['name']) ?? '', args: parseArguments(raw), raw };
  });
}

function duplicateIds(calls: unknown): string[] {
  const ids = (Array.isArray(calls) ? calls : []).map((call) => objectOr(call)['id']);
  return new Set(ids).size < ids.length ? ['calls share an id; they are told apart by position'] : [];
}

/** Null, a text, or a list of parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => textOr(objectOr(part)['text']) ?? '').join('');
}

function assistantMessage({ text, calls }: ModelAnswer): JsonObject {
  const made = calls.map(({ id, name, raw, args }) => ({
    id,
    type: 'function',
    // What does not parse would be refused by servers that check what they are sent.
    function: { name, arguments: args ? raw || '{}' : JSON.stringify({ unparsed: raw }) },
  }));
  return {
    role: 'assistant',
    content: text === '' && made.length > 0 ? null : text,
    ...(made.length > 0 && { tool_calls: made }),
  };
}
