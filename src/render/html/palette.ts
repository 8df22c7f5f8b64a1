/** The colours of one scheme, as `#rrggbb`. */
export interface Scheme {
  readonly background: string;
  /** Of panels: tables' heads, the tooltip, code. */
  readonly panel: string;
  readonly text: string;
  /** Text of less weight, axes, controls. */
  readonly muted: string;
  readonly link: string;
  /** Lines that carry no meaning. */
  readonly line: string;
  /** Of gates, in the order of the report; shapes tell gates apart as well. */
  readonly series: readonly string[];
}

export const LIGHT: Scheme = {
  background: '#ffffff',
  panel: '#f3f5f8',
  text: '#1b1f24',
  muted: '#57606a',
  link: '#0b5cad',
  line: '#d5dae1',
  series: ['#1f6feb', '#b35900', '#1a7f37', '#8250df', '#cf222e', '#0f766e', '#bf3989', '#7a6a00'],
};

export const DARK: Scheme = {
  background: '#0f1419',
  panel: '#1a2129',
  text: '#e6edf3',
  muted: '#9aa7b4',
  link: '#6cb6ff',
  line: '#323c47',
  series: ['#58a6ff', '#ffa657', '#56d364', '#d2a8ff', '#ff7b72', '#39d0c5', '#f778ba', '#d4c04a'],
};

/** WCAG 2.2 contrast ratio of two colours `#rrggbb`, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].toSorted((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
