import type { CorpusCounts, CorpusHeader, GroundTruthAction, InjectionTask, Suite, UserTask } from './corpus.ts';
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
} from './json-guard.ts';
import { splitLines, type TextFile } from './text-file.ts';
import { showArgument, targetCounts, type Tool, type ToolTable } from './tools-table.ts';
import { EFFECTS, ORIGINS } from './types.ts';

const GROUND_TRUTH_SCHEMA = 'toolgate-bench/ground-truth@1';

/** @throws {BenchError} `input`, naming file, line and JSON path. */
export function parseGroundTruth(source: TextFile, tools: ToolTable): { header: CorpusHeader; suites: Suite[] } {
  const [first, ...lines] = splitLines(source);
  const header = parseHeader(first ?? '', { file: source.file, line: 1, path: '$' }, tools);
  const suites = new Map<string, { name: string; userTasks: UserTask[]; injectionTasks: InjectionTask[] }>();
  const seen = new Map<string, number>();
  lines.forEach((line, index) => {
    const place = { file: source.file, line: index + 2, path: '$' };
    const task = parseTask(parseJson(line, place), place, tools);
    const key = `${task.kind} ${task.suite}/${task.id}`;
    if (seen.has(key)) refuse(inside(place, 'id'), `duplicate id ${show(task.id)} (first on line ${seen.get(key)})`);
    seen.set(key, place.line);
    const suite = suites.get(task.suite) ?? { name: task.suite, userTasks: [], injectionTasks: [] };
    suites.set(task.suite, suite);
    if (task.kind === 'user') suite.userTasks.push(task.task);
    else suite.injectionTasks.push(task.task);
  });
  return { header, suites: [...suites.values()] };
}

function parseHeader(line: string, place: Place, tools: ToolTable): CorpusHeader {
  const keys = ['kind', 'schema', 'id', 'package', 'version', 'counts', 'untrustedSources'];
  const value = asRecord(parseJson(line, place), place, keys);
  asOneOf(value['kind'], inside(place, 'kind'), ['header'], 'kind');
  asOneOf(value['schema'], inside(place, 'schema'), [GROUND_TRUTH_SCHEMA], 'schema');
  const untrustedSources = asArray(value['untrustedSources'], inside(place, 'untrustedSources'), (tool, at) => {
    const name = asString(tool, at);
    return tools.has(name) ? name : refuse(at, `tool ${show(name)} is not in the tools table`);
  });
  return {
    id: asString(value['id'], inside(place, 'id')),
    package: asString(value['package'], inside(place, 'package')),
    version: asString(value['version'], inside(place, 'version')),
    counts: parseCounts(value['counts'], inside(place, 'counts')),
    untrustedSources,
  };
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

type ParsedTask = { suite: string; id: string } & (
  | { kind: 'user'; task: UserTask }
  | { kind: 'injection'; task: InjectionTask }
);

function parseTask(value: unknown, place: Place, tools: ToolTable): ParsedTask {
  const kind = asOneOf(asObject(value, place)['kind'], inside(place, 'kind'), ['user', 'injection'], 'kind');
  const common = ['kind', 'suite', 'id', 'actions'];
  const record =
    kind === 'user'
      ? asRecord(value, place, [...common, 'named', 'exposure'], ['request'])
      : asRecord(value, place, common);
  const suite = asString(record['suite'], inside(place, 'suite'));
  const id = asString(record['id'], inside(place, 'id'));
  const actions = asArray(record['actions'], inside(place, 'actions'), (action, at) => parseAction(action, at, tools));
  if (kind === 'injection') return { kind, suite, id, task: { suite, id, actions } };
  return { kind, suite, id, task: { suite, id, actions, ...parseUserMembers(record, place, actions.length) } };
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
  return { named, exposure, request: asString(record['request'], inside(place, 'request')) };
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
