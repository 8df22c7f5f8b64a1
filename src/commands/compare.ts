import { resolve } from 'node:path';
import { allowOptions, type CommandLine, optionChoice, optionText, usage } from '../cli-options.ts';
import { compareReports, requireComparable } from '../compare.ts';
import { loadCorpus } from '../corpus.ts';
import { BenchError } from '../errors.ts';
import type { Io } from '../io.ts';
import { checkOut, deliver } from '../output.ts';
import { CORPUS_FILES, CORPUS_FILES_SHOWN } from '../paths.ts';
import { createPlan } from '../plan.ts';
import { renderComparisonMarkdown, renderComparisonText } from '../render/comparison.ts';
import { readReport } from '../report-file.ts';

const RENDERERS = {
  text: renderComparisonText,
  json: (comparison: unknown) => `${JSON.stringify(comparison, null, 2)}\n`,
  markdown: renderComparisonMarkdown,
} as const;

/** Two reports, figure by figure and pair by pair. Exit status 1 when a figure is clearly worse, or lost. */
export function compare(line: CommandLine, io: Io): number {
  allowOptions(line, 'compare', ['format', 'out']);
  const [basePath = '', headPath = '', extra] = line.words;
  if (basePath === '' || headPath === '' || extra !== undefined)
    throw usage('compare takes two files: compare base.json head.json');
  const format = optionChoice(line, 'format', ['text', 'json', 'markdown'], 'text');
  const out = optionText(line, 'out');
  checkOut(io, out);
  const base = readReport(resolve(io.cwd, basePath), basePath);
  const head = readReport(resolve(io.cwd, headPath), headPath);
  requireComparable(base, head);
  const corpus = loadCorpus(CORPUS_FILES, CORPUS_FILES_SHOWN);
  if (corpus.sha256 !== head.corpus.sha256 || corpus.toolsSha256 !== head.corpus.toolsSha256) {
    throw new BenchError(
      'input',
      `${headPath}: was measured on another corpus than this version of toolgate-bench holds`,
    );
  }
  const suites = corpus.suites.filter((suite) => head.suites.includes(suite.name));
  const plan = createPlan(corpus, suites, { order: head.order, untrusted: head.untrusted, seed: head.seed });
  const comparison = compareReports(plan, base, head);
  if (!deliver(io, RENDERERS[format](comparison), out)) return 2;
  return comparison.changes.some(({ verdict }) => verdict === 'worse' || verdict === 'lost') ? 1 : 0;
}
