import { resolve } from 'node:path';
import { allowOptions, type CommandLine, optionChoice, optionText, usage } from '../cli-options.ts';
import { loadCorpus } from '../corpus.ts';
import { type Hint, hintsOf } from '../hint.ts';
import { invocation } from '../invocation.ts';
import { type Io, wantsColor } from '../io.ts';
import { checkOut, deliver } from '../output.ts';
import { CORPUS_FILES, CORPUS_FILES_SHOWN } from '../paths.ts';
import { createPlan } from '../plan.ts';
import { FORMATS, loadRenderer } from '../render/index.ts';
import { isMeasured, type Report } from '../report.ts';
import { readAnyReport } from '../report-file.ts';
import { loadRunsRenderer } from '../render/runs-formats.ts';

/** Renders a saved JSON report in another format; nothing is measured. Exit status 0, or 2 for a report that is refused. */
export async function report(line: CommandLine, io: Io): Promise<number> {
  allowOptions(line, 'report', ['format', 'by', 'out']);
  const [path = '', extra] = line.words;
  if (path === '' || extra !== undefined) throw usage('report takes one file: report report.json --format markdown');
  const format = optionChoice(line, 'format', FORMATS, 'text');
  const by = line.options.has('by') ? optionChoice(line, 'by', ['suite', 'tool'], 'suite') : undefined;
  const out = optionText(line, 'out');
  checkOut(io, out);
  const saved = readAnyReport(resolve(io.cwd, path), path);
  if (saved.kind === 'runs' && by !== undefined) throw usage('--by means nothing to a report on recorded runs');
  const text =
    saved.kind === 'runs'
      ? (await loadRunsRenderer(format))(saved)
      : (await loadRenderer(format))(saved, {
          by,
          hints: format === 'text' ? hints(saved) : [],
          invocation: invocation(io.cwd),
          color: wantsColor(io, line.options.has('no-color')),
        });
  return deliver(io, text, out) ? 0 : 2;
}

/** Where attacks got through; of another corpus than the bench's own that cannot be told. */
function hints(saved: Report): Hint[] {
  const corpus = loadCorpus(CORPUS_FILES, CORPUS_FILES_SHOWN);
  if (corpus.sha256 !== saved.corpus.sha256 || corpus.toolsSha256 !== saved.corpus.toolsSha256) return [];
  const suites = corpus.suites.filter((suite) => saved.suites.includes(suite.name));
  const plan = createPlan(corpus, suites, { order: saved.order, untrusted: saved.untrusted, seed: saved.seed });
  const isOfPlan = saved.gates.every(({ tiers }) =>
    tiers.filter(isMeasured).every(({ attacksStopped }) => attacksStopped.n === plan.pairs.length),
  );
  return isOfPlan ? hintsOf(plan, saved.gates) : [];
}
