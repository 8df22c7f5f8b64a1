import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Corpus, GroundTruthAction } from '../corpus.ts';
import { BenchError, messageOf } from '../errors.ts';
import {
  asCount,
  asObject,
  asOneOf,
  asRecord,
  asString,
  inside,
  parseJson,
  type Place,
  refuse,
} from '../json-guard.ts';
import { readTextFile, splitLines } from '../text-file.ts';
import { createReader, readAction, readRun } from './lines.ts';
import { LEFT_OUT, type LeftOutOfRecording, type RecordedRun, type Recording, RUNS_SCHEMA } from './recording.ts';

const SUFFIX = '.jsonl';

/**
 * The pipelines recorded in a folder, sorted; nothing is read but the folder's list.
 * @throws {BenchError} `input` when the folder is unreadable or has none
 */
export function pipelinesIn(folder: string, shown: string = folder): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw new BenchError('input', `${shown}: cannot be listed (${messageOf(error)})`, { cause: error });
  }
  const pipelines = names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length));
  if (pipelines.length === 0) throw new BenchError('input', `${shown}: no recorded runs (*${SUFFIX}) in this folder`);
  return pipelines.toSorted();
}

/** The file of a pipeline in a folder. */
export function recordingFile(folder: string, pipeline: string): string {
  return join(folder, pipeline + SUFFIX);
}

/**
 * Reads and checks one recording, every line of it.
 * @throws {BenchError} `input`, naming file, line and JSON path
 */
export function loadRecording(path: string, corpus: Corpus, shown: string = path): Recording {
  const lines = splitLines(readTextFile(path, shown));
  const header = readHeader(lines[0] as string, { file: shown, line: 1, path: '$' }, corpus);
  const end = 1 + header.actions;
  if (lines.length !== end + header.runs) {
    const message = `${shown}:1: $.counts: ${header.actions} actions and ${header.runs} runs`;
    throw new BenchError('input', `${message}, but ${lines.length - 1} lines follow; the file seems to be cut short`);
  }
  const at = (index: number): Place => ({ file: shown, line: index + 1, path: '$' });
  const reader = createReader(corpus, header.actions);
  const actions: GroundTruthAction[] = [];
  const runs: RecordedRun[] = [];
  for (let index = 1; index < end; index++) actions.push(readAction(lines[index] as string, at(index), reader));
  for (let index = end; index < lines.length; index++) runs.push(readRun(lines[index] as string, at(index), reader));
  const attacks = [...new Set(runs.flatMap((run) => run.attack ?? []))].toSorted();
  return { file: shown, pipeline: header.pipeline, actions, runs, attacks, leftOut: header.leftOut };
}

interface Header {
  readonly pipeline: string;
  readonly actions: number;
  readonly runs: number;
  readonly leftOut: LeftOutOfRecording;
}

/** The schema comes first: a file of another one is not read any further. */
function readHeader(line: string, place: Place, corpus: Corpus): Header {
  const raw = asObject(parseJson(line, place), place);
  asOneOf(raw['kind'], inside(place, 'kind'), ['header'], 'kind');
  if (raw['schema'] !== RUNS_SCHEMA) {
    refuse(
      inside(place, 'schema'),
      `not ${RUNS_SCHEMA}; this version of the program reads no other: extract the runs again`,
    );
  }
  asRecord(raw, place, ['kind', 'schema', 'pipeline', 'corpus', 'version', 'counts'], ['leftOut']);
  requireSame(raw, 'corpus', corpus.header.id, place);
  requireSame(raw, 'version', corpus.header.version, place);
  const countsPlace = inside(place, 'counts');
  const counts = asRecord(raw['counts'], countsPlace, ['actions', 'runs']);
  const leftOutPlace = inside(place, 'leftOut');
  const leftOut = asRecord(raw['leftOut'] ?? {}, leftOutPlace, [], LEFT_OUT);
  const leftOutCounts = LEFT_OUT.map((key) => [key, asCount(leftOut[key] ?? 0, inside(leftOutPlace, key))]);
  return {
    pipeline: asString(raw['pipeline'], inside(place, 'pipeline')),
    actions: asCount(counts['actions'], inside(countsPlace, 'actions')),
    runs: asCount(counts['runs'], inside(countsPlace, 'runs')),
    leftOut: Object.fromEntries(leftOutCounts) as LeftOutOfRecording,
  };
}

function requireSame(raw: Record<string, unknown>, key: string, expected: string, place: Place): void {
  const found = asString(raw[key], inside(place, key));
  if (found !== expected)
    refuse(inside(place, key), `"${found}", but the ground truth is of "${expected}"; extract the runs again`);
}
