import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeCoincident, paretoFront, type PlotPoint, staircase } from '../src/render/html/marks.ts';
import { escape, html, raw, toText } from '../src/render/html/markup.ts';
import { WHISKER_OPACITY } from '../src/render/html/style.ts';
import { contrast, DARK, LIGHT } from '../src/render/html/palette.ts';

test('whatever stands in a template is text, unless it is markup', () => {
  const attack = '<img src=x onerror=alert(1)>"\'&\u202e';
  assert.equal(escape(attack), '&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;\\u{202e}');
  assert.equal(
    toText(html`<p title="${attack}">${[attack, 1, null, raw('<b>')]}</p>`),
    `<p title="${escape(attack)}">${escape(attack)}1<b></p>`,
  );
});

function blend(color: string, background: string, opacity: number): string {
  const channel = (of: string, at: number): number => Number.parseInt(of.slice(at, at + 2), 16);
  const mixed = [1, 3, 5].map((at) =>
    Math.round(opacity * channel(color, at) + (1 - opacity) * channel(background, at)),
  );
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

test('text and marks reach WCAG AA contrast in both schemes', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  for (const scheme of [LIGHT, DARK]) {
    for (const text of [scheme.text, scheme.muted, scheme.link]) {
      assert.ok(contrast(text, scheme.background) >= 4.5, text);
      assert.ok(contrast(text, scheme.panel) >= 4.5, text);
    }
    for (const mark of [...scheme.series, scheme.muted]) {
      assert.ok(contrast(mark, scheme.background) >= 3, mark);
      const whisker = blend(mark, scheme.background, WHISKER_OPACITY);
      assert.ok(contrast(whisker, scheme.background) >= 3, `whisker ${whisker}`);
    }
  }
});

const at = (x: number, y: number): PlotPoint => ({
  gate: 0,
  tier: 'tool',
  x: { k: 0, n: 1, rate: x },
  y: { k: 0, n: 1, rate: y },
});

test('the Pareto front keeps what nothing beats in both figures', () => {
  const marks = mergeCoincident([at(0, 1), at(0.5, 1), at(0.5, 0.2), at(1, 0), at(0.8, 0.5), at(0.7, 0.5), at(0, 1)]);
  assert.deepEqual(
    marks.map(({ x, y, points }) => [x, y, points.length]),
    [
      [0, 1, 2],
      [0.5, 0.2, 1],
      [0.5, 1, 1],
      [0.7, 0.5, 1],
      [0.8, 0.5, 1],
      [1, 0, 1],
    ],
  );
  const front = paretoFront(marks);
  assert.deepEqual(
    front.map(({ x, y }) => [x, y]),
    [
      [0.5, 1],
      [0.8, 0.5],
      [1, 0],
    ],
  );
  assert.deepEqual(staircase(front).at(-1), { x: 1, y: 0 });
  assert.deepEqual(staircase([]), []);
});
