import { html, type Markup, type Value } from '../../render/html/markup.ts';
import { page } from '../../render/html/page.ts';
import { type Row as TableRow, table } from '../../render/html/table.ts';
import type { Difference } from '../../stats/difference.ts';
import type { Rate, Row } from '../figures.ts';
import type { ScenarioReport } from '../report.ts';
import { byTarget, detectorText, differenceCell, limitsOf, partCell, percent } from './cells.ts';
import { plot } from './html-plot.ts';

/** Shades of the heat map: the share compromised in tenths. Text keeps its contrast on the darkest. */
const SHADES = 10;
const STYLE = `td small{white-space:nowrap}
@media (min-width:36rem){th,td{padding:.3rem .4rem}}
${Array.from(
  { length: SHADES + 1 },
  (_, shade) => `.heat${shade}{background:color-mix(in srgb,var(--series4) ${5 * shade}%,var(--background))}`,
).join('\n')}
`;

/** The report as one page that loads nothing: matrix, heat map of channels, compromised against task done. */
export function renderHtml(report: ScenarioReport): string {
  const { rows, scenarios, command, seed, corpus, commits, resamples } = report;
  const intro = html`<p class="lead">What targets did in scenarios whose tools, documents and messages carry injections, behind defences and gates.</p>
<ul class="facts"><li>${scenarios.adversarial} adversarial scenarios</li><li>${scenarios.controls} controls</li><li>seed ${seed}</li><li>${resamples} resamples</li></ul>`;
  const sections = [
    { id: 'figures', title: 'Figures', body: [matrix(rows), detectors(rows)] },
    { id: 'channels', title: 'Compromised by channel', body: heatMap(report) },
    { id: 'plot', title: 'Compromised against task done', body: plot(rows) },
    { id: 'notes', title: 'How to read it', body: NOTES.map((note) => html`<p class="note">${note}</p>`) },
    {
      id: 'command',
      title: 'Measure it again',
      body: html`<pre>${command}</pre><p class="note">seed ${seed}, corpus ${corpus}${commits.length > 0 ? `, commit ${commits.join(', ')}` : ''}</p>`,
    },
  ];
  return page('Targets, defences and gates under injection', intro, sections, STYLE);
}

const NOTES = [
  'Compromised: over the adversarial cases without an error; of exposed: over those in which the target met a carrier, before any defence. Task done: under attack. Over-refused: controls that were not done, for whatever reason; read it beside none. Unmet: the target never met the injection.',
  'More stopped, more refused: attacks and controls against the same target without a defence, in percentage points, paired by scenario.',
];

const HEADS = [
  'defence',
  'compromised',
  'of exposed',
  'exposed',
  'task done',
  'controls done',
  'over-refused',
  'unmet',
  'errors',
  'more stopped',
  'more refused',
];

/** One target after another, its rows under its name. */
function grouped(rows: readonly Row[], cells: (row: Row) => readonly Value[]): TableRow[] {
  return [...byTarget(rows)].flatMap(([target, group]) => [
    { heading: target },
    ...group.map((row) => ({ cells: [row.defense, ...cells(row)] })),
  ]);
}

function matrix(rows: readonly Row[]): Markup {
  const body = grouped(rows, (row) => [
    ...[
      row.compromised,
      row.compromisedExposed,
      row.exposure,
      row.taskUnderAttack,
      row.taskOnControls,
      row.overRefused,
    ].map(rate),
    row.unclassified,
    row.errors,
    ...[row.againstNone?.reduction, row.againstNone?.cost].map(difference),
  ]);
  return table('Per cent, and 95 % intervals over scenarios', HEADS, body);
}

function rate(one: Rate): Value {
  if (one.rate === null) return '-';
  const limits = limitsOf(one);
  return html`${percent(one.rate)}${limits === '' ? null : html`<small>${limits}</small>`}`;
}

function difference(one: Difference | undefined): Value {
  const text = differenceCell(one);
  if (one === undefined || one.verdict === 'same') return text;
  return html`${text}<small>[${Math.floor(100 * one.low)}, ${Math.ceil(100 * one.high)}]</small>`;
}

function detectors(rows: readonly Row[]): Value {
  return rows.flatMap((row) =>
    row.detectors.map((one) => html`<p class="note">${`${detectorName(row, one.name)}: ${detectorText(one)}`}</p>`),
  );
}

function detectorName({ target, defense }: Row, name: string): string {
  return [target, defense, ...(name === defense ? [] : [name])].join(', ');
}

function heatMap({ rows, channels }: ScenarioReport): Markup {
  const body = [...byTarget(rows)].map(
    ([target, group]) => html`<tr><th scope="rowgroup" colspan="${channels.length + 1}">${target}</th></tr>
${group.map((row) => html`<tr><th scope="row">${row.defense}</th>${channels.map((channel) => heatCell(row, channel))}</tr>\n`)}`,
  );
  return html`<div class="scroll" role="region" tabindex="0" aria-label="Compromised by channel"><table>
<caption>Per cent compromised</caption>
<thead><tr><th scope="col">defence</th>${channels.map((channel) => html`<th scope="col">${channel.replaceAll('_', ' ')}</th>`)}</tr></thead>
<tbody>
${body}</tbody></table></div>`;
}

function heatCell(row: Row, channel: string): Markup {
  const share = row.byChannel.find(({ name }) => name === channel)?.compromised.rate ?? null;
  if (share === null) return html`<td class="na">-</td>`;
  return html`<td class="heat${Math.round(SHADES * share)}">${partCell(row.byChannel, channel)}</td>`;
}
