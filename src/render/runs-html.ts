import { type GateReport, isMeasured } from '../report.ts';
import type { PipelineReport, RunsTier, WithoutAndWith } from '../runs/measurement.ts';
import type { RunsReport } from '../runs/report.ts';
import { axes, type Frame, position } from './html/axes.ts';
import { percent } from './figures.ts';
import { cell } from './html/figures.ts';
import { html, type Markup, type Value } from './html/markup.ts';
import { page } from './html/page.ts';
import { type Row, table } from './html/table.ts';
import { countsOf, leftOut, runsNotes } from './runs.ts';

const FRAME: Frame = { width: 480, height: 390, x: [70, 440], y: [335, 35], inset: 14 };

/** Recorded runs as one page: per gate and tier an arrow for each pipeline, and the table. */
export function renderRunsHtml(report: RunsReport): string {
  const names = report.gates.map((gate) => gate.name).join(', ');
  const sections = report.gates.flatMap((gate, index) => sectionsOf(gate, index));
  return page(`toolgate-bench, recorded runs: ${names}`, intro(report), [
    ...sections,
    { id: 'notes', title: 'How to read it', body: runsNotes(report).map((note) => html`<p class="note">${note}</p>`) },
    { id: 'command', title: 'Measure it again', body: html`<pre>${report.command}</pre>` },
  ]);
}

function intro({ corpus, attacks, seed, resamples }: RunsReport): Markup {
  return html`<p class="lead">What real models did, as AgentDojo recorded it, with a gate between the model and its tools.</p>
<ul class="facts"><li>${corpus.id} ${corpus.version}</li><li>attack ${attacks.join(', ')}</li><li>seed ${seed}</li><li>${resamples} resamples</li></ul>`;
}

function sectionsOf(gate: GateReport<RunsTier>, index: number) {
  if (gate.failed !== undefined)
    return [{ id: `gate${index}`, title: `${gate.name}: not loaded`, body: html`<p>${gate.failed}</p>` }];
  return gate.tiers.map((tier) => ({
    id: `gate${index}-${tier.tier}`,
    title: `${gate.name}, ${tier.tier}`,
    body: isMeasured(tier) ? [plot(tier), figures(tier), problem(tier)] : html`<p>n/a (${tier.na})</p>`,
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
<figcaption>Each line is a pipeline, from its ring (without the gate) to its dot (with it). Down and to the right is better. The arrow keys go
from pipeline to pipeline.</figcaption>
</figure>`;
}

function arrow(one: PipelineReport): Markup {
  const { pipeline, attack, utility, asr } = one;
  const [x0, y0] = [position(FRAME.x, utility.without.rate!), position(FRAME.y, asr.without.rate!)];
  const [x1, y1] = [position(FRAME.x, utility.with.rate!), position(FRAME.y, asr.with.rate!)];
  const label = `${pipeline}, ${attack}: utility ${inPercent(utility)}, attack success ${inPercent(asr)} per cent`;
  const round = (value: number): number => Math.round(1000 * value) / 1000;
  return html`<g class="mark series0" transform="translate(${x1} ${y1})" tabindex="0" role="img" aria-label="${label}" data-from="${utility.without.rate} ${asr.without.rate}" data-to="${utility.with.rate} ${asr.with.rate}" data-gates="0"><title>${label}</title><path class="whisker" d="M${round(x0 - x1)} ${round(y0 - y1)}L0 0"/><circle class="ideal" cx="${round(x0 - x1)}" cy="${round(y0 - y1)}" r="2.5"/><circle class="shape" r="4"/><circle class="hit" r="8"/></g>
`;
}

function inPercent(pair: WithoutAndWith): string {
  return `${percent(pair.without.rate)} to ${percent(pair.with.rate)}`;
}

function figures({ pipelines }: RunsTier): Markup {
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
  const rows = pipelines.map((one): Row => ({
    cells: [
      html`${one.pipeline}<small>${countsOf(one)} runs</small>`,
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
  return table('Per cent, without the gate → with it, and 95 % intervals', heads, rows);
}
