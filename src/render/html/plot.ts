import type { GateReport, Report } from '../../report.ts';
import { type Tier, TIERS } from '../../types.ts';
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
/** How far the middle of a shape's area is below the origin. */
const MIDDLES: { readonly [tier in Tier]: number } = { effect: 1.3, tool: 0, target: 0, limits: 0, origin: -1.3 };
/** What stands in the shapes of a gate, so that the ninth gate, of the first one's colour again, has a mark of its own. */
const GLYPHS = ['', 'M0 0h.01', 'M-2.4 0H2.4', 'M0 -2.4V2.4', 'M-2.4 0H2.4M0 -2.4V2.4', 'M-1.8 1.8L1.8 -1.8'];
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
${marks.map((mark) => markOf(report.gates, mark))}${controlNames(report.gates, marks)}</svg>
<div class="tip" role="status" hidden></div>
${key(points)}
<ul class="legend">${shown.map((gate) => legendEntry(report.gates, gate))}</ul>
<figcaption>Up and to the right is better. A shape is a tier; a colour, with the sign in it, is a gate; hollow marks are
controls. A disc stands for coinciding points, with their number where they are of several gates. Whiskers are 95 % intervals; the dashed line is
the Pareto front. The arrow keys go from mark to mark, and a gate's button picks out its marks.</figcaption>
</figure>`;
}

/** How a gate's marks look: a class for the colour, and what stands in its shapes. */
interface Look {
  readonly kind: string;
  /** Index in `GLYPHS`. */
  readonly glyph: number;
}

const COLORS = LIGHT.series.length;
/** Gates that have a look of their own; the next one looks like the first, and has its tooltip and its button. */
const LOOKS: number = COLORS * GLYPHS.length;

/** Of the gate at a position in the report: colours first, then colours with a glyph. Controls are hollow. */
function lookOf(gates: readonly GateReport[], gate: number): Look {
  if (gates[gate]!.control) return { kind: 'control', glyph: 0 };
  const place = gates.slice(0, gate).filter((one) => !one.control).length % LOOKS;
  return { kind: `series${place % COLORS}`, glyph: Math.floor(place / COLORS) };
}

function markOf(gates: readonly GateReport[], { x, y, points }: Mark): Markup {
  const [across, down] = [position(FRAME.x, x), position(FRAME.y, y)];
  const label = join(
    points.map((point) => describe(gates, point)),
    '\n',
  );
  const members = [...new Set(points.map((point) => point.gate))];
  const look = lookOfMark(gates, members);
  return html`<g class="mark ${look.kind}" transform="translate(${across} ${down})" tabindex="0" role="img" aria-label="${label}" data-x="${x}" data-y="${y}" data-gates="${members.join(' ')}"><title>${label}</title>${points.map(whiskers)}${shapeOf(points, look)}<circle class="hit" r="9"/></g>
`;
}

/** A mark of controls alone is a control's; one of a single gate is that gate's; else it is of several. */
function lookOfMark(gates: readonly GateReport[], members: readonly number[]): Look {
  if (members.every((gate) => gates[gate]!.control)) return { kind: 'control', glyph: 0 };
  return members.length === 1 ? lookOf(gates, members[0]!) : { kind: 'several', glyph: 0 };
}

/** The tier's shape; a disc, with their number, for coinciding points. */
function shapeOf(points: readonly PlotPoint[], { kind, glyph }: Look): Markup {
  if (points.length === 1) {
    const { tier } = points[0]!;
    return html`<path class="shape" d="${SHAPES[tier]}"/>${glyphAt(glyph, MIDDLES[tier])}`;
  }
  const number = kind === 'several' ? html`<text class="count" y="3.2">${points.length}</text>` : null;
  return html`<circle class="shape" r="7"/>${number}${glyphAt(glyph, 0)}`;
}

function glyphAt(glyph: number, y: number): Value {
  return glyph === 0 ? null : html`<path class="glyph" transform="translate(0 ${y})" d="${GLYPHS[glyph]!}"/>`;
}

/** Controls are named in the drawing itself: over the marks, and above the grid where their marks are at its top. */
function controlNames(gates: readonly GateReport[], marks: readonly Mark[]): Markup {
  const names = marks.map(({ x, y, points }) => {
    const controls = [...new Set(points.map(({ gate }) => gate))].filter((gate) => gates[gate]!.control);
    if (controls.length === 0) return null;
    const [across, anchor] = y > 0.9 ? [0, 'middle'] : x > 0.7 ? [-12, 'end'] : [12, 'start'];
    const down = y > 0.9 ? -13 : y < 0.1 ? -10 : 17;
    const text = controls.map((gate) => gates[gate]!.name).join(', ');
    return html`<text class="word halo" x="${position(FRAME.x, x) + across}" y="${position(FRAME.y, y) + down}" text-anchor="${anchor}">${text}</text>`;
  });
  return html`<g class="labels" aria-hidden="true">${names}</g>`;
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

/** Which shape is which tier, for the tiers that are drawn. */
function key(points: readonly PlotPoint[]): Markup {
  const drawn = TIERS.filter((tier) => points.some((point) => point.tier === tier));
  return html`<ul class="key" aria-label="Shapes">${drawn.map(
    (tier) =>
      html`<li><svg viewBox="-8 -8 16 16" aria-hidden="true"><path class="shape" d="${SHAPES[tier]}"/></svg>${tier}</li>`,
  )}</ul>`;
}

function legendEntry(gates: readonly GateReport[], gate: number): Markup {
  const { name, control } = gates[gate]!;
  const { kind, glyph } = lookOf(gates, gate);
  const mark = html`<svg class="${kind}" viewBox="-8 -8 16 16" aria-hidden="true"><path class="shape" d="${SHAPES.target}"/>${glyphAt(glyph, 0)}</svg>`;
  return html`<li><button type="button" aria-pressed="false" data-gate="${gate}">${mark}${name}${control ? ' (control)' : ''}</button></li>`;
}
