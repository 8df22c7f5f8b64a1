import type { Corpus, GroundTruthAction, InjectionTask, UserTask } from '../corpus.ts';
import {
  asArray,
  asCount,
  asObject,
  asOneOf,
  asRecord,
  asString,
  inside,
  parseJson,
  type Place,
  refuse,
  show,
} from '../json-guard.ts';
import { ORIGINS } from '../types.ts';
import { type RecordedRun, RUN_ERRORS } from './recording.ts';

/** What the lines of one recording are read against, and what is known from the lines before. */
export interface Reader {
  readonly corpus: Corpus;
  /** How many actions the runs can refer to. */
  readonly actions: number;
  /** The corpus's tasks by suite and id. */
  readonly tasks: ReadonlyMap<string, SuiteTasks>;
  /** Per attack (null: none), the runs read so far, as numbers that no two cells of the corpus share. */
  readonly seen: Map<string | null, Set<number>>;
}

interface SuiteTasks {
  readonly user: ReadonlyMap<string, Numbered<UserTask>>;
  readonly injection: ReadonlyMap<string, Numbered<InjectionTask>>;
}

interface Numbered<Task> {
  readonly task: Task;
  /** Counted over the whole corpus, from 1. */
  readonly number: number;
}

/** @param actions how many actions the recording has */
export function createReader(corpus: Corpus, actions: number): Reader {
  let number = 0;
  const index = <Task extends { readonly id: string }>(tasks: readonly Task[]): Map<string, Numbered<Task>> =>
    new Map(tasks.map((task) => [task.id, { task, number: ++number }]));
  const tasks = new Map(
    corpus.suites.map((suite) => [
      suite.name,
      { user: index(suite.userTasks), injection: index(suite.injectionTasks) },
    ]),
  );
  return { corpus, actions, tasks, seen: new Map() };
}

/** @throws {BenchError} `input`: an action must agree with the table of tools */
export function readAction(line: string, place: Place, { corpus }: Reader): GroundTruthAction {
  const raw = asRecord(parseJson(line, place), place, ['kind', 'type', 'effect', 'targets', 'origins']);
  asOneOf(raw['kind'], inside(place, 'kind'), ['action'], 'kind');
  const type = asString(raw['type'], inside(place, 'type'));
  const tool = corpus.tools.get(type) ?? refuse(inside(place, 'type'), `the table of tools has no ${show(type)}`);
  if (raw['effect'] !== tool.effect) {
    refuse(inside(place, 'effect'), `${show(raw['effect'])}, but the table of tools says "${tool.effect}"`);
  }
  const targets = asArray(raw['targets'], inside(place, 'targets'), asString);
  const origins = asArray(raw['origins'], inside(place, 'origins'), (value, at) =>
    asOneOf(value, at, ORIGINS, 'origin'),
  );
  if (targets.length !== origins.length)
    refuse(inside(place, 'origins'), `${origins.length} for ${targets.length} targets`);
  if (targets.length > 0 && tool.targets.length === 0) {
    refuse(inside(place, 'targets'), `the table of tools gives "${type}" no target arguments`);
  }
  return { type, effect: tool.effect, targets, origins };
}

const OF_AN_ATTACK = ['attack', 'injection', 'goalMet'];
const BENIGN_KEYS = ['kind', 'suite', 'user', 'utility', 'calls'];
const ATTACKED_KEYS = [...BENIGN_KEYS, ...OF_AN_ATTACK];
const OPTIONAL_KEYS = ['error', 'request', 'unknownTools', 'malformed'];

