import type { Json, JsonObject } from './types.ts';

/** A value that does not have the shape it must have, with the JSON path to it. */
export class ShapeError extends Error {
  readonly path: string;

  constructor(path: string, reason: string) {
    super(reason);
    this.name = 'ShapeError';
    this.path = path;
  }
}

/** An object whose keys were checked, read key by key. */
export interface Fields {
  readonly path: string;
  /** The path of a member. */
  at(key: string): string;
  has(key: string): boolean;
  /** @throws {ShapeError} when the key is missing and the reader takes no undefined. */
  read<T>(key: string, reader: (value: unknown, path: string) => T): T;
  /** `undefined` when the key is missing; null is a value like any other. */
  maybe<T>(key: string, reader: (value: unknown, path: string) => T): T | undefined;
}

const own = (value: object, key: string): unknown => (Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined);

/** `$.a["b c"][0]`: dots for plain names, brackets for the rest. */
function member(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

function plainObject(value: unknown, path: string): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ShapeError(path, `expected an object, found ${kindOf(value)}`);
  }
  return value;
}

/** An object of these keys and no others. */
export function fields(value: unknown, path: string, known: readonly string[]): Fields {
  const object = plainObject(value, path);
  for (const key of Object.keys(object)) {
    if (!known.includes(key)) throw new ShapeError(member(path, key), `unknown key; known here: ${known.join(', ')}`);
  }
  const at = (key: string): string => member(path, key);
  const has = (key: string): boolean => Object.hasOwn(object, key);
  return {
    path,
    at,
    has,
    read(key, reader) {
      if (!has(key)) throw new ShapeError(at(key), 'is missing');
      return reader(own(object, key), at(key));
    },
    maybe: (key, reader) => (has(key) ? reader(own(object, key), at(key)) : undefined),
  };
}

/** An object of any keys, each value of one shape. */
export function recordOf<T>(
  reader: (value: unknown, path: string) => T,
): (value: unknown, path: string) => Record<string, T> {
  return (value, path) => {
    const entries = Object.entries(plainObject(value, path)).map(
      ([key, item]) => [key, reader(item, member(path, key))] as const,
    );
    return Object.fromEntries(entries);
  };
}

/** A list, each element of one shape. */
export function listOf<T>(reader: (value: unknown, path: string) => T): (value: unknown, path: string) => T[] {
  return (value, path) => {
    if (!Array.isArray(value)) throw new ShapeError(path, `expected a list, found ${kindOf(value)}`);
    return value.map((item, index) => reader(item, member(path, index)));
  };
}

/** A list that is not empty. */
export function someOf<T>(reader: (value: unknown, path: string) => T): (value: unknown, path: string) => T[] {
  return (value, path) => {
    const list = listOf(reader)(value, path);
    if (list.length === 0) throw new ShapeError(path, 'must not be empty');
    return list;
  };
}

/** One of these strings. */
export function oneOf<T extends string>(known: readonly T[], what: string): (value: unknown, path: string) => T {
  return (value, path) => {
    const found = known.find((candidate) => candidate === value);
    if (found === undefined) {
      throw new ShapeError(path, `unknown ${what} ${JSON.stringify(value)}; known: ${known.join(', ')}`);
    }
    return found;
  };
}

export function anyString(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new ShapeError(path, `expected a string, found ${kindOf(value)}`);
  return value;
}

/** A string that holds more than white space. */
export function text(value: unknown, path: string): string {
  const found = anyString(value, path);
  if (found.trim() === '') throw new ShapeError(path, 'must not be empty');
  return found;
}

/** A whole number of at least 0. */
export function count(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    throw new ShapeError(path, `expected a whole number of at least 0, found ${kindOf(value)}`);
  }
  return value;
}

export function bool(value: unknown, path: string): boolean {
  if (typeof value !== 'boolean') throw new ShapeError(path, `expected true or false, found ${kindOf(value)}`);
  return value;
}

/** Any JSON value: what JSON.parse gave. */
export function json(value: unknown): Json {
  return value as Json;
}

export function jsonObject(value: unknown, path: string): JsonObject {
  return plainObject(value, path) as JsonObject;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return `${typeof value} ${JSON.stringify(value)}`;
}
