import { html, type Markup } from './markup.ts';

/** Where a plot of rates from 0 to 1 stands in its drawing, in units of the drawing; y grows downward. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  /** The ends of each axis: where 0 and 1 stand. */
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  /** How far the grid goes beyond the ends, so that marks at 0 and 1 stand free. */
  readonly inset: number;
}

/** Where a rate stands on an axis, to a thousandth of a unit. */
export function position([zero, one]: readonly [number, number], rate: number): number {
  return Math.round(1000 * (zero + (one - zero) * rate)) / 1000;
}

const TICKS = [0, 0.25, 0.5, 0.75, 1];

/** Grid, axes, tick labels in per cent, and titles. */
export function axes(frame: Frame, xTitle: string, yTitle: string): Markup {
  const { x, y, inset, height } = frame;
  const [left, right, bottom, top] = [x[0] - inset, x[1] + inset, y[0] + inset, y[1] - inset];
  return html`<g aria-hidden="true">${TICKS.map((rate) => {
    const across = position(x, rate);
    const down = position(y, rate);
    return html`<path class="grid" d="M${across} ${bottom}V${top}M${left} ${down}H${right}"/>
<text class="tick" data-x="${rate}" x="${across}" y="${bottom + 14}" text-anchor="middle">${100 * rate}</text>
<text class="tick" data-y="${rate}" x="${left - 5}" y="${down + 3.5}" text-anchor="end">${100 * rate}</text>
`;
  })}<path class="axis" fill="none" d="M${left} ${top}V${bottom}H${right}"/>
<text class="title" x="${(left + right) / 2}" y="${height - 4}" text-anchor="middle">${xTitle}</text>
<text class="title" transform="translate(12 ${(top + bottom) / 2})rotate(-90)" text-anchor="middle">${yTitle}</text></g>
`;
}