/** @throws {BenchError} `input`: a run must be of a task of the corpus, be there once, and refer to actions that are there */
export function readRun(line: string, place: Place, reader: Reader): RecordedRun {
  const raw = asObject(parseJson(line, place), place);
  const isAttacked = OF_AN_ATTACK.some((key) => raw[key] !== undefined);
  requireKeys(raw, isAttacked ? ATTACKED_KEYS : BENIGN_KEYS, place);
  if (raw['kind'] !== 'run') asOneOf(raw['kind'], inside(place, 'kind'), ['run'], 'kind');
  const suite = text(raw, 'suite', place);
  const attack = isAttacked ? text(raw, 'attack', place) : null;
  const user = findTask(reader, suite, 'user', raw, place);
  const injection = isAttacked ? findTask(reader, suite, 'injection', raw, place) : null;
  requireNew(reader, attack, user.number * 2 ** 20 + (injection?.number ?? 0), place);
  return {
    userTask: user.task,
    attack,
    injectionTask: injection?.task ?? null,
    utility: verdict(raw, 'utility', place),
    goalMet: isAttacked ? verdict(raw, 'goalMet', place) : null,
    error: raw['error'] === undefined ? null : asOneOf(raw['error'], inside(place, 'error'), RUN_ERRORS, 'error'),
    calls: raw['calls'] === null ? null : callsOf(raw, place, reader.actions),
    otherVersion: isOtherVersion(raw, user.task, place),
    unknownTools: optionalCount(raw, 'unknownTools', place),
    malformed: optionalCount(raw, 'malformed', place),
  };
}

// The readers below build the place of a member only to refuse it: there are tens of thousands of runs.

type Raw = Record<string, unknown>;

function requireKeys(raw: Raw, required: readonly string[], place: Place): void {
  const keys = Object.keys(raw);
  const areKnown = keys.every((key) => required.includes(key) || OPTIONAL_KEYS.includes(key));
  if (!areKnown || required.some((key) => raw[key] === undefined)) asRecord(raw, place, required, OPTIONAL_KEYS);
}

function text(raw: Raw, key: string, place: Place): string {
  const value = raw[key];
  return typeof value === 'string' ? value : asString(value, inside(place, key));
}

function verdict(raw: Raw, key: string, place: Place): boolean | null {
  const value = raw[key];
  if (typeof value === 'boolean' || value === null) return value;
  return refuse(inside(place, key), `expected true, false or null, found ${show(value)}`);
}

function optionalCount(raw: Raw, key: string, place: Place): number {
  return raw[key] === undefined ? 0 : asCount(raw[key], inside(place, key));
}

function callsOf(raw: Raw, place: Place, actions: number): readonly number[] {
  const calls = raw['calls'];
  if (!Array.isArray(calls)) refuse(inside(place, 'calls'), `expected an array or null, found ${show(calls)}`);
  const wrong = calls.findIndex((call) => !Number.isInteger(call) || call < 0 || call >= actions);
  if (wrong === -1) return calls as number[];
  return refuse(inside(inside(place, 'calls'), wrong), `no index of the ${actions} actions: ${show(calls[wrong])}`);
}

function findTask<Kind extends 'user' | 'injection'>(
  { tasks }: Reader,
  suite: string,
  kind: Kind,
  raw: Raw,
  place: Place,
): NonNullable<ReturnType<SuiteTasks[Kind]['get']>> {
  type Found = NonNullable<ReturnType<SuiteTasks[Kind]['get']>>;
  const id = text(raw, kind, place);
  const found = tasks.get(suite)?.[kind].get(id) as Found | undefined;
  return found ?? refuse(inside(place, kind), `the ground truth has no ${show(`${suite}/${id}`)}`);
}

function requireNew({ seen }: Reader, attack: string | null, cell: number, place: Place): void {
  const cells = seen.get(attack) ?? new Set();
  if (cells.has(cell)) refuse(place, 'this run (suite, user, attack, injection) is there twice');
  seen.set(attack, cells.add(cell));
}

/** A run without a trace has no request either: nobody can tell, and it is left out for that reason already. */
function isOtherVersion(raw: Raw, userTask: UserTask, place: Place): boolean {
  const request = raw['request'] === undefined ? undefined : text(raw, 'request', place);
  if (userTask.request === undefined || request === userTask.request) return false;
  if (request === undefined && raw['calls'] !== null) {
    refuse(
      inside(place, 'request'),
      `missing: only it tells which version of ${userTask.suite}/${userTask.id} this is`,
    );
  }
  return request !== undefined;
}
