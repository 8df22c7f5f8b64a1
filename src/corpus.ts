import { AGENTDOJO_ID } from './agentdojo-corpus.ts';
import { BenchError } from './errors.ts';
import { parseGroundTruth } from './ground-truth.ts';
import { readTextFile } from './text-file.ts';
import { parseToolTable, type ToolTable } from './tools-table.ts';
import type { Effect, Origin } from './types.ts';

/** One call of a ground truth, with the origin of each of its targets. */
export interface GroundTruthAction {
  /** The tool's name. */
  readonly type: string;
  /** What the call does, by the tools table. */
  readonly effect: Effect;
  /** The values of the tool's target arguments, as text, in the order of the tools table. */
  readonly targets: readonly string[];
  /** One per target. Of an injected action: as without a user task (`originsInPair` in plan.ts). */
  readonly origins: readonly Origin[];
}

/** What the user asks for, as the calls that do it. */
export interface UserTask {
  /** The suite's name. */
  readonly suite: string;
  /** AgentDojo's name of the task, such as `user_task_0`. */
  readonly id: string;
  /** The calls of AgentDojo's ground truth, in order. */
  readonly actions: readonly GroundTruthAction[];
  /** Those of the suite's targets that the request names. */
  readonly named: readonly string[];
  /** Index of the first action whose result can carry an injection. */
  readonly exposure: number;
  /** Digest of the request, where request and ground truth both differ between versions of the benchmark. */
  readonly request?: string;
}

/** What an injected instruction wants, as the calls that do it; none for a goal that no gate on actions can stop. */
export interface InjectionTask {
  /** The suite's name. */
  readonly suite: string;
  /** AgentDojo's name of the task, such as `injection_task_0`. */
  readonly id: string;
  /** The calls of AgentDojo's ground truth, in order. */
  readonly actions: readonly GroundTruthAction[];
}

/** One of AgentDojo's suites: tasks and goals that share tools and an environment. */
export interface Suite {
  /** Each injection task belongs to the user task of its id: there are no other pairs, and what a recording lacks is not told. */
  readonly isPaired?: boolean;
  /** Such as `banking`. */
  readonly name: string;
  /** By number. */
  readonly userTasks: readonly UserTask[];
  /** By number. */
  readonly injectionTasks: readonly InjectionTask[];
}

/** How much a corpus holds; of AgentDojo's, the loader requires AgentDojo's own counts. */
export interface CorpusCounts {
  /** User tasks. */
  readonly userTasks: number;
  /** Injection tasks. */
  readonly injectionTasks: number;
  /** A pair is a user task with an injection task of its suite. */
  readonly pairs: number;
  /** Pairs whose injection task has no action. */
  readonly excludedPairs: number;
}

/** The first line of a ground-truth file. */
export interface CorpusHeader {
  /** Of the corpus: `agentdojo`. */
  readonly id: string;
  /** Version of the package that it was extracted from. */
  readonly package: string;
  /** Version of the benchmark in that package. */
  readonly version: string;
  /** What the file holds. */
  readonly counts: CorpusCounts;
  /** Tools whose result can carry planted text, as measured by the extractor. */
  readonly untrustedSources: readonly string[];
}

/** A ground-truth corpus, its tools table, and the digests of both files. */
export interface Corpus {
  /** The first line of the file. */
  readonly header: CorpusHeader;
  /** In the order of the file. */
  readonly suites: readonly Suite[];
  /** Effects and target arguments. */
  readonly tools: ToolTable;
  /** SHA-256 of the ground-truth file, hexadecimal. */
  readonly sha256: string;
  /** SHA-256 of the tools table, hexadecimal. */
  readonly toolsSha256: string;
}

/** Where a corpus is read from, as paths. data/README.md describes both files. */
export interface CorpusFiles {
  /** Such as data/ground_truth.jsonl. */
  readonly groundTruth: string;
  /** Such as data/tools.json. */
  readonly tools: string;
}

/**
 * Reads and checks AgentDojo's corpus, every line of it: no other is taken for it.
 * @param shown the paths for messages
 * @throws {BenchError} `input`, naming file, line and JSON path
 */
export function loadCorpus(files: CorpusFiles, shown: CorpusFiles = files): Corpus {
  const corpus = loadAnyCorpus(files, shown);
  if (corpus.header.id === AGENTDOJO_ID) return corpus;
  const found = JSON.stringify(corpus.header.id);
  throw new BenchError(
    'input',
    `${shown.groundTruth}:1: $.id: ${found}, but the bench measures on "${AGENTDOJO_ID}" alone (validate checks others)`,
  );
}

/**
 * Reads and checks a corpus, every line of it. One that is called AgentDojo's must be AgentDojo's; of another the counts
 * must be those of its own header.
 * @param shown the paths for messages
 * @throws {BenchError} `input`, naming file, line and JSON path
 */
export function loadAnyCorpus(files: CorpusFiles, shown: CorpusFiles = files): Corpus {
  const toolsFile = readTextFile(files.tools, shown.tools);
  const tools = parseToolTable(toolsFile);
  const source = readTextFile(files.groundTruth, shown.groundTruth);
  const { header, suites } = parseGroundTruth(source, tools);
  requireCounts(source.file, header.counts, countTasks(suites));
  return {
    header,
    suites,
    tools,
    get sha256() {
      return source.sha256;
    },
    get toolsSha256() {
      return toolsFile.sha256;
    },
  };
}

/** Counts of what the suites hold. */
export function countTasks(suites: readonly Suite[]): CorpusCounts {
  const counts = { userTasks: 0, injectionTasks: 0, pairs: 0, excludedPairs: 0 };
  for (const { userTasks, injectionTasks } of suites) {
    const empty = injectionTasks.filter((task) => task.actions.length === 0).length;
    counts.userTasks += userTasks.length;
    counts.injectionTasks += injectionTasks.length;
    counts.pairs += userTasks.length * injectionTasks.length;
    counts.excludedPairs += userTasks.length * empty;
  }
  return counts;
}

function requireCounts(file: string, required: CorpusCounts, found: CorpusCounts): void {
  for (const key of ['userTasks', 'injectionTasks', 'pairs', 'excludedPairs'] as const) {
    if (found[key] !== required[key]) {
      throw new BenchError('input', `${file}:1: $.counts.${key}: the file holds ${found[key]}, not ${required[key]}`);
    }
  }
}
