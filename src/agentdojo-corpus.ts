import type { CorpusCounts, CorpusHeader } from './corpus.ts';
import { inside, type Place, refuse, show } from './json-guard.ts';
import type { PlacedTask } from './corpus-checks.ts';

/** The corpus that every figure of the bench is over; its file must be what the extractor writes, task for task. */
export const AGENTDOJO_ID = 'agentdojo';

/** AgentDojo 0.1.35, benchmark v1.1.2. */
const PACKAGE = '0.1.35';
const VERSION = 'v1.1.2';
const COUNTS: CorpusCounts = { userTasks: 97, injectionTasks: 27, pairs: 629, excludedPairs: 20 };
const UNTRUSTED_SOURCES = 16;

/** Its suites in order, with the numbers of their user and injection tasks, first and last. */
const SUITES: readonly [name: string, user: readonly [number, number], injection: readonly [number, number]][] = [
  ['workspace', [0, 39], [0, 5]],
  ['travel', [0, 19], [0, 6]],
  ['banking', [0, 15], [0, 8]],
  ['slack', [0, 20], [1, 5]],
];

/** @throws {BenchError} `input` when the header is not that of AgentDojo's corpus. */
export function requireAgentDojoHeader(header: CorpusHeader, place: Place): void {
  const pin = (key: 'package' | 'version', expected: string): void => {
    if (header[key] === expected) return;
    refuse(inside(place, key), `AgentDojo's corpus is of ${show(expected)}, found ${show(header[key])}`);
  };
  pin('package', PACKAGE);
  pin('version', VERSION);
  for (const key of ['userTasks', 'injectionTasks', 'pairs', 'excludedPairs'] as const) {
    if (header.counts[key] !== COUNTS[key]) {
      const at = inside(inside(place, 'counts'), key);
      refuse(at, `AgentDojo's corpus has ${COUNTS[key]}, found ${header.counts[key]}`);
    }
  }
  const sources = header.untrustedSources.length;
  if (sources !== UNTRUSTED_SOURCES) {
    refuse(inside(place, 'untrustedSources'), `AgentDojo's corpus has ${UNTRUSTED_SOURCES}, found ${sources}`);
  }
}

/** @throws {BenchError} `input` when a task is not the one that AgentDojo's corpus has in its place. */
export function requireAgentDojoTasks(tasks: readonly PlacedTask[], file: string): void {
  const expected = SUITES.flatMap(([suite, user, injection]) => [
    ...numbered(suite, 'user', user),
    ...numbered(suite, 'injection', injection),
  ]);
  tasks.forEach(({ place, kind, task }, index) => {
    const here = expected[index];
    if (here === undefined) refuse(place, `AgentDojo's corpus ends before, with ${expected.length} tasks`);
    for (const [key, found] of [['suite', task.suite] as const, ['kind', kind] as const, ['id', task.id] as const]) {
      if (found === here[key]) continue;
      refuse(inside(place, key), `${show(found)}, but AgentDojo's corpus has ${here.suite}/${here.id} on this line`);
    }
  });
  if (tasks.length < expected.length) {
    const next = expected[tasks.length]!;
    refuse(
      { file, path: '$' },
      `the file holds ${tasks.length} tasks, not ${expected.length}; ${next.suite}/${next.id} is missing`,
    );
  }
}

function numbered(
  suite: string,
  kind: 'user' | 'injection',
  [first, last]: readonly [number, number],
): { readonly suite: string; readonly kind: string; readonly id: string }[] {
  return Array.from({ length: last - first + 1 }, (_, index) => ({ suite, kind, id: `${kind}_task_${first + index}` }));
}
