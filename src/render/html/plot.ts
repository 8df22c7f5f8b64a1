import type { GateReport, Report } from '../../report.ts';
import type { Tier } from '../../types.ts';
import { axes, type Frame, position } from './axes.ts';
import { inFull } from './figures.ts';
import { type Mark, mergeCoincident, paretoFront, type PlotPoint, pointsOf, staircase } from './marks.ts';
import { html, join, type Markup, type Value } from './markup.ts';
import { LIGHT } from './palette.ts';

const FRAME: Frame = { width: 480, height: 390, x: [70, 440], y: [335, 35], inset: 14 };
/** A shape a tier, within 6 units of the origin. */
const SHAPES: { readonly [tier in Tier]: string } = {
  effect: 'M0 -5.5L5.5 4.5H-5.5z',
  tool: 'M-4.6 -4.6H4.6V4.6H-4.6z',
  target: 'M-5 0A5 5 0 1 1 5 0A5 5 0 1 1 -5 0z',
  limits: 'M0 -6L6 0L0 6L-6 0z',
  origin: 'M-5.5 -4.5H5.5L0 5.5z',
};
/** With more gates than this, whiskers are drawn faintly. */
const FEW = 8;

/** Attacks stopped against cross-task generality, a mark for each gate and tier, and a legend that picks one gate out. */
export function plot(report: Report): Markup {
  const points = pointsOf(report);
  if (points.length === 0) return html`<p class="note">No gate has figures to plot.</p>`;
  const marks = mergeCoincident(points);
  const front = staircase(paretoFront(marks));
  const shown = [...new Set(points.map((point) => point.gate))];
  return html`<figure class="plot${shown.length > FEW ? ' many' : ''}">
<svg viewBox="0 0 ${FRAME.width} ${FRAME.height}" role="group" aria-label="Attacks stopped against cross-task generality; the table has the same figures">
${axes(FRAME, 'cross-task generality, per cent', 'attacks stopped, per cent')}
<path class="front" d="${path(front)}"/>
${ideal()}
${marks.map((mark) => markOf(report.gates, mark))}</svg>
<div class="tip" role="status" hidden></div>
<ul class="legend">${shown.map((gate) => legendEntry(report.gates, gate))}</ul>
<figcaption>Up and to the right is better. Shapes are tiers: triangle up effect, square tool, circle target, diamond limits, triangle
down origin; hollow marks are controls, which are named; a disc stands for
coinciding points, with their number where they are of several gates. Whiskers are 95 % intervals; the dashed line is
the Pareto front. The arrow keys go from mark to mark.</figcaption>
</figure>`;
}

/** Colours repeat after the eighth gate; tooltips, and the legend's buttons, which pick one gate out, tell all gates apart. */
function series(gates: readonly GateReport[], gate: number): string {
  if (gates[gate]!.control) return 'control';
  const place = gates.slice(0, gate).filter((one) => !one.control).length;
  return `series${place % LIGHT.series.length}`;
}

function markOf(gates: readonly GateReport[], { x, y, points }: Mark): Markup {
  const [across, down] = [position(FRAME.x, x), position(FRAME.y, y)];
  const label = join(
    points.map((point) => describe(gates, point)),
    '\n',
  );
  const members = [...new Set(points.map((point) => point.gate))];
  const controls = members.filter((gate) => gates[gate]!.control);
  const kind = kindOf(gates, members);
  return html`<g class="mark ${kind}" transform="translate(${across} ${down})" tabindex="0" role="img" aria-label="${label}" data-x="${x}" data-y="${y}" data-gates="${members.join(' ')}"><title>${label}</title>${points.map(whiskers)}${shapeOf(points, kind)}<circle class="hit" r="9"/>${
    controls.length === 0
      ? null
      : controlName(
          controls.map((gate) => gates[gate]!.name),
          x,
          y,
        )
  }</g>
`;
}

/** A mark of controls alone is a control's; one of a single gate is that gate's; else it is of several. */
function kindOf(gates: readonly GateReport[], members: readonly number[]): string {
  if (members.every((gate) => gates[gate]!.control)) return 'control';
  return members.length === 1 ? series(gates, members[0]!) : 'several';
}

/** The tier's shape; a disc, with their number, for coinciding points. */
function shapeOf(points: readonly PlotPoint[], kind: string): Markup {
  if (points.length === 1) return html`<path class="shape" d="${SHAPES[points[0]!.tier]}"/>`;
  const number = kind === 'several' ? html`<text class="count" y="3.2">${points.length}</text>` : null;
  return html`<circle class="shape" r="7"/>${number}`;
}

/** Controls are named in the drawing itself, on the side where there is room. */
function controlName(names: readonly string[], x: number, y: number): Markup {
  const [side, anchor] = x > 0.7 ? [-12, 'end'] : [12, 'start'];
  return html`<text class="word halo" x="${side}" y="${y < 0.1 ? -10 : 17}" text-anchor="${anchor}">${names.join(', ')}</text>`;
}

/** The intervals, relative to the point. */
function whiskers({ x, y }: PlotPoint): Value {
  const from = (axis: Frame['x'], rate: number, end: number): number =>
    Math.round(1000 * (position(axis, end) - position(axis, rate))) / 1000;
  return [
    x.low === undefined || x.high === undefined
      ? null
      : html`<path class="whisker" d="M${from(FRAME.x, x.rate, x.low)} 0H${from(FRAME.x, x.rate, x.high)}"/>`,
    y.low === undefined || y.high === undefined
      ? null
      : html`<path class="whisker" d="M0 ${from(FRAME.y, y.rate, y.low)}V${from(FRAME.y, y.rate, y.high)}"/>`,
  ];
}

function describe(gates: readonly GateReport[], { gate, tier, x, y }: PlotPoint): string {
  const { name, control } = gates[gate]!;
  return `${name}${control ? ' (control)' : ''}, ${tier}: attacks stopped ${inFull(y)}; cross-task generality ${inFull(x)}`;
}

function ideal(): Markup {
  const [x, y] = [position(FRAME.x, 1), position(FRAME.y, 1)];
  return html`<g aria-hidden="true"><circle class="ideal" cx="${x}" cy="${y}" r="11"/><text class="word" x="${x - 15}" y="${y - 8}" text-anchor="end">ideal</text></g>`;
}

function path(corners: readonly { readonly x: number; readonly y: number }[]): string {
  return corners
    .map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${position(FRAME.x, x)} ${position(FRAME.y, y)}`)
    .join('');
}

function legendEntry(gates: readonly GateReport[], gate: number): Markup {
  const { name, control } = gates[gate]!;
  const kind = series(gates, gate);
  const mark = html`<svg class="${kind}" viewBox="-8 -8 16 16" aria-hidden="true"><path class="shape" d="${SHAPES.target}"/></svg>`;
  return html`<li><button type="button" aria-pressed="false" data-gate="${gate}">${mark}${name}${control ? ' (control)' : ''}</button></li>`;
}
