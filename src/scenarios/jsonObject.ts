import type { JsonObject } from './types.ts';

/** A value of a target's as JSON keeps it, a copy of its own: what the target does to it afterwards changes no record. undefined: no JSON object. */
export function jsonObjectOf(value: unknown): JsonObject | undefined {
  try {
    const copy = JSON.parse(JSON.stringify(value) ?? 'null') as unknown;
    return typeof copy === 'object' && copy !== null && !Array.isArray(copy) ? (copy as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
