import type { Action, PolicySpec } from '../types.ts';

/** The version of the line protocol; docs/protocol.md has every message. */
export const PROTOCOL = 1;

/** What the bench writes, a JSON object a line. Every request has an id of its own, and gets one answer with that id. */
export type ExecRequest =
  | { readonly id: number; readonly type: 'hello'; readonly protocol: number }
  | { readonly id: number; readonly type: 'open'; readonly session: number; readonly policy: PolicySpec }
  | { readonly id: number; readonly type: 'check'; readonly session: number; readonly action: Action }
  | { readonly id: number; readonly type: 'close'; readonly session: number };

/** An answer, as far as it has been looked at: it is an object and carries the id of a request. */
export type ExecReply = Readonly<Record<string, unknown>> & { readonly id: number };

/** @returns the reply, or what is wrong with the line */
export function parseReply(line: string): ExecReply | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return `wrote a line that is no JSON: ${quote(line)}`;
  }
  if (typeof value !== 'object' || value === null || !Number.isSafeInteger((value as ExecReply).id)) {
    return `wrote a line that is no object with an id: ${quote(line)}`;
  }
  return value as ExecReply;
}

function quote(line: string): string {
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}...` : line);
}
