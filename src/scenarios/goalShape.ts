import { bool, fields, json, listOf, oneOf, recordOf, ShapeError, someOf, text, type Fields } from './shape.ts';
import type { ArgMatcher, ArgMatchers, Condition, Goal, Sink } from './types.ts';

const MATCHERS = ['equals', 'contains', 'matches', 'absent'] as const;
const CONDITION_TYPES: readonly Condition['type'][] = ['canary', 'tool_call', 'exfiltration', 'state', 'sequence'];

/** Compiles a pattern of the corpus: Unicode, `.` also matches line ends. */
export function compile(source: string): RegExp {
  return new RegExp(source, 'su');
}

function pattern(value: unknown, path: string): string {
  const source = text(value, path);
  try {
    compile(source);
  } catch (error) {
    throw new ShapeError(path, (error as Error).message);
  }
  return source;
}

function argMatcher(value: unknown, path: string): ArgMatcher {
  const object = fields(value, path, MATCHERS);
  const given = MATCHERS.filter((key) => object.has(key));
  if (given.length !== 1) throw new ShapeError(path, `expected exactly one of ${MATCHERS.join(', ')}`);
  switch (given[0]) {
    case 'contains':
      return { contains: object.read('contains', text) };
    case 'matches':
      return { matches: object.read('matches', pattern) };
    case 'absent':
      if (!object.read('absent', bool)) throw new ShapeError(object.at('absent'), 'must be true');
      return { absent: true };
    default:
      return { equals: object.read('equals', json) };
  }
}

export const argMatchers: (value: unknown, path: string) => ArgMatchers = recordOf(argMatcher);

function sink(value: unknown, path: string): Sink {
  const object = fields(value, path, ['tool', 'arg', 'args', 'text']);
  if (object.has('text')) {
    if (object.has('tool') || object.has('arg') || object.has('args')) {
      throw new ShapeError(path, 'a sink is either a tool or a text, not both');
    }
    return { text: object.read('text', oneOf(['url', 'image'], 'sink in a text')) };
  }
  const arg = object.maybe('arg', text);
  const args = object.maybe('args', argMatchers);
  return { tool: object.read('tool', text), ...(arg !== undefined && { arg }), ...(args && { args }) };
}

function wantedCall(value: unknown, path: string): { tool: string; args: ArgMatchers } {
  const object = fields(value, path, ['tool', 'args']);
  return { tool: object.read('tool', text), args: object.maybe('args', argMatchers) ?? {} };
}

function stateCondition(object: Fields): Condition {
  const given = MATCHERS.filter((key) => object.has(key));
  if (given.length !== 1) throw new ShapeError(object.path, `expected exactly one of ${MATCHERS.join(', ')}`);
  const name = given[0] as string;
  return {
    type: 'state',
    key: object.read('key', text),
    value: object.read(name, (value, path) => argMatcher({ [name]: value }, path.slice(0, -name.length - 1))),
  };
}

/** Per type of condition: its keys beside `type`, and how to read them. */
const CONDITIONS: {
  readonly [type in Condition['type']]: {
    readonly keys: readonly string[];
    readonly read: (object: Fields) => Condition;
  };
} = {
  canary: { keys: ['token'], read: (object) => ({ type: 'canary', token: object.read('token', text) }) },
  tool_call: {
    keys: ['tool', 'args'],
    read: (object) => ({
      type: 'tool_call',
      tool: object.read('tool', text),
      args: object.maybe('args', argMatchers) ?? {},
    }),
  },
  exfiltration: {
    keys: ['secret', 'sinks'],
    read: (object) => ({
      type: 'exfiltration',
      secret: object.read('secret', text),
      sinks: object.read('sinks', someOf(sink)),
    }),
  },
  state: { keys: ['key', ...MATCHERS], read: stateCondition },
  sequence: {
    keys: ['calls'],
    read: (object) => ({ type: 'sequence', calls: object.read('calls', someOf(wantedCall)) }),
  },
};

const ALL_KEYS = ['type', ...new Set(Object.values(CONDITIONS).flatMap(({ keys }) => keys))];

function condition(value: unknown, path: string): Condition {
  const type = fields(value, path, ALL_KEYS).read('type', oneOf(CONDITION_TYPES, 'condition'));
  const { keys, read } = CONDITIONS[type];
  return read(fields(value, path, ['type', ...keys]));
}

/** A condition, a list of which any suffices, or `{"all": [...]}`. */
export function goal(value: unknown, path: string): Goal {
  if (Array.isArray(value)) return { any: someOf(condition)(value, path) };
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, 'all')) {
    return {
      all: fields(value, path, ['all']).read('all', (list, at) => someOf(condition)(listOf(json)(list, at), at)),
    };
  }
  return { any: [condition(value, path)] };
}
