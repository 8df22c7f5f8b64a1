import type { Action, Origin } from '../types.ts';
import { shellTargets } from './shell.ts';
import type { Json, JsonObject, Tool } from './types.ts';

/** The targets in one argument: none for null, one per element for a list, numbers as text. Nothing is shortened: an address keeps its scheme. */
function targetsIn(value: Json | undefined): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item: Json) => targetsIn(item));
  if (typeof value === 'object') return [JSON.stringify(value)];
  return [String(value)];
}

/** What a call lands on: the values of the tool's target arguments in their order, then what its command line names. */
export function targetsOf(tool: Tool, args: JsonObject): string[] {
  const plain = tool.targetArgs.flatMap((name) => targetsIn(Object.hasOwn(args, name) ? args[name] : null));
  const command = tool.shellArg === undefined ? undefined : args[tool.shellArg];
  return typeof command === 'string' ? [...plain, ...shellTargets(command)] : plain;
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

/** Whether a text names a target: upper and lower case the same, no letter or digit next to it; one of digits only after a word for such a number. */
export function names(text: string, target: string): boolean {
  if (target === '') return false;
  const lead = /^\d+$/.test(target)
    ? String.raw`(?:\b(?:file|event|email|transaction|id|number)\s+|#)`
    : String.raw`(?<![\p{L}\p{N}])`;
  return new RegExp(`${lead}${escaped(target)}(?![\\p{L}\\p{N}])`, 'iu').test(text);
}

/** Where a target was first seen: in the user's own words, else in untrusted text, else nowhere. */
export function originOf(target: string, userText: string, untrustedText: string): Origin {
  if (names(userText, target)) return 'user';
  return names(untrustedText, target) ? 'tool' : 'model';
}

/** A call as a gate sees it, deeply frozen. */
export function actionOf(
  tool: Tool,
  args: JsonObject,
  given: { readonly targets?: readonly string[] | undefined; readonly origins?: readonly Origin[] | undefined } = {},
): Action {
  const targets = Object.freeze([...(given.targets ?? targetsOf(tool, args))]);
  return Object.freeze({
    type: tool.name,
    effect: tool.effect,
    ...(targets.length > 0 && { target: targets.join(', ') }),
    targets,
    ...(given.origins && { origins: Object.freeze([...given.origins]) }),
  });
}
