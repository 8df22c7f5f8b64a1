import { type GateReport, isMeasured } from '../report.ts';
import type { PipelineReport, RunsTier, WithoutAndWith } from '../runs/measurement.ts';
import type { RunsReport } from '../runs/report.ts';
import { axes, type Frame, position } from './html/axes.ts';
import { percent } from './figures.ts';
import { cell } from './html/figures.ts';
import { html, type Markup, type Value } from './html/markup.ts';
import { page } from './html/page.ts';
import { type Row, table } from './html/table.ts';
import { countsOf, labelOf, leftOut, type Medians, mediansOf, runsNotes } from './runs.ts';

const FRAME: Frame = { width: 480, height: 390, x: [70, 440], y: [335, 35], inset: 14 };

/** Recorded runs as one page: per gate and tier an arrow for each pipeline, and the table. */
export function renderRunsHtml(report: RunsReport): string {
  const names = report.gates.map((gate) => gate.name).join(', ');
  const sections = report.gates.flatMap((gate, index) => sectionsOf(gate, index, report.attacks));
  return page(`toolgate-bench, recorded runs: ${names}`, intro(report), [
    ...sections,
    { id: 'notes', title: 'How to read it', body: runsNotes(report).map((note) => html`<p class="note">${note}</p>`) },
    { id: 'command', title: 'Measure it again', body: html`<pre>${report.command}</pre>` },
  ]);
}

function intro({ corpus, attacks, seed, resamples }: RunsReport): Markup {
  const what = corpus.id === 'agentdojo' ? 'What real models did, as AgentDojo recorded it' : 'What was recorded';
  return html`<p class="lead">${what}, with a gate between the model and its tools.</p>
<ul class="facts"><li>${corpus.id} ${corpus.version}</li><li>${attacks.length === 1 ? 'attack' : 'attacks'} ${attacks.join(', ')}</li><li>seed ${seed}</li><li>${resamples} resamples</li></ul>`;
}

function sectionsOf(gate: GateReport<RunsTier>, index: number, attacks: readonly string[]) {
  if (gate.failed !== undefined)
    return [{ id: `gate${index}`, title: `${gate.name}: not loaded`, body: html`<p>${gate.failed}</p>` }];
  return gate.tiers.map((tier) => ({
    id: `gate${index}-${tier.tier}`,
    title: `${gate.name}, ${tier.tier}`,
    body: isMeasured(tier) ? [plot(tier), figures(tier, attacks), problem(tier)] : html`<p>n/a (${tier.na})</p>`,
  }));
}

function problem({ errors, firstError }: RunsTier): Value {
  return firstError === null ? null : html`<p>${errors} errors, first: ${firstError}</p>`;
}

/** ASR left against utility kept: an arrow a pipeline, from without the gate to with it. */
function plot({ pipelines }: RunsTier): Markup {
  const drawn = pipelines.filter(({ utility, asr }) =>
    [utility, asr].every((pair) => pair.without.rate !== null && pair.with.rate !== null),
  );
  if (drawn.length === 0) return html`<p class="note">No pipeline has figures to plot.</p>`;
  return html`<figure class="plot">
<svg viewBox="0 0 ${FRAME.width} ${FRAME.height}" role="group" aria-label="Attack success against utility, without and with the gate; the table has the same figures">
${axes(FRAME, 'benign utility, per cent', 'attack success, per cent')}
${drawn.map(arrow)}</svg>
<div class="tip" role="status" hidden></div>
<figcaption>Each arrow is a pipeline, from its ring (without the gate) to its dot (with it). Down and to the right is better. The arrow keys go
from pipeline to pipeline.</figcaption>
</figure>`;
}

function arrow(one: PipelineReport): Markup {
  const { pipeline, attack, utility, asr } = one;
  const [x0, y0] = [position(FRAME.x, utility.without.rate!), position(FRAME.y, asr.without.rate!)];
  const [x1, y1] = [position(FRAME.x, utility.with.rate!), position(FRAME.y, asr.with.rate!)];
  const label = `${pipeline}, ${attack}: utility ${inPercent(utility)}, attack success ${inPercent(asr)} per cent`;
  return html`<g class="mark series0" transform="translate(${x1} ${y1})" tabindex="0" role="img" aria-label="${label}" data-from="${utility.without.rate} ${asr.without.rate}" data-to="${utility.with.rate} ${asr.with.rate}" data-gates="0"><title>${label}</title><path class="whisker" fill="none" d="M${round(x0 - x1)} ${round(y0 - y1)}L0 0${head(x0 - x1, y0 - y1)}"/><circle class="ideal" cx="${round(x0 - x1)}" cy="${round(y0 - y1)}" r="2.5"/><circle class="shape" r="4"/><circle class="hit" r="8"/></g>
`;
}

const round = (value: number): number => Math.round(1000 * value) / 1000;

/** The head in the middle of the line from the ring to the dot at 0 0, where no dot hides it; a short line has none. */
function head(x: number, y: number): string {
  const length = Math.hypot(x, y);
  if (length < 16) return '';
  const [ux, uy] = [x / length, y / length];
  const side = (sign: number): string =>
    `${round(x / 2 + 5 * ux - 3 * sign * uy)} ${round(y / 2 + 5 * uy + 3 * sign * ux)}`;
  return `M${side(1)}L${round(x / 2)} ${round(y / 2)}L${side(-1)}`;
}

function inPercent(pair: WithoutAndWith): string {
  return `${percent(pair.without.rate)} to ${percent(pair.with.rate)}`;
}

function figures(tier: RunsTier, attacks: readonly string[]): Markup {
  const heads = [
    'pipeline',
    'utility',
    'under attack',
    'ASR',
    'solved intact',
    'egress-intact',
    'breaches stopped',
    'unattributed',
    'left out',
  ];
  const pair = (one: WithoutAndWith): string => `${percent(one.without.rate)}\u00a0→\u00a0${percent(one.with.rate)}`;
  const rows = tier.pipelines.map((one): Row => ({
    cells: [
      html`${labelOf(one, attacks)}<small>${countsOf(one)} runs</small>`,
      pair(one.utility),
      pair(one.utilityUnderAttack),
      pair(one.asr),
      cell(one.solvedRunsIntact),
      cell(one.solvedRunsEgressIntact),
      cell(one.breachesStopped),
      one.unattributed,
      leftOut(one),
    ],
  }));
  const middle = ([without, with_]: Medians['utility']): string => `${percent(without)}\u00a0→\u00a0${percent(with_)}`;
  const medians = mediansOf(tier, attacks).map((one): Row => ({
    cells: [
      one.label,
      ...[one.utility, one.utilityUnderAttack, one.asr].map(middle),
      ...[one.solvedRunsIntact, one.solvedRunsEgressIntact, one.breachesStopped].map(percent),
      '',
      '',
    ],
  }));
  return table('Per cent, without the gate → with it, and 95 % intervals', heads, [...rows, ...medians]);
}
