import { parsePythonList } from './python_list.ts';
import { sha256 } from './text_rules.ts';

/** The targets in one argument, and what was odd about it. */
export interface ArgumentTargets {
  readonly targets: readonly string[];
  /** Some value was neither text, a number, a list nor null; it gave no target. */
  readonly malformed: boolean;
  /** The argument was text that reads as a list literal, and was taken as that list. */
  readonly listLiteral: boolean;
}

/**
 * The targets in one argument of a tool: none for null, one for each element of a list, numbers as text, URLs without
 * their scheme. Text that reads as a list literal is that list, as in AgentDojo's executor.
 */
export function targetsOf(value: unknown): ArgumentTargets {
  const list = typeof value === 'string' ? parsePythonList(value) : undefined;
  const targets: string[] = [];
  const malformed = !collect(list ?? value, targets);
  return { targets, malformed, listLiteral: list !== undefined };
}

/** Adds a value's targets; false when some part of it can be none. */
function collect(value: unknown, targets: string[]): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.map((element) => collect(element, targets)).every(Boolean);
  if (typeof value === 'number') targets.push(Number.isInteger(value) ? BigInt(value).toString() : String(value));
  else if (typeof value === 'string') targets.push(value.replace(/^https:\/\//, '').replace(/^http:\/\//, ''));
  else return false;
  return true;
}

/**
 * Whether a target is prose rather than a name: agents do pass whole sentences as a channel, mostly ones of the
 * injection. Tighter than rules.py, which refuses such targets in a ground truth: no target of AgentDojo's has more than
 * four words, and fragments of its sentences have five.
 */
export function isProse(target: string): boolean {
  return target.includes('\n') || target.length > 200 || target.split(' ').length > 4;
}

/** What stands for prose in the output, since that holds no sentence of AgentDojo's: equal for equal texts only. */
export function proseDigest(target: string): string {
  return `prose:${sha256(target).slice(0, 16)}`;
}
