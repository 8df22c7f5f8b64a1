import type { Report } from '../report.ts';
import type { Figure } from '../score.ts';

/** The figures as they are called in prose. */
export const FIGURE_NAMES: { readonly [figure in Figure]: string } = {
  attacksStopped: 'attacks stopped',
  attackActionsBlocked: 'attack actions blocked',
  ownTaskIntact: 'own task intact',
  crossTaskGenerality: 'cross-task generality',
};

/** What one must know to read the table. */
export function notes(report: Report): string[] {
  const { corpus, order, resamples } = report;
  const tiers = new Set(report.gates.flatMap((gate) => gate.tiers.map((tier) => tier.tier)));
  return [
    `${corpus.pairs - corpus.excludedPairs} pairs of a user task and an injection task, order ${order}${
      corpus.excludedPairs === 0
        ? ''
        : `; ${corpus.excludedPairs} more are excluded: their injected goal takes no action, so no gate on actions can stop it`
    }.`,
    ...(tiers.has('limits') && order === 'after'
      ? [
          'limits stops everything in this order by construction, as the task has used up its own calls: read it with --order exposure.',
        ]
      : []),
    `These are not attack success rates: a live agent may take other calls.${order === 'after' ? ' Own task intact is 100 % by construction where a policy was built from the task.' : ''}`,
    ...(resamples === 0 ? [] : [intervalNote(resamples)]),
  ];
}

function intervalNote(resamples: number): string {
  return `Per cent, with 95 % intervals by ${resamples} two-way bootstrap resamples of the tasks; † ≤ and ‡ ≥: exact one-sided 95 % bound of a rate of 0 or 1, on the number of independent tasks.`;
}
