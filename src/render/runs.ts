import { isMeasured, type Statistic } from '../report.ts';
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
      ...(isMeasured(tier) ? tierLines(tier, report) : [`  n/a (${plain(tier.na)})`]),
    ]);
  });
  return `${[...blocks, runsNotes(report).flatMap((note) => wrap(note, 80))].map((block) => block.join('\n')).join('\n\n')}\n`;
}

function tierLines(tier: RunsTier, { attacks }: RunsReport): string[] {
  const { pipelines, errors, firstError } = tier;
  const medians = mediansOf(tier, attacks);
  const names = [
    ...pipelines.map((one) => wrap(`${plain(labelOf(one, attacks))} (${countsOf(one)})`, 80, '  ')),
    ...medians.map(({ label }) => [`  ${plain(label)}`]),
  ];
  const rows: (readonly string[])[] = [...HEADS, ...pipelines.map(rowOf), ...medians.map((one) => medianRow(one))];
  const lines = layOut(
    rows,
    HEADS[0].map(() => 'right' as const),
    1,
  );
  const body = lines.slice(HEADS.length);
  return [
    ...lines.slice(0, HEADS.length),
    ...names.flatMap((name, index) => [...name, body[index]!]),
    ...(firstError === null ? [] : wrap(`  ${errors} errors, first: ${plain(firstError)}`, 80, '    ')),
  ];
}

/** The pipeline, and the attack where the report has several. */
export function labelOf({ pipeline, attack }: PipelineReport, attacks: readonly string[]): string {
  return attacks.length === 1 ? pipeline : `${pipeline}, ${attack}`;
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

/** The middle of the pipelines' rates under one attack; null: no pipeline has the rate, or the gate failed in one. */
export interface Medians {
  /** `median of 28`, and the attack where the report has several. */
  readonly label: string;
  readonly utility: readonly [without: number | null, with_: number | null];
  readonly utilityUnderAttack: readonly [without: number | null, with_: number | null];
  readonly asr: readonly [without: number | null, with_: number | null];
  readonly solvedRunsIntact: number | null;
  readonly solvedRunsEgressIntact: number | null;
  readonly breachesStopped: number | null;
}

/** Medians over pipelines, for each attack apart: figures under different attacks have no middle. */
export function mediansOf({ pipelines }: RunsTier, attacks: readonly string[]): Medians[] {
  return attacks.flatMap((attack) => {
    const ofAttack = pipelines.filter((one) => one.attack === attack);
    if (ofAttack.length === 0) return [];
    const middle = (of: (one: PipelineReport) => Statistic): number | null => medianRate(ofAttack.map(of));
    const pair = (of: (one: PipelineReport) => WithoutAndWith) =>
      [middle((one) => of(one).without), middle((one) => of(one).with)] as const;
    return [
      {
        label: `median of ${ofAttack.length}${attacks.length === 1 ? '' : `, ${attack}`}`,
        utility: pair((one) => one.utility),
        utilityUnderAttack: pair((one) => one.utilityUnderAttack),
        asr: pair((one) => one.asr),
        solvedRunsIntact: middle((one) => one.solvedRunsIntact),
        solvedRunsEgressIntact: middle((one) => one.solvedRunsEgressIntact),
        breachesStopped: middle((one) => one.breachesStopped),
      },
    ];
  });
}

/** A pipeline in which there was nothing to count has no rate; one with a void session makes the median n/a, as it does all else. */
function medianRate(statistics: readonly Statistic[]): number | null {
  if (statistics.some(({ k }) => k === null)) return null;
  const rates = statistics.map(({ rate }) => rate).filter((rate) => rate !== null);
  return rates.length === 0 ? null : median(Float64Array.from(rates));
}

function medianRow(medians: Medians): Row {
  const pair = ([without, with_]: Medians['utility']): string => `${percent(without)}→${percent(with_)}`;
  return [
    pair(medians.utility),
    pair(medians.utilityUnderAttack),
    pair(medians.asr),
    percent(medians.solvedRunsIntact),
    percent(medians.solvedRunsEgressIntact),
    percent(medians.breachesStopped),
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
      const { attacks } = report;
      const rows = tier.pipelines.map((one) => [escape(labelOf(one, attacks)), countsOf(one), ...rowOf(one)]);
      const medians = mediansOf(tier, attacks).map((one) => [escape(one.label), '', ...medianRow(one)]);
      return [
        `### ${tier.tier}`,
        table(head, [...rows, ...medians]),
        ...(tier.firstError === null ? [] : [`**${tier.errors} errors, first:** ${escape(tier.firstError)}`]),
      ];
    }),
  ]);
  return `${[...blocks, runsNotes(report).join(' ')].join('\n\n')}\n`;
}

/** What one must know to read the tables. */
export function runsNotes({ attacks, resamples, corpus }: RunsReport): string[] {
  const counted =
    corpus.id === 'agentdojo' ? "that AgentDojo's published figures count (runs --list)" : 'that were recorded';
  return [
    `${attacks.length === 1 ? 'Attack' : 'Attacks'} ${attacks.map(plain).join(', ')}. Per cent; without the gate → with it. Beside each pipeline: the benign+attacked runs that the row is over, of those ${counted}. Left out are runs with an error, without a trace or verdict, of another version of their task, and missing ones; pairs whose injected goal takes no action are in no figure here.`,
    'With the gate: utility is a lower bound (an agent might recover from a denial); ASR is no bound (it might find another way). Pipelines share base models, so nothing is pooled over them.',
    ...(resamples === 0
      ? []
      : [
          `[low,high]: 95 % intervals by ${resamples} bootstrap resamples of tasks, two-way under attack; † ≤ and ‡ ≥: exact one-sided 95 % bound.`,
        ]),
  ];
}
