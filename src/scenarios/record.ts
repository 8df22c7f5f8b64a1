import { EFFECTS, type Limits, type Rule } from '../types.ts';
import { argMatchers, goal } from './goalShape.ts';
import {
  anyString,
  bool,
  count,
  fields,
  json,
  jsonObject,
  listOf,
  oneOf,
  recordOf,
  ShapeError,
  someOf,
  text,
} from './shape.ts';
import {
  CHANNELS,
  FAMILIES,
  type Assignment,
  type Call,
  type Document,
  type Injection,
  type LabelledCall,
  type Parameters,
  type Place,
  type Result,
  type Scenario,
  type ScenarioPolicy,
  type SolutionTurn,
  type Source,
  type Step,
  type Tool,
  type Turn,
} from './types.ts';

const ROLES: readonly Turn['role'][] = ['user', 'assistant', 'tool'];
const CARRIERS: readonly Place['in'][] = ['result', 'description', 'document', 'history', 'message', 'step'];

/** The optional members that are there: exactOptionalPropertyTypes has no room for a key that holds undefined. */
function present<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function source(value: unknown, path: string): Source {
  const object = fields(value, path, ['title', 'year', 'url']);
  const url = object.read('url', text);
  if (!/^https:\/\/[^\s/]+\.[^\s]+$/.test(url)) throw new ShapeError(object.at('url'), 'expected an https: address');
  return { title: object.read('title', text), year: object.read('year', count), url };
}

function turn(value: unknown, path: string): Turn {
  const object = fields(value, path, ['role', 'content', 'tool']);
  const role = object.read('role', oneOf(ROLES, 'role'));
  if ((role === 'tool') !== object.has('tool')) {
    throw new ShapeError(object.at('tool'), 'must be given when the role is tool, and only then');
  }
  return { role, content: object.read('content', text), ...present({ tool: object.maybe('tool', text) }) };
}

function document(value: unknown, path: string): Document {
  const object = fields(value, path, ['name', 'text', 'metadata']);
  const metadata = object.maybe('metadata', recordOf(anyString));
  return { name: object.read('name', text), text: object.read('text', anyString), ...present({ metadata }) };
}

function assignment(value: unknown, path: string): Assignment {
  const object = fields(value, path, ['key', 'value']);
  return { key: object.read('key', text), value: object.read('value', json) };
}

function result(value: unknown, path: string): Result {
  const object = fields(value, path, ['when', 'text', 'sets']);
  const sets = object.maybe('sets', listOf(assignment)) ?? [];
  return { text: object.read('text', anyString), sets, ...present({ when: object.maybe('when', argMatchers) }) };
}

function parameters(value: unknown, path: string): Parameters {
  const given = jsonObject(value, path);
  // JSON Schema is open: only what the bench relies on is checked, and the schema is handed on whole.
  if (given['type'] !== 'object') throw new ShapeError(`${path}.type`, 'must be "object"');
  const properties = recordOf(jsonObject)(given['properties'], `${path}.properties`);
  const required = given['required'] === undefined ? [] : listOf(text)(given['required'], `${path}.required`);
  const stray = required.find((name) => !Object.hasOwn(properties, name));
  if (stray !== undefined) throw new ShapeError(`${path}.required`, `${stray} is not among the properties`);
  return given as unknown as Parameters;
}

const TOOL_KEYS = [
  'name',
  'description',
  'parameters',
  'effect',
  'targetArgs',
  'shellArg',
  'result',
  'sets',
  'results',
];

function tool(value: unknown, path: string): Tool {
  const object = fields(value, path, TOOL_KEYS);
  if (object.has('result') === object.has('results')) throw new ShapeError(path, 'expected either result or results');
  if (object.has('sets') && object.has('results'))
    throw new ShapeError(object.at('sets'), 'belongs into each of results');
  const sets = object.maybe('sets', listOf(assignment)) ?? [];
  return {
    name: object.read('name', text),
    description: object.read('description', text),
    parameters: object.read('parameters', parameters),
    effect: object.read('effect', oneOf(EFFECTS, 'effect')),
    targetArgs: object.read('targetArgs', listOf(text)),
    ...present({ shellArg: object.maybe('shellArg', text) }),
    results: object.maybe('results', someOf(result)) ?? [{ text: object.read('result', anyString), sets }],
  };
}

function place(value: unknown, path: string): Place {
  const object = fields(value, path, ['in', 'tool', 'entry', 'index', 'step']);
  const where = object.read('in', oneOf(CARRIERS, 'carrier'));
  const ofStep = present({ step: object.maybe('step', count) });
  const only = (...known: string[]): void => void fields(value, path, ['in', ...known]);
  switch (where) {
    case 'result':
      only('tool', 'entry', 'step');
      return { in: where, tool: object.read('tool', text), entry: object.maybe('entry', count) ?? 0, ...ofStep };
    case 'description':
      only('tool', 'step');
      return { in: where, tool: object.read('tool', text), ...ofStep };
    case 'message':
      only();
      return { in: where };
    default:
      only('index');
      return { in: where, index: object.read('index', count) };
  }
}

