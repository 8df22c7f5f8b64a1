import { BenchError } from './errors.ts';

/** Where in a file a value stands: `data/x.jsonl:12: $.actions[0].effect`. */
export interface Place {
  readonly file: string;
  /** Counted from 1; absent for files that hold one JSON value. */
  readonly line?: number;
  readonly path: string;
}

/** @throws {BenchError} `input`, always: what is wrong, and where. */
export function refuse(place: Place, message: string): never {
  const line = place.line === undefined ? '' : `:${place.line}`;
  const path = place.path === '$' ? '' : ` ${place.path}:`;
  throw new BenchError('input', `${place.file}${line}:${path} ${message}`);
}

/** The place of a member or an element of the value at `place`. */
export function inside(place: Place, key: string | number): Place {
  const step =
    typeof key === 'number' ? `[${key}]` : /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  return { ...place, path: place.path + step };
}

/** A value as a person would recognize it in a message: JSON, cut at 60 characters. */
export function show(value: unknown): string {
  const text = (typeof value === 'number' ? undefined : JSON.stringify(value)) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

export function asObject(value: unknown, place: Place): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuse(place, `expected an object, found ${show(value)}`);
  }
  return value as Record<string, unknown>;
}

/** An object that has every required key and no key that is neither required nor optional. */
export function asRecord(
  value: unknown,
  place: Place,
  required: readonly string[],
  optional: readonly string[] = [],
): Record<string, unknown> {
  const record = asObject(value, place);
  for (const key of required) if (!Object.hasOwn(record, key)) refuse(place, `the key ${show(key)} is missing`);
  for (const key of Object.keys(record)) {
    if (!required.includes(key) && !optional.includes(key)) refuse(place, `unknown key ${show(key)}`);
  }
  return record;
}

export function asString(value: unknown, place: Place): string {
  return typeof value === 'string' ? value : refuse(place, `expected a string, found ${show(value)}`);
}

/** A string that names something: not empty. */
export function asName(value: unknown, place: Place): string {
  return asString(value, place) === '' ? refuse(place, 'expected a name, found an empty string') : (value as string);
}

export function asCount(value: unknown, place: Place): number {
  return Number.isSafeInteger(value) && (value as number) >= 0
    ? (value as number)
    : refuse(place, `expected a whole number, 0 or more, found ${show(value)}`);
}

export function asOneOf<T extends string>(value: unknown, place: Place, allowed: readonly T[], what: string): T {
  const found = allowed.find((one) => one === value);
  return found ?? refuse(place, `unknown ${what} ${show(value)} (one of ${allowed.join(', ')})`);
}

export function asArray<T>(value: unknown, place: Place, element: (value: unknown, place: Place) => T): T[] {
  if (!Array.isArray(value)) refuse(place, `expected an array, found ${show(value)}`);
  return value.map((one, index) => element(one, inside(place, index)));
}

/** @throws {BenchError} `input` when the text is not JSON. */
export function parseJson(text: string, place: Place): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Node quotes the text around the fault, line ends and all.
    return refuse(place, `not JSON: ${(error as Error).message.replace(/\s+/g, ' ')}`);
  }
}
