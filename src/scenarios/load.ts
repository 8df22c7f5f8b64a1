import { BenchError, messageOf } from '../errors.ts';
import { readTextFile } from '../text-file.ts';
import { scenarioOf } from './record.ts';
import { ShapeError } from './shape.ts';
import type { Scenario } from './types.ts';

/** Something that a corpus must not hold. */
export interface Problem {
  /** 1 for the first line; 0 for the file as a whole. */
  readonly line: number;
  /** A JSON path into the line's record, `$` being the record itself. */
  readonly path: string;
  readonly reason: string;
}

/** Notes a problem of the scenario at hand. */
export type Report = (path: string, reason: string) => void;

/** A scenario with the line it stands on, counted from 1. */
export interface Located {
  readonly line: number;
  readonly scenario: Scenario;
}

/** What a corpus file holds: the records that have the right shape, and the problems of the others. */
export interface Corpus {
  readonly scenarios: readonly Located[];
  readonly problems: readonly Problem[];
}

/** `file:line: path: reason`, on one line. */
export function showProblem(file: string, problem: Problem): string {
  const line = problem.line === 0 ? '' : `:${problem.line}`;
  return `${file}${line}: ${problem.path}: ${problem.reason}`;
}

/** Levels of lists and objects that a record may have; what goes through it calls itself once a level. */
const DEEPEST = 100;

function parsed(line: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new ShapeError('$', `not JSON: ${messageOf(error)}`);
  }
  if (deeperThan(DEEPEST, value)) throw new ShapeError('$', `is nested more than ${DEEPEST} levels deep`);
  return value;
}

const deeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((item) => deeperThan(levels - 1, item)));

/** Reads a corpus. Lines end at `\n` only: U+2028 and its like are text, as they are in JSON. */
export function readCorpus(content: string): Corpus {
  const scenarios: Located[] = [];
  const problems: Problem[] = [];
  const lines = content.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const [index, line] of lines.entries()) {
    try {
      if (line.trim() === '') throw new ShapeError('$', 'an empty line; one record a line');
      if (line.endsWith('\r')) throw new ShapeError('$', 'ends with CR LF; lines of this file end with LF alone');
      scenarios.push({ line: index + 1, scenario: scenarioOf(parsed(line)) });
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      problems.push({ line: index + 1, path: error.path, reason: error.message });
    }
  }
  if (lines.length === 0) problems.push({ line: 0, path: '$', reason: 'holds no scenario' });
  return { scenarios, problems };
}

/**
 * Reads a corpus file.
 * @throws {BenchError} `input`, when the file cannot be read or a record has not the right shape. Sense is for `validate` to check.
 */
export function loadScenarios(file: string): readonly Scenario[] {
  const corpus = readCorpus(readTextFile(file).text);
  const [first] = corpus.problems;
  if (first) throw new BenchError('input', showProblem(file, first));
  return corpus.scenarios.map(({ scenario }) => scenario);
}
