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
  textOr,
} from './loop.ts';
import type { Connection } from './models.ts';
import { parametersWithout } from './openai.ts';

/** A model behind Anthropic's Messages API (https://docs.anthropic.com/en/api/messages). It takes no seed. */
export function anthropicTarget(name: string, connection: Connection): Target {
  const leftOut: string[] = [];
  return { name, run: (input) => converse(openConversation(connection, input, leftOut), input, connection) };
}

const usageOf = (body: Record<string, unknown>): Usage => {
  const usage = objectOr(body['usage']);
  return { input: countOf(usage['input_tokens']), output: countOf(usage['output_tokens']) };
};

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: JsonObject[];
}

function openConversation(connection: Connection, input: TargetInput, leftOut: string[]): Conversation {
  const { model, maxTokens, temperature } = connection;
  const messages: Turn[] = turnsOf(input.messages);
  const tools = input.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters,
  })) as unknown as Json[];
  return {
    ask: async () => {
      const parameters = { temperature };
      const request = {
        model,
        max_tokens: maxTokens,
        messages: messages as unknown as Json[],
        ...(input.system !== undefined && { system: input.system }),
        ...(tools.length > 0 && { tools }),
        ...parameters,
      };
      const { body, leftOut: now } = await post(connection, request, usageOf, input.signal, leftOut);
      for (const name of now) if (!leftOut.includes(name)) leftOut.push(name);
      const answer = answerOf(body, { ...parametersWithout(parameters, now), max_tokens: maxTokens });
      messages.push({ role: 'assistant', content: assistantBlocks(answer) });
      return answer;
    },
    answer: (results) => {
      const content = results.map(({ call, text }) => ({ type: 'tool_result', tool_use_id: call.id, content: text }));
      messages.push({ role: 'user', content });
    },
  };
}

/** Turns alternate between user and assistant; the results of tools are the user's. */
function turnsOf(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = [];
  const add = (role: Turn['role'], ...blocks: JsonObject[]): void => {
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  };
  for (const [index, { role, content, tool, args }] of messages.entries()) {
    if (role !== 'tool') add(role, { type: 'text', text: content });
    else {
      add('assistant', { type: 'tool_use', id: `before_${index}`, name: tool ?? '', input: args ?? {} });
      add('user', { type: 'tool_result', tool_use_id: `before_${index}`, content });
    }
  }
  if (turns[0]?.role === 'assistant') turns.unshift({ role: 'user', content: [{ type: 'text', text: '(earlier)' }] });
  return turns;
}

function answerOf(body: Record<string, unknown>, parameters: JsonObject): ModelAnswer {
  const { content } = body;
  if (!Array.isArray(content)) throw new Error('the answer has no content');
  const blocks = content.map(objectOr);
  const text = blocks.flatMap((block) => (block['type'] === 'text' ? (textOr(block['text']) ?? []) : [])).join('');
  const calls = callsOf(blocks.filter((block) => block['type'] === 'tool_use'));
  const [model, stopReason] = [textOr(body['model']), textOr(body['stop_reason'])];
  return {
    text,
    calls,
    usage: usageOf(body),
    parameters,
    notes: text === '' && calls.length === 0 ? ['the answer is empty'] : [],
    ...(model !== undefined && { model }),
    ...(stopReason !== undefined && { stopReason }),
  };
}

function callsOf(blocks: readonly Record<string, unknown>[]): AskedCall[] {
  const ids = distinctIds(blocks.map(({ id }) => textOr(id) ?? ''));
  return blocks.map(({ input, name }, index) => {
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
    return {
      id: ids[index]!,
      name: textOr(name) ?? '',
      args: isObject ? (input as JsonObject) : undefined,
      raw: JSON.stringify(input ?? null),
    };
  });
}

function assistantBlocks({ text, calls }: ModelAnswer): JsonObject[] {
  const made = calls.map(({ id, name, args, raw }): JsonObject => ({
    type: 'tool_use',
    id,
    name,
    input: args ?? { unparsed: raw },
  }));
  // An empty text block is refused.
  return text === '' && made.length > 0 ? made : [{ type: 'text', text: text || '(nothing)' }, ...made];
}
