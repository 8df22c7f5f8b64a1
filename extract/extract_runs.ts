/*
 * Turns AgentDojo's runs folder into data/runs/<pipeline>.jsonl, which docs/recorded-runs-format.md describes:
 *
 *     node --import ./tools/typescript.mjs extract/extract_runs.ts RUNS [--out data/runs] [--keep-going]
 *
 * Facts only: tools, targets, origins and AgentDojo's verdicts; no message, no other argument. The output is the same,
 * byte for byte, on every run and in whatever order the files come. Exit status: 0 written; 1 written without files
 * that cannot be read (--keep-going); 2 refused, and existing output left as it was; 130 interrupted.
 */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Corpus, loadCorpus } from '../src/corpus.ts';
import { BenchError, messageOf } from '../src/errors.ts';
import { CORPUS_FILES, CORPUS_FILES_SHOWN, RUNS_FOLDER } from '../src/paths.ts';
import { plain } from '../src/render/table.ts';
import { formatRecording } from './format.ts';
import { createGatherer, type Gathered, type Gatherer } from './gather.ts';
import { parseRun } from './raw_run.ts';
import { runName, runsFolderHint } from './run_name.ts';
import { formatSummary, type Unreadable } from './run_summary.ts';
import { type SourceFile, sourceFiles } from './source.ts';

/** Where the extractor writes; `isTTY`: a person is watching. */
export interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
}

interface Options {
  readonly source: string;
  readonly out: string;
  readonly keepGoing: boolean;
}

const USAGE =
  "usage: extract_runs RUNS [--out FOLDER] [--keep-going]   (RUNS: AgentDojo's runs folder, or a .tar.xz of it)";
const PROGRESS_EVERY = 500;

/** The exit status. Whatever goes wrong is one line on `stderr`. */
export async function main(argv: readonly string[], streams: Streams): Promise<number> {
  try {
    const options = parseOptions(argv);
    if (options === 'help') {
      streams.stdout.write(`${USAGE}\n`);
      return 0;
    }
    return await extract(options, streams);
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    streams.stderr.write(`extract_runs: ${plain(error.message)}\n`);
    return 2;
  }
}

function parseOptions(argv: readonly string[]): Options | 'help' {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        out: { type: 'string', default: RUNS_FOLDER },
        'keep-going': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return 'help';
    const [source] = positionals;
    if (source === undefined || positionals.length > 1) throw new BenchError('usage', USAGE);
    return { source, out: values.out, keepGoing: values['keep-going'] };
  } catch (error) {
    if (error instanceof BenchError) throw error;
    throw new BenchError('usage', messageOf(error), { cause: error });
  }
}

async function extract({ source, out, keepGoing }: Options, streams: Streams): Promise<number> {
  const corpus = loadCorpus(CORPUS_FILES, CORPUS_FILES_SHOWN);
  const gatherer = createGatherer(corpus);
  const unreadable = await readAll(source, gatherer, keepGoing, streams);
  const { gathered } = gatherer;
  requireRuns(source, gathered, unreadable);
  const stale = writeRecordings(out, gathered, corpus);
  const summary = formatSummary(out, gathered, corpus, unreadable, stale);
  streams.stdout.write(summary.split('\n').map(plain).join('\n'));
  return unreadable.length > 0 ? 1 : 0;
}

/** An output without a run is no output: the folder is not what it was taken for. */
function requireRuns(source: string, { all, written, misplaced }: Gathered, unreadable: readonly Unreadable[]): void {
  if (written.runs + unreadable.length > 0) return;
  if (all.runs > 0) {
    const runs = `${all.runs.toLocaleString('en-US')} ${all.runs === 1 ? 'run' : 'runs'}`;
    const message = `${runs}, and none to write: no pair of the corpus, attacks called *dos*, or injected goals alone`;
    throw new BenchError('input', `${source}: ${message}`);
  }
  const expected = 'PIPELINE/SUITE/user_task_N/ATTACK/injection_task_M.json';
  const hint = misplaced === null ? '' : `; ${runsFolderHint(source, misplaced)}`;
  throw new BenchError('input', `${source}: no AgentDojo run in it; its files must be called ${expected}${hint}`);
}

/** The files that cannot be read, where those are borne with; otherwise the first one is the end. */
async function readAll(
  source: string,
  gatherer: Gatherer,
  keepGoing: boolean,
  { stderr }: Streams,
): Promise<Unreadable[]> {
  const unreadable: Unreadable[] = [];
  let files = 0;
  const report = (): void => void stderr.write(`\r\u001b[K${files.toLocaleString('en-US')} files read`);
  try {
    for await (const file of sourceFiles(source)) {
      if (stderr.isTTY === true && ++files % PROGRESS_EVERY === 0) report();
      const problem = readOne(file, gatherer);
      if (problem === undefined) continue;
      if (!keepGoing) throw unreadableFile(join(source, file.path), problem);
      unreadable.push({ path: file.path, problem });
    }
  } finally {
    if (files >= PROGRESS_EVERY) stderr.write('\r\u001b[K');
  }
  return unreadable.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const unreadableFile = (path: string, problem: string): BenchError =>
  new BenchError('input', `${path}: ${problem} (--keep-going leaves such files out)`);

/** What is wrong with a file, if anything is. */
function readOne(file: SourceFile, gatherer: Gatherer): string | undefined {
  const name = runName(file.path);
  if (name === undefined) {
    if (file.problem === undefined) gatherer.addOther(file.path);
    return file.problem;
  }
  try {
    gatherer.add(name, parseRun(file.read(), name));
    return undefined;
  } catch (error) {
    gatherer.addUnreadable(name);
    return messageOf(error);
  }
}

/**
 * Writes every file beside the output folder first, and puts them in place when all are there. Recordings of other
 * pipelines stay: they may be somebody's own. Gives their names.
 */
function writeRecordings(out: string, { pipelines, actions }: Gathered, corpus: Corpus): string[] {
  const folder = resolve(out);
  const written = [...pipelines].filter(([, { runs }]) => runs.length > 0);
  const names = new Set(written.map(([pipeline]) => `${pipeline}.jsonl`));
  try {
    mkdirSync(folder, { recursive: true });
    const temporary = mkdtempSync(join(folder, '.extracting-'));
    try {
      for (const [pipeline, gathered] of written) {
        writeFileSync(join(temporary, `${pipeline}.jsonl`), formatRecording(pipeline, gathered, actions, corpus));
      }
      for (const name of names) renameSync(join(temporary, name), join(folder, name));
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
    return readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl') && !names.has(name))
      .toSorted();
  } catch (error) {
    throw new BenchError('input', `cannot write to ${out}: ${messageOf(error)}`, { cause: error });
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.once('SIGINT', () => process.exit(130));
  process.exitCode = await main(process.argv.slice(2), process);
}
