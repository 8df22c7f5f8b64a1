import { resolve } from 'node:path';
import { type CommandLine, optionText, usage } from '../cli-options.ts';
import { BenchError } from '../errors.ts';
import type { Io } from '../io.ts';
import { suggest } from '../near.ts';
import { SCENARIOS_FILE, SCENARIOS_FILE_SHOWN } from '../paths.ts';
import { readTextFile } from '../text-file.ts';
import { readCorpus, showProblem } from './load.ts';
import { CHANNELS, type Scenario } from './types.ts';

/** The scenarios that a command works on. */
export interface Chosen {
  readonly scenarios: readonly Scenario[];
  /** SHA-256 of the whole file. */
  readonly sha256: string;
  readonly shown: string;
}

/** The corpus file that `--corpus` names, or the bench's own, and how to name it. */
export function corpusFile(line: CommandLine, io: Io): { readonly file: string; readonly shown: string } {
  const typed = optionText(line, 'corpus');
  if (typed === '') throw usage('--corpus: the file name is empty');
  return typed === undefined
    ? { file: SCENARIOS_FILE, shown: SCENARIOS_FILE_SHOWN }
    : { file: resolve(io.cwd, typed), shown: typed };
}

/**
 * Reads the corpus and applies `--scenario` and `--channel`.
 * @throws {BenchError} `input` for a corpus that has not the right shape; `usage` for an unknown id or channel
 */
export function chooseScenarios(line: CommandLine, io: Io): Chosen {
  const { file, shown } = corpusFile(line, io);
  const { text, sha256 } = readTextFile(file, shown);
  const corpus = readCorpus(text);
  const [first] = corpus.problems;
  if (first) throw new BenchError('input', showProblem(shown, first));
  const all = corpus.scenarios.map(({ scenario }) => scenario);
  const ids = namesIn(
    line,
    'scenario',
    all.map(({ id }) => id),
  );
  const channels = namesIn(line, 'channel', CHANNELS);
  const scenarios = all.filter(
    ({ id, channel }) => (ids?.includes(id) ?? true) && (channels?.includes(channel) ?? true),
  );
  if (scenarios.length === 0) throw usage('no scenario is both of --scenario and of --channel');
  return { scenarios, sha256, shown };
}

function namesIn(line: CommandLine, option: 'scenario' | 'channel', known: readonly string[]): string[] | undefined {
  const names = optionText(line, option)?.split(',');
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw usage(`--${option}: there is no ${option} ${JSON.stringify(unknown)}${suggest(unknown, known)}`);
  }
  return names;
}

/** @throws {BenchError} `usage` when there is none, with near names */
export function scenarioNamed(scenarios: readonly Scenario[], id: string): Scenario {
  const found = scenarios.find((scenario) => scenario.id === id);
  if (found) return found;
  throw usage(
    `there is no scenario ${JSON.stringify(id)}${suggest(
      id,
      scenarios.map((one) => one.id),
    )}`,
  );
}
