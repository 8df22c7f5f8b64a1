import assert from 'node:assert/strict';
import { test } from 'node:test';
import { render, SCENARIO_FORMATS } from '../src/scenarios/render/index.ts';
import { reportOn } from '../src/scenarios/report.ts';
import { run, SCENARIOS, targetOf } from './scenarios-harness.ts';

const HOSTILE = '\u001b[2J<img src=x onerror=alert(1)>|`*_\u202e"\'&';
const target = targetOf(async () => ({ text: '' }), HOSTILE);
const records = await run(target, 'none', SCENARIOS.slice(0, 20));
const report = reportOn(records, { resamples: 100, seed: 1, corpus: 'c', command: HOSTILE });

for (const format of SCENARIO_FORMATS) {
  test(`${format}: a hostile name is escaped, and the same report gives the same text`, () => {
    const text = render(report, format, 'channel');
    assert.equal(text, render(report, format, 'channel'));
    assert.equal(text.endsWith('\n'), true);
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    assert.doesNotMatch(text, /\u001b/);
    if (format !== 'json') assert.doesNotMatch(text, /\u202e/);
    if (format === 'html') assert.doesNotMatch(text, /<img|alert\(1\)>/);
    if (format === 'markdown') assert.doesNotMatch(text, /(?<!\\)<img|[^\\]\|`/);
  });
}

test('html loads nothing, and has a point for every row with a rate', () => {
  const text = render(report, 'html');
  assert.doesNotMatch(text, /https?:|src=(?!x)/);
  assert.match(text, /default-src 'none'/);
  assert.equal(text.split('class="mark').length - 1, 1);
});

test('text: lines of at most 80 columns, by channel and by family', () => {
  for (const by of ['channel', 'family'] as const) {
    const lines = render(
      reportOn(
        records.map((one) => ({ ...one, key: { ...one.key, target: 'a'.repeat(90) } })),
        { resamples: 100, seed: 1, corpus: 'c', command: 'x' },
      ),
      'text',
      by,
    ).split('\n');
    assert.ok(lines.every((line) => line.length <= 80));
  }
});
