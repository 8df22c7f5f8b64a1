import { AGENTDOJO_ID, requireAgentDojoHeader, requireAgentDojoTasks } from './agentdojo-corpus.ts';
import { checkNamed, checkTask, type PlacedTask } from './corpus-checks.ts';
import type { CorpusCounts, CorpusHeader, GroundTruthAction, InjectionTask, Suite, UserTask } from './corpus.ts';
import {
  asArray,
  asCount,
  asName,
  asObject,
  asOneOf,
  asRecord,
  asString,
  inside,
  parseJson,
  type Place,
  refuse,
  show,
} from './json-guard.ts';
import { splitLines, type TextFile } from './text-file.ts';
import { showArgument, targetCounts, type Tool, type ToolTable } from './tools-table.ts';
import { EFFECTS, ORIGINS } from './types.ts';

const GROUND_TRUTH_SCHEMA = 'toolgate-bench/ground-truth@1';

/** @throws {BenchError} `input`, naming file, line and JSON path. */
export function parseGroundTruth(source: TextFile, tools: ToolTable): { header: CorpusHeader; suites: Suite[] } {
  const [first, ...lines] = splitLines(source);
  const place = { file: source.file, line: 1, path: '$' };
  const header = parseHeader(first ?? '', place, tools);
  if (header.id === AGENTDOJO_ID) requireAgentDojoHeader(header, place);
  const seen = new Map<string, number>();
  const tasks = lines.map((line, index) => {
    const at = { file: source.file, line: index + 2, path: '$' };
    const placed = parseTask(parseJson(line, at), at, tools);
    const { kind, task } = placed;
    const key = JSON.stringify([kind, task.suite, task.id]);
    if (seen.has(key)) refuse(inside(at, 'id'), `duplicate id ${show(task.id)} (first on line ${seen.get(key)})`);
    seen.set(key, at.line);
    checkTask(placed, header.untrustedSources);
    return placed;
  });
  checkNamed(tasks);
  if (header.id === AGENTDOJO_ID) requireAgentDojoTasks(tasks, source.file);
  return { header, suites: suitesOf(tasks) };
}

/** Suites in the order in which the file first names them. */
function suitesOf(tasks: readonly PlacedTask[]): Suite[] {
  const suites = new Map<string, { name: string; userTasks: UserTask[]; injectionTasks: InjectionTask[] }>();
  for (const { kind, task } of tasks) {
    const suite = suites.get(task.suite) ?? { name: task.suite, userTasks: [], injectionTasks: [] };
    suites.set(task.suite, suite);
    if (kind === 'user') suite.userTasks.push(task);
    else suite.injectionTasks.push(task);
  }
  return [...suites.values()];
}

function parseHeader(line: string, place: Place, tools: ToolTable): CorpusHeader {
  const keys = ['kind', 'schema', 'id', 'package', 'version', 'counts', 'untrustedSources'];
  const value = asRecord(parseJson(line, place), place, keys);
  asOneOf(value['kind'], inside(place, 'kind'), ['header'], 'kind');
  asOneOf(value['schema'], inside(place, 'schema'), [GROUND_TRUTH_SCHEMA], 'schema');
  const untrustedSources = parseSources(value['untrustedSources'], inside(place, 'untrustedSources'), tools);
  return {
    id: asName(value['id'], inside(place, 'id')),
    package: asName(value['package'], inside(place, 'package')),
    version: asName(value['version'], inside(place, 'version')),
    counts: parseCounts(value['counts'], inside(place, 'counts')),
    untrustedSources,
  };
}

function parseSources(value: unknown, place: Place, tools: ToolTable): string[] {
  const sources = asArray(value, place, asString);
  if (sources.length === 0) refuse(place, 'no tool is listed, so that no result could carry an injection');
  sources.forEach((name, index) => {
    if (!tools.has(name)) refuse(inside(place, index), `tool ${show(name)} is not in the tools table`);
    if (sources.indexOf(name) !== index) refuse(inside(place, index), `tool ${show(name)} is listed twice`);
  });
  return sources;
}

function parseCounts(value: unknown, place: Place): CorpusCounts {
  const counts = asRecord(value, place, ['userTasks', 'injectionTasks', 'pairs', 'excludedPairs']);
  const count = (key: string): number => asCount(counts[key], inside(place, key));
  return {
    userTasks: count('userTasks'),
    injectionTasks: count('injectionTasks'),
    pairs: count('pairs'),
    excludedPairs: count('excludedPairs'),
  };
}

