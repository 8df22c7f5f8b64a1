import { resolve } from 'node:path';
import { allowOptions, type CommandLine, usage } from '../cli-options.ts';
import { AGENTDOJO_ID } from '../agentdojo-corpus.ts';
import { loadAnyCorpus, loadCorpus } from '../corpus.ts';
import type { Io } from '../io.ts';
import { plain } from '../render/table.ts';
import { CORPUS_FILES, CORPUS_FILES_SHOWN } from '../paths.ts';

/** Checks a corpus, line by line. Exit status 0; a fault is thrown. */
export function validate(line: CommandLine, io: Io): number {
  allowOptions(line, 'validate', []);
  const [file, extra] = line.words;
  if (extra !== undefined) throw usage(`validate takes one file, found ${line.words.length}`);
  if (file === '') throw usage('validate: the file name is empty');
  const files = file === undefined ? CORPUS_FILES : { ...CORPUS_FILES, groundTruth: resolve(io.cwd, file) };
  const shown = file === undefined ? CORPUS_FILES_SHOWN : { ...CORPUS_FILES_SHOWN, groundTruth: file };
  const isOwn = files.groundTruth === CORPUS_FILES.groundTruth;
  const corpus = isOwn ? loadCorpus(files, shown) : loadAnyCorpus(files, shown);
  const { id, version, counts } = corpus.header;
  io.stdout.write(
    `${plain(`${shown.groundTruth}: sound: ${id} ${version}`)}, ${counts.userTasks} user tasks, ${counts.injectionTasks} injection tasks, ` +
      `${counts.pairs} pairs (${counts.excludedPairs} excluded), ${corpus.tools.size} tools\n` +
      (id === AGENTDOJO_ID ? '' : `AgentDojo's counts were not required of it, as its id is not "${AGENTDOJO_ID}"\n`) +
      `sha256 ${corpus.sha256} ${plain(shown.groundTruth)}\nsha256 ${corpus.toolsSha256} ${shown.tools}\n`,
  );
  return 0;
}
