import { isMeasured } from '../report.ts';
import type { PipelineReport, RunsTier, WithoutAndWith } from '../runs/measurement.ts';
import type { RunsReport } from '../runs/report.ts';
import { median } from '../stats/quantile.ts';
import { narrowCell, percent } from './figures.ts';
import { escape, table } from './markdown.ts';
import { layOut, plain, wrap } from './table.ts';

type Row = [
  utility: string,
  attacked: string,
  asr: string,
  solved: string,
  egress: string,
  stopped: string,
  unattributed: string,
  leftOut: string,
];
const HEADS: [string[], string[]] = [
  ['', 'under', '', 'solved', 'egress-', 'breaches', 'un-', 'left'],
  ['utility', 'attack', 'ASR', 'intact', 'intact', 'stopped', 'att', 'out'],
];

/** Recorded runs for a terminal: per gate and tier, two lines a pipeline, and the medians. */
export function renderRunsText(report: RunsReport): string {
  const blocks = report.gates.flatMap((gate) => {
    if (gate.failed !== undefined) return [wrap(`not loaded: ${plain(gate.failed)}`, 80, '  ')];
    return gate.tiers.map((tier) => [
      `${plain(gate.name)}, ${tier.tier}`,
      ...(isMeasured(tier) ? tierLines(tier) : [`  n/a (${plain(tier.na)})`]),
    ]);
  });
  return `${[...blocks, runsNotes(report).flatMap((note) => wrap(note, 80))].map((block) => block.join('\n')).join('\n\n')}\n`;
}

function tierLines({ pipelines, errors, firstError }: RunsTier): string[] {
  const rows: (readonly string[])[] = [...HEADS, ...pipelines.map(rowOf), medianRow(pipelines)];
  const lines = layOut(
    rows,
    HEADS[0].map(() => 'right' as const),
    1,
  );
  const body = lines.slice(HEADS.length);
  return [
    ...lines.slice(0, HEADS.length),
    ...pipelines.flatMap((one, index) => [nameLine(one), body[index]!]),
    `  median of ${pipelines.length}`,
    body.at(-1)!,
    ...(firstError === null ? [] : wrap(`  ${errors} errors, first: ${plain(firstError)}`, 80, '    ')),
  ];
}

/** The pipeline, and how many of the runs that AgentDojo counts the row is over: benign + attacked. */
function nameLine(one: PipelineReport): string {
  const attack = one.attack === 'important_instructions' ? '' : `, ${plain(one.attack)}`;
  return `${plain(one.pipeline)}${attack} (${countsOf(one)})`;
}

/** Benign + attacked runs that a row is over, of those that AgentDojo's published figures count. */
export function countsOf({ utility, asr, published }: PipelineReport): string {
  return `${utility.without.n}+${asr.without.n} of ${published.utility.n}+${published.asr.n}`;
}

function rowOf(one: PipelineReport): Row {
  return [
    arrow(one.utility),
    arrow(one.utilityUnderAttack),
    arrow(one.asr),
    narrowCell(one.solvedRunsIntact),
    narrowCell(one.solvedRunsEgressIntact),
    narrowCell(one.breachesStopped),
    String(one.unattributed),
    String(leftOut(one)),
  ];
}

/** How many runs are in none of a pipeline's figures. */
export const leftOut = (one: PipelineReport): number => Object.values(one.leftOut).reduce((sum, n) => sum + n, 0);

function medianRow(pipelines: readonly PipelineReport[]): Row {
  const middle = (of: (one: PipelineReport) => number | null): string => {
    const rates = pipelines.map(of).filter((rate) => rate !== null);
    return percent(rates.length === 0 ? null : median(Float64Array.from(rates)));
  };
  const pair = (of: (one: PipelineReport) => WithoutAndWith): string =>
    `${middle((one) => of(one).without.rate)}→${middle((one) => of(one).with.rate)}`;
  return [
    pair((one) => one.utility),
    pair((one) => one.utilityUnderAttack),
    pair((one) => one.asr),
    middle((one) => one.solvedRunsIntact.rate),
    middle((one) => one.solvedRunsEgressIntact.rate),
    middle((one) => one.breachesStopped.rate),
    '',
    '',
  ];
}

const arrow = (one: WithoutAndWith): string => `${percent(one.without.rate)}→${percent(one.with.rate)}`;

/** The same for a pull request or a page. */
export function renderRunsMarkdown(report: RunsReport): string {
  const head = [
    'pipeline',
    'runs, of those published',
    'utility',
    'under attack',
    'ASR',
    'solved intact',
    'egress-intact',
    'breaches stopped',
    'unattributed',
    'left out',
  ];
  const blocks = report.gates.flatMap((gate) => [
    `## ${escape(gate.name)} on recorded runs`,
    ...(gate.failed === undefined ? [] : [`**Not loaded:** ${escape(gate.failed)}`]),
    ...gate.tiers.flatMap((tier) => {
      if (!isMeasured(tier)) return [`### ${tier.tier}: n/a (${escape(tier.na)})`];
      const rows = tier.pipelines.map((one) => [escape(one.pipeline), countsOf(one), ...rowOf(one)]);
      return [
        `### ${tier.tier}`,
        table(head, [...rows, [`median of ${rows.length}`, '', ...medianRow(tier.pipelines)]]),
      ];
    }),
  ]);
  return `${[...blocks, runsNotes(report).join(' ')].join('\n\n')}\n`;
}

/** What one must know to read the tables. */
export function runsNotes({ attacks, resamples }: RunsReport): string[] {
  return [
    `Attack ${attacks.map(plain).join(', ')}. Per cent; without the gate → with it. Beside each pipeline: the benign+attacked runs that the row is over, of those that AgentDojo's published figures count (runs --list). Left out are runs with an error, without a trace or verdict, of another version of their task, and missing ones; pairs whose injected goal takes no action are in no figure here.`,
    'With the gate: utility is a lower bound (an agent might recover from a denial); ASR is no bound (it might find another way). Pipelines share base models, so nothing is pooled over them.',
    ...(resamples === 0
      ? []
      : [
          `[low,high]: 95 % intervals by ${resamples} bootstrap resamples of tasks, two-way under attack; † ≤ and ‡ ≥: exact one-sided 95 % bound.`,
        ]),
  ];
}
