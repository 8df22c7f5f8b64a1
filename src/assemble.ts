import type { Corpus } from './corpus.ts';
import { environment } from './environment.ts';
import type { Plan } from './plan.ts';
import { type GateReport, type Report, REPORT_SCHEMA } from './report.ts';

/** The report of gates on the ground truth. */
export function assembleReport(
  corpus: Corpus,
  plan: Plan,
  { seed, resamples }: Pick<Report, 'seed' | 'resamples'>,
  gates: readonly GateReport[],
  command: string,
): Report {
  const { id, version } = corpus.header;
  return {
    schema: REPORT_SCHEMA,
    kind: 'ground-truth',
    command,
    corpus: {
      id,
      version,
      get sha256() {
        return corpus.sha256;
      },
      get toolsSha256() {
        return corpus.toolsSha256;
      },
      userTasks: plan.suites.reduce((sum, suite) => sum + suite.userTasks.length, 0),
      pairs: plan.pairs.length + plan.excludedPairs,
      excludedPairs: plan.excludedPairs,
    },
    suites: plan.suites.map((suite) => suite.name),
    order: plan.options.order,
    untrusted: plan.options.untrusted,
    seed,
    resamples,
    environment: environment(),
    gates,
  };
}