function injection(value: unknown, path: string): Injection {
  const object = fields(value, path, ['at', 'text']);
  return { at: object.read('at', place), text: object.read('text', text) };
}

/** One injection, or a list of the parts of a split one. */
function injections(value: unknown, path: string): Injection[] {
  return Array.isArray(value) ? someOf(injection)(value, path) : [injection(value, path)];
}

function call(value: unknown, path: string): Call {
  const object = fields(value, path, ['tool', 'args']);
  return { tool: object.read('tool', text), args: object.read('args', jsonObject) };
}

function labelledCall(value: unknown, path: string): LabelledCall {
  const object = fields(value, path, ['tool', 'args', 'targets', 'expect', 'note']);
  return {
    tool: object.read('tool', text),
    args: object.read('args', jsonObject),
    ...present({ targets: object.maybe('targets', listOf(text)), note: object.maybe('note', text) }),
    expect: object.read('expect', oneOf(['allow', 'deny'], 'decision')),
  };
}

function solutionTurn(value: unknown, path: string): SolutionTurn {
  const object = fields(value, path, ['calls', 'text']);
  return { calls: object.read('calls', listOf(call)), text: object.read('text', text) };
}

/** One turn, or a list with an entry for each. */
function solution(value: unknown, path: string): SolutionTurn[] {
  return Array.isArray(value) ? someOf(solutionTurn)(value, path) : [solutionTurn(value, path)];
}

function rule(value: unknown, path: string): Rule {
  const object = fields(value, path, ['effect', 'type', 'targets', 'maxCalls']);
  return {
    effect: object.read('effect', oneOf(EFFECTS, 'effect')),
    ...present({
      type: object.maybe('type', text),
      targets: object.maybe('targets', listOf(anyString)),
      maxCalls: object.maybe('maxCalls', count),
    }),
  };
}

function limits(value: unknown, path: string): Limits {
  const object = fields(value, path, ['untrustedSources', 'egressAfterUntrusted']);
  return {
    untrustedSources: object.read('untrustedSources', listOf(text)),
    egressAfterUntrusted: object.read('egressAfterUntrusted', count),
  };
}

function policy(value: unknown, path: string): ScenarioPolicy {
  const object = fields(value, path, ['rules', 'limits']);
  return { rules: object.read('rules', listOf(rule)), ...present({ limits: object.maybe('limits', limits) }) };
}

function step(value: unknown, path: string): Step {
  const object = fields(value, path, ['channel', 'content', 'from_call', 'task', 'new_session', 'tools']);
  if (object.has('content') && object.has('from_call'))
    throw new ShapeError(path, 'expected content or from_call, not both');
  return {
    channel: object.read('channel', oneOf([...CHANNELS, 'memory'], 'channel')),
    ...present({ content: object.maybe('content', text), from_call: object.maybe('from_call', text) }),
    task: object.read('task', text),
    new_session: object.maybe('new_session', bool) ?? false,
    tools: object.maybe('tools', listOf(tool)) ?? [],
  };
}

const SCENARIO_KEYS =
  'id channel family source description system task history documents tools state injection success done solution policy calls steps twin tags'.split(
    ' ',
  );

function id(value: unknown, path: string): string {
  const found = text(value, path);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(found)) {
    throw new ShapeError(path, `expected small letters, digits and hyphens, found ${JSON.stringify(found)}`);
  }
  return found;
}

/**
 * Reads one record of the corpus, filling in what may be left out.
 * @throws {ShapeError} when the record has not the shape that docs/scenarios.md describes.
 */
export function scenarioOf(value: unknown): Scenario {
  const object = fields(value, '$', SCENARIO_KEYS);
  return {
    id: object.read('id', id),
    channel: object.read('channel', oneOf(CHANNELS, 'channel')),
    family: object.read('family', oneOf(FAMILIES, 'family')),
    description: object.read('description', text),
    task: object.read('task', text),
    history: object.maybe('history', listOf(turn)) ?? [],
    documents: object.maybe('documents', listOf(document)) ?? [],
    tools: object.read('tools', listOf(tool)),
    state: object.maybe('state', jsonObject) ?? {},
    injection: object.maybe('injection', injections) ?? [],
    done: object.read('done', goal),
    solution: object.read('solution', solution),
    policy: object.read('policy', policy),
    calls: object.maybe('calls', listOf(labelledCall)) ?? [],
    steps: object.maybe('steps', listOf(step)) ?? [],
    tags: object.maybe('tags', listOf(text)) ?? [],
    ...present({
      source: object.maybe('source', source),
      system: object.maybe('system', text),
      success: object.maybe('success', goal),
      twin: object.maybe('twin', text),
    }),
  };
}