function parseTask(value: unknown, place: Place, tools: ToolTable): PlacedTask {
  const kind = asOneOf(asObject(value, place)['kind'], inside(place, 'kind'), ['user', 'injection'], 'kind');
  const common = ['kind', 'suite', 'id', 'actions'];
  const record =
    kind === 'user'
      ? asRecord(value, place, [...common, 'named', 'exposure'], ['request'])
      : asRecord(value, place, common);
  const suite = asName(record['suite'], inside(place, 'suite'));
  const id = asName(record['id'], inside(place, 'id'));
  const actions = asArray(record['actions'], inside(place, 'actions'), (action, at) => parseAction(action, at, tools));
  if (kind === 'injection') return { place, kind, task: { suite, id, actions } };
  return { place, kind, task: { suite, id, actions, ...parseUserMembers(record, place, actions.length) } };
}

function parseUserMembers(
  record: Record<string, unknown>,
  place: Place,
  actions: number,
): Pick<UserTask, 'named' | 'exposure' | 'request'> {
  const exposure = asCount(record['exposure'], inside(place, 'exposure'));
  if (exposure >= actions)
    refuse(inside(place, 'exposure'), `no action has the index ${exposure} (there are ${actions})`);
  const named = asArray(record['named'], inside(place, 'named'), asString);
  if (!Object.hasOwn(record, 'request')) return { named, exposure };
  return { named, exposure, request: asDigest(record['request'], inside(place, 'request')) };
}

function asDigest(value: unknown, place: Place): string {
  const text = asString(value, place);
  return /^sha256:[0-9a-f]{64}$/.test(text) ? text : refuse(place, `expected a SHA-256 digest, found ${show(text)}`);
}

/** One action with its origins, in agreement with the tools table. */
function parseAction(value: unknown, place: Place, tools: ToolTable): GroundTruthAction {
  const action = asRecord(value, place, ['type', 'effect', 'targets', 'origins']);
  const type = asString(action['type'], inside(place, 'type'));
  const tool = tools.get(type) ?? refuse(inside(place, 'type'), `tool ${show(type)} is not in the tools table`);
  const effect = asOneOf(action['effect'], inside(place, 'effect'), EFFECTS, 'effect');
  if (effect !== tool.effect)
    refuse(inside(place, 'effect'), `${show(effect)}, but the tools table says ${show(tool.effect)}`);
  const targets = asArray(action['targets'], inside(place, 'targets'), asString);
  requireTargetCount(targets.length, type, tool, inside(place, 'targets'));
  const origins = asArray(action['origins'], inside(place, 'origins'), (one, at) =>
    asOneOf(one, at, ORIGINS, 'origin'),
  );
  if (origins.length !== targets.length) {
    refuse(inside(place, 'origins'), `${origins.length} origins for ${targets.length} targets`);
  }
  return { type, effect, targets, origins };
}

/** A ground truth's calls are well-formed. (A recorded run's need not be: the model wrote them.) */
function requireTargetCount(found: number, type: string, tool: Tool, place: Place): void {
  const { least, most } = targetCounts(tool);
  if (found >= least && found <= most) return;
  if (most === 0) refuse(place, `${found} targets, but by the tools table ${type} has none`);
  const range = most === least ? String(least) : most === Infinity ? `${least} or more` : `${least} to ${most}`;
  const args = tool.targets.map(showArgument).join(', ');
  refuse(place, `${found} targets, but by the tools table ${type} has ${range} (${args})`);
}

/** The lines of a ground-truth file, as the extractor writes them; `parseGroundTruth` reads them back. */
export function formatGroundTruth(header: CorpusHeader, suites: readonly Suite[]): string {
  const { id, package: source, version, counts, untrustedSources } = header;
  const lines: unknown[] = [
    { kind: 'header', schema: GROUND_TRUTH_SCHEMA, id, package: source, version, counts, untrustedSources },
  ];
  for (const suite of suites) {
    for (const task of suite.userTasks) lines.push({ kind: 'user', ...task });
    for (const task of suite.injectionTasks) lines.push({ kind: 'injection', ...task });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
