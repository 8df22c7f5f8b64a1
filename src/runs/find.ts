import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { usage } from '../cli-options.ts';
import type { Corpus } from '../corpus.ts';
import { suggest } from '../near.ts';
import { RUNS_FOLDER, RUNS_FOLDER_SHOWN } from '../paths.ts';
import { loadRecording, pipelinesIn, recordingFile } from './load.ts';
import type { Recording } from './recording.ts';

/**
 * The recordings named, by pipeline or by path; without a name, all that come with the bench. Only those are read.
 * @throws {BenchError} `usage` for a pipeline that does not exist, with near names; `input` for a file that is refused
 */
export function findRecordings(corpus: Corpus, names: readonly string[] | undefined, cwd: string): Recording[] {
  const pipelines = pipelinesIn(RUNS_FOLDER, RUNS_FOLDER_SHOWN);
  return (names ?? pipelines).map((name) => {
    if (pipelines.includes(name)) {
      return loadRecording(recordingFile(RUNS_FOLDER, name), corpus, `${RUNS_FOLDER_SHOWN}/${name}.jsonl`);
    }
    const path = resolve(cwd, name);
    if (name !== '' && existsSync(path) && statSync(path).isFile()) return loadRecording(path, corpus, name);
    throw usage(`--pipeline: no pipeline or file is called ${JSON.stringify(name)}${suggest(name, pipelines)}`);
  });
}
