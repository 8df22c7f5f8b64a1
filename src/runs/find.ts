import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { usage } from '../cli-options.ts';
import type { Corpus } from '../corpus.ts';
import type { BenchError } from '../errors.ts';
import { nearNames } from '../near.ts';
import { RUNS_FOLDER, RUNS_FOLDER_SHOWN } from '../paths.ts';
import { loadRecording, pipelinesIn, recordingFile } from './load.ts';
import type { Recording } from './recording.ts';

/** A file, and how it is called in messages. */
interface Named {
  readonly path: string;
  readonly shown: string;
}

/**
 * The recordings named, by pipeline or by path, each once; without a name, all that come with the bench. Only those are read.
 * @throws {BenchError} `usage` for a pipeline or file that does not exist, with near names, and for two files of one
 * pipeline, whose rows nobody could tell apart; `input` for a file that is refused
 */
export function findRecordings(corpus: Corpus, names: readonly string[] | undefined, cwd: string): Recording[] {
  const pipelines = pipelinesIn(RUNS_FOLDER, RUNS_FOLDER_SHOWN);
  const files = new Map<string, Named>();
  for (const name of names ?? pipelines) {
    const file = locate(name, pipelines, cwd);
    const real = realpathSync(file.path);
    if (!files.has(real)) files.set(real, file);
  }
  return distinct([...files.values()].map(({ path, shown }) => loadRecording(path, corpus, shown)));
}

function locate(name: string, pipelines: readonly string[], cwd: string): Named {
  if (pipelines.includes(name))
    return { path: recordingFile(RUNS_FOLDER, name), shown: `${RUNS_FOLDER_SHOWN}/${name}.jsonl` };
  const path = resolve(cwd, name);
  const found = name === '' ? undefined : statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) return { path, shown: name };
  throw found === undefined ? unknown(name, pipelines, path) : notAFile(name, found.isDirectory());
}

function notAFile(name: string, isFolder: boolean): BenchError {
  const problem = isFolder ? 'is a folder; name a recording in it' : 'is no file';
  return usage(`--pipeline: ${JSON.stringify(name)} ${problem}`);
}

/** A name without a separator may be a pipeline; every name may be a path, whose folder knows what else there is. */
function unknown(name: string, pipelines: readonly string[], path: string): BenchError {
  const folder = name.slice(0, name.length - basename(name).length);
  const beside = nearNames(basename(name), recordingsBeside(path)).map((file) => folder + file);
  const known = nearNames(basename(name).replace(/\.jsonl$/, ''), pipelines);
  const near = [...new Set(folder === '' ? [...known, ...beside] : [...beside, ...known])].slice(0, 3);
  const hint = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
  return usage(`--pipeline: no pipeline or file is called ${JSON.stringify(name)}${hint}`);
}

function recordingsBeside(path: string): string[] {
  try {
    return readdirSync(dirname(path)).filter((file) => file.endsWith('.jsonl'));
  } catch {
    return [];
  }
}

function distinct(recordings: Recording[]): Recording[] {
  const fileOf = new Map<string, string>();
  for (const { pipeline, file } of recordings) {
    const other = fileOf.get(pipeline);
    if (other !== undefined) {
      const both = `${other} and ${file} both say that they are of the pipeline ${JSON.stringify(pipeline)}`;
      throw usage(`--pipeline: ${both}; give one of them another name in its first line`);
    }
    fileOf.set(pipeline, file);
  }
  return recordings;
}
