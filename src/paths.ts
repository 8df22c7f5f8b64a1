import { fileURLToPath } from 'node:url';
import type { CorpusFiles } from './corpus.ts';

/** The bench's own folder, from the sources as from the build, which both stand one folder below it. */
const root = new URL('..', import.meta.url);

export const PACKAGE_FILE: string = fileURLToPath(new URL('package.json', root));
export const ADAPTERS_FOLDER: string = fileURLToPath(new URL('adapters/', root));
export const CORPUS_FILES: CorpusFiles = {
  groundTruth: fileURLToPath(new URL('data/ground_truth.jsonl', root)),
  tools: fileURLToPath(new URL('data/tools.json', root)),
};
/** The same, for messages. */
export const CORPUS_FILES_SHOWN: CorpusFiles = { groundTruth: 'data/ground_truth.jsonl', tools: 'data/tools.json' };

export const RUNS_FOLDER: string = fileURLToPath(new URL('data/runs', root));
export const RUNS_FOLDER_SHOWN = 'data/runs';

/** The scenarios that ship with the bench. */
export const SCENARIOS_FILE: string = fileURLToPath(new URL('data/scenarios.jsonl', root));
export const SCENARIOS_FILE_SHOWN = 'data/scenarios.jsonl';
export const ROOT_FOLDER: string = fileURLToPath(root);
