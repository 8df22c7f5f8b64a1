import { jsonObjectOf } from './jsonObject.ts';
import type { TargetResult, Usage } from './target.ts';
import type { JsonObject } from './types.ts';

type Loose = { readonly [key in keyof TargetResult]?: unknown };

/**
 * What a target returned, if it is what a target may return; its own further members are left out.
 * @throws {Error} naming the member that is not
 */
export function checkedResult(result: unknown): TargetResult {
  const { text, usage, model, stopReason, parameters, notes } = (result ?? {}) as Loose;
  if (typeof text !== 'string') throw new Error('returned something else than { text }');
  return {
    text,
    ...(usage !== undefined && { usage: member('usage', usage, isUsage, '{ input, output }, numbers or null') }),
    ...(model !== undefined && { model: member('model', model, isText, 'text') }),
    ...(stopReason !== undefined && { stopReason: member('stopReason', stopReason, isText, 'text') }),
    ...(parameters !== undefined && { parameters: parametersOf(parameters) }),
    ...(notes !== undefined && { notes: member('notes', notes, isTexts, 'a list of texts') }),
  };
}

function member<T>(name: string, value: unknown, is: (value: unknown) => value is T, wanted: string): T {
  if (is(value)) return value;
  throw new Error(`returned ${name} that is not ${wanted}`);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
const isCount = (value: unknown): boolean => value === null || Number.isFinite(value);
const isUsage = (value: unknown): value is Usage =>
  typeof value === 'object' &&
  value !== null &&
  isCount((value as Partial<Usage>).input) &&
  isCount((value as Partial<Usage>).output);

function parametersOf(value: unknown): JsonObject {
  const parameters = jsonObjectOf(value);
  if (parameters) return parameters;
  throw new Error('returned parameters that are not a JSON object');
}
