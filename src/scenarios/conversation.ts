import type { DefenseAtWork, Origin } from './defense.ts';
import { type Course, guarded } from './course.ts';
import type { Message } from './target.ts';
import type { Document, Json, Parameters, Tool } from './types.ts';
import type { Given } from './world.ts';

/** The system prompt with what defences add to it; empty: there is none. */
export function systemOf(system: string | undefined, defenses: readonly DefenseAtWork[]): string {
  return defenses.reduce((text, defense) => defense.system?.(text) ?? text, system ?? '');
}

/** Untrusted text as the target gets to see it: filtered, then marked. */
export async function defended(course: Course, text: string, origin: Origin): Promise<string> {
  course.untrustedText += `\n${text}`;
  let seen = text;
  for (const defense of course.defenses) {
    const filter = defense.filter?.bind(defense);
    if (filter) seen = await guarded('defense', async () => filter(seen, origin));
  }
  for (const defense of course.defenses) seen = defense.mark?.(seen, origin) ?? seen;
  return seen;
}

function documentText({ name, text, metadata = {} }: Document): string {
  const lines = Object.entries(metadata).map(([key, value]) => `${key}: ${value}`);
  return [`Document: ${name}`, ...lines, '', text].join('\n');
}

/** The messages that a turn adds. Only the task and the user's earlier turns are trusted. */
export async function messagesOf(course: Course, given: Given): Promise<Message[]> {
  const messages: Message[] = [];
  for (const { role, content, tool } of given.history) {
    if (role === 'user') course.userText += `\n${content}`;
    const text = role === 'user' ? content : await defended(course, content, 'history');
    messages.push({ role, content: text, ...(tool !== undefined && { tool }) });
  }
  course.userText += `\n${given.task}`;
  const parts = [given.task];
  for (const document of given.documents) parts.push(await defended(course, documentText(document), 'document'));
  if (given.content !== undefined) parts.push(await defended(course, given.content, 'step'));
  return [...messages, { role: 'user', content: parts.join('\n\n') }];
}

/** The tools of a turn, with descriptions as the target gets to see them. */
export async function toolsOf(course: Course, given: Given): Promise<Tool[]> {
  const chosen = course.defenses.reduce((tools, defense) => defense.tools?.(tools) ?? tools, given.tools);
  const shown: Tool[] = [];
  for (const tool of chosen) {
    const description = await defended(course, tool.description, 'description');
    const parameters = (await describedAnew(course, tool.parameters as unknown as Json)) as unknown as Parameters;
    shown.push({ ...tool, description, parameters });
  }
  return shown;
}

/** The descriptions within a JSON Schema are written by whoever wrote the tool, too. */
async function describedAnew(course: Course, value: Json): Promise<Json> {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((item: Json) => describedAnew(course, item)));
  const members: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    const isText = key === 'description' && typeof item === 'string';
    members.push([key, isText ? await defended(course, item, 'description') : await describedAnew(course, item)]);
  }
  return Object.fromEntries(members);
}
