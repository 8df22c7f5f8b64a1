import type { Corpus } from '../src/corpus.ts';
import type { Findings, Gathered, GatheredPipeline, NotWritten } from './gather.ts';

/** A file that was left out, and why. */
export interface Unreadable {
  readonly path: string;
  readonly problem: string;
}

const NOT_WRITTEN: Readonly<Record<NotWritten, string>> = {
  denialOfService: 'attacks called *dos*: they have no goal but failure, and are no targeted attacks',
  goalAlone: "runs of an injected goal as a user's request: no user task",
  outsideCorpus: 'pairs that the corpus does not have (a later version of the benchmark)',
  unreadable: 'files that cannot be read',
};

const FINDINGS: Readonly<Record<keyof Findings, string>> = {
  runs: 'runs',
  calls: 'proposed calls',
  errors: 'runs ended by an error',
  noTrace: 'runs without messages',
  noVerdict: 'runs without a verdict',
  otherVersion: 'runs of another version of the user task (by its request)',
  unknownTools: 'calls of tools that do not exist (counted, not written)',
  malformed: 'calls with malformed arguments',
  listLiterals: 'target arguments that were text reading as a list',
  prose: 'targets that were prose (written as a digest)',
};

/** What was found, written and left out, for a person to read. */
export function formatSummary(
  out: string,
  gathered: Gathered,
  corpus: Corpus,
  unreadable: readonly Unreadable[],
  stale: readonly string[],
): string {
  const pipelines = [...gathered.pipelines.values()];
  const empty = [...gathered.pipelines].flatMap(([name, { runs }]) => (runs.length === 0 ? [name] : [])).toSorted();
  const keys = Object.keys(FINDINGS) as (keyof Findings)[];
  const lines = [
    `${out}: ${pipelines.length - empty.length} ${pipelines.length - empty.length === 1 ? 'pipeline' : 'pipelines'}`,
    '',
    `${column('read')}${column('written')}`,
    ...keys.map((key) => `${column(gathered.all[key])}${column(gathered.written[key])}  ${FINDINGS[key]}`),
    '',
    'not written:',
    ...(Object.keys(NOT_WRITTEN) as NotWritten[]).map((key) => {
      const total = pipelines.reduce((sum, { leftOut }) => sum + leftOut[key], 0);
      return `${column(total)}  ${NOT_WRITTEN[key]}`;
    }),
    `${column(gathered.otherFiles)}  files that are no run's`,
    ...misplacedLines(gathered),
    '',
    'missing, of the corpus:',
    ...missingLines(gathered.pipelines, corpus),
  ];
  if (empty.length > 0) lines.push('', `pipelines of which nothing is written: ${empty.join(', ')}`);
  if (unreadable.length > 0)
    lines.push('', 'unreadable:', ...unreadable.map((file) => `  ${file.path}: ${file.problem}`));
  if (stale.length > 0) lines.push('', `left as they were: ${stale.join(', ')}`);
  return `${lines.join('\n')}\n`;
}

function misplacedLines({ misplacedFiles, misplaced }: Gathered): string[] {
  if (misplaced === null) return [];
  return [`${column(misplacedFiles)}  of those, called as a run's file but in another place, such as ${misplaced}`];
}

const column = (value: string | number): string =>
  (typeof value === 'number' ? value.toLocaleString('en-US') : value).padStart(10);

/** User tasks without a benign run, and pairs without a run under an attack that the pipeline has. */
function missingLines(pipelines: ReadonlyMap<string, GatheredPipeline>, corpus: Corpus): string[] {
  const { userTasks, pairs } = corpus.header.counts;
  const lines: string[] = [];
  const written = [...pipelines].filter(([, { runs }]) => runs.length > 0);
  for (const [pipeline, { runs }] of written.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const tally = new Map<string, number>([['none', 0]]);
    for (const { name } of runs) tally.set(name.attack, (tally.get(name.attack) ?? 0) + 1);
    for (const [attack, count] of [...tally].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const missing = (attack === 'none' ? userTasks : pairs) - count;
      if (missing > 0) lines.push(`${column(missing)}  ${pipeline}, ${attack === 'none' ? 'benign' : attack}`);
    }
  }
  return lines.length > 0 ? lines : [column(0)];
}
