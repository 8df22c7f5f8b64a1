import { axes, type Frame, position } from '../../render/html/axes.ts';
import { html, join, type Markup, type Value } from '../../render/html/markup.ts';
import { LIGHT } from '../../render/html/palette.ts';
import type { Rate, Row } from '../figures.ts';
import { rateCell } from './cells.ts';

const FRAME: Frame = { width: 480, height: 340, x: [52, 456], y: [290, 26], inset: 8 };
/** A shape a target; from the sixth on they repeat. */
const SHAPES = [
  'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z',
  'M-4.5 -4.5H4.5V4.5H-4.5z',
  'M0 -5.5L5.5 4.5H-5.5z',
  'M0 -6L6 0L0 6L-6 0z',
  'M-5.5 -4.5H5.5L0 5.5z',
];

interface Point {
  readonly row: Row;
  /** Positions of the target and of the stack among those of the report. */
  readonly target: number;
  readonly stack: number;
  readonly x: number;
  readonly y: number;
}

/** Compromised against task done under attack: a mark a target and stack, and buttons that pick one out. */
export function plot(rows: readonly Row[]): Markup {
  const targets = [...new Set(rows.map(({ target }) => target))];
  const stacks = [...new Set(rows.map(({ defense }) => defense))];
  const points = rows.flatMap((row): Point[] => {
    const [x, y] = [row.compromised.rate, row.taskUnderAttack.rate];
    if (x === null || y === null) return [];
    return [{ row, target: targets.indexOf(row.target), stack: stacks.indexOf(row.defense), x, y }];
  });
  if (points.length === 0) return html`<p class="note">There is no attack without an error to plot.</p>`;
  return html`<figure class="plot${points.length > 12 ? ' many' : ''}">
<svg viewBox="0 0 ${FRAME.width} ${FRAME.height}" role="group" aria-label="Compromised against task done under attack; the table has the same figures">
${axes(FRAME, 'compromised, per cent', 'task done under attack, per cent')}
${merged(points).map(mark)}</svg>
<div class="tip" role="status" hidden></div>
<ul class="legend">${stacks.map((name, index) => button(name, `s${index}`, color(index), SHAPES[0]!))}</ul>
${targets.length === 1 ? null : html`<ul class="legend">${targets.map((name, index) => button(name, `t${index}`, 'control', shape(index)))}</ul>`}
<figcaption>Up and to the left is better. Colours are stacks of defences${targets.length === 1 ? '' : ', shapes are targets'}; a disc with a number stands for
as many that coincide. Whiskers are 95 % intervals. The arrow keys go from mark to mark.</figcaption>
</figure>`;
}

const color = (stack: number): string => `series${stack % LIGHT.series.length}`;
const shape = (target: number): string => SHAPES[target % SHAPES.length]!;

/** Points that coincide, as one. */
function merged(points: readonly Point[]): Point[][] {
  const marks = new Map<string, Point[]>();
  for (const point of points) {
    const key = `${point.x} ${point.y}`;
    marks.set(key, [...(marks.get(key) ?? []), point]);
  }
  return [...marks.values()];
}

function mark(points: readonly Point[]): Markup {
  const [{ x, y, stack, target }] = points as [Point, ...Point[]];
  const label = join(
    points.map(({ row }) => describe(row)),
    '\n',
  );
  const members = [...new Set(points.flatMap((point) => [`s${point.stack}`, `t${point.target}`]))].join(' ');
  const drawn =
    points.length === 1
      ? html`<path class="shape" d="${shape(target)}"/>`
      : html`<circle class="shape" r="7"/><text class="count" y="3.2">${points.length}</text>`;
  return html`<g class="mark ${points.length === 1 ? color(stack) : 'several'}" transform="translate(${position(FRAME.x, x)} ${position(FRAME.y, y)})" tabindex="0" role="img" aria-label="${label}" data-x="${x}" data-y="${y}" data-gates="${members}"><title>${label}</title>${points.map(whiskers)}${drawn}<circle class="hit" r="9"/></g>
`;
}

function describe({ target, defense, compromised, taskUnderAttack }: Row): string {
  return `${target}, ${defense}: compromised ${rateCell(compromised)}, task done ${rateCell(taskUnderAttack)}`;
}

/** The intervals, relative to the point. */
function whiskers({ row, x, y }: Point): Value {
  const from = (axis: Frame['x'], rate: number, end: number): number =>
    Math.round(1000 * (position(axis, end) - position(axis, rate))) / 1000;
  const ends = ({ low, high }: Rate): [number, number] | null =>
    low === undefined || high === undefined ? null : [low, high];
  const [across, up] = [ends(row.compromised), ends(row.taskUnderAttack)];
  return [
    across && html`<path class="whisker" d="M${from(FRAME.x, x, across[0])} 0H${from(FRAME.x, x, across[1])}"/>`,
    up && html`<path class="whisker" d="M0 ${from(FRAME.y, y, up[0])}V${from(FRAME.y, y, up[1])}"/>`,
  ];
}

function button(name: string, token: string, kind: string, drawn: string): Markup {
  const sign = html`<svg class="${kind}" viewBox="-8 -8 16 16" aria-hidden="true"><path class="shape" d="${drawn}"/></svg>`;
  return html`<li><button type="button" aria-pressed="false" data-gate="${token}">${sign}${name}</button></li>`;
}
