import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CommandLine, usage } from '../cli-options.ts';
import { type Corpus, loadCorpus } from '../corpus.ts';
import { BenchError } from '../errors.ts';
import type { Io } from '../io.ts';
import { CORPUS_FILES, CORPUS_FILES_SHOWN } from '../paths.ts';

/** `corpus` in the first line of a recording of scenarios. */
const SCENARIOS = 'toolgate-scenarios';
/** Bytes within which a recording's first line ends. */
const FIRST_LINE = 8192;

/**
 * The corpus that recordings are of: AgentDojo's, or, for what `scenarios record` wrote, the scenarios (`--corpus`, or the bench's own).
 * @param names of pipelines, or paths; undefined: all that come with the bench
 * @throws {BenchError} `usage` for recordings of both kinds at once; `input` for a corpus that is refused or is another one than recorded
 */
export async function corpusOfRecordings(
  line: CommandLine,
  io: Io,
  names: readonly string[] | undefined = [],
): Promise<Corpus> {
  const versions = names.map((name) => [name, scenarioVersion(resolve(io.cwd, name))] as const);
  const recorded = versions.flatMap(([name, version]) => (version === undefined ? [] : [{ name, version }]));
  const [first] = recorded;
  if (!first) {
    if (line.options.has('corpus')) throw usage('runs takes --corpus with recordings of scenarios alone');
    return loadCorpus(CORPUS_FILES, CORPUS_FILES_SHOWN);
  }
  const other = versions.find(([, version]) => version === undefined);
  if (other)
    throw usage(`--pipeline: ${first.name} is a recording of scenarios, ${other[0]} is not; measure them apart`);
  const { chooseScenarios } = await import('../scenarios/choose.ts');
  const { scenarioCorpus } = await import('../scenarios/recordRuns.ts');
  const { scenarios, sha256, shown } = chooseScenarios(line, io);
  const corpus = scenarioCorpus(scenarios, sha256);
  const strange = recorded.find(({ version }) => version !== corpus.header.version);
  if (!strange) return corpus;
  const found = `${strange.name}: recorded with the scenarios ${strange.version}, but ${shown} is ${corpus.header.version}`;
  throw new BenchError('input', `${found}; name the corpus with --corpus`);
}

/** The version in the header of a recording of scenarios; undefined: the file is none, which its reader tells better. */
function scenarioVersion(path: string): string | undefined {
  const bytes = Buffer.alloc(FIRST_LINE);
  try {
    const fd = openSync(path, 'r');
    const length = readSync(fd, bytes);
    closeSync(fd);
    const header = JSON.parse(bytes.toString('utf8', 0, length).split('\n')[0]!) as Record<string, unknown> | null;
    return header?.['corpus'] === SCENARIOS ? String(header['version']) : undefined;
  } catch {
    return undefined;
  }
}
