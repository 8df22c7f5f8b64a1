import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '../src/report.ts';
import { escape, renderMarkdown } from '../src/render/markdown.ts';
import { toolgate } from './command.ts';

test('the report for a pull request has a headline, the table and folded breakdowns', async () => {
  const { status, stdout } = await toolgate([
    'exact',
    '--suite',
    'banking',
    '--tier',
    'target,origin',
    '--resamples',
    '50',
    '--format',
    'markdown',
  ]);
  assert.equal(status, 0);
  assert.match(
    stdout,
    /^\*\*exact\*\* stops 99\.3 % of 144 injected attacks at `target`, keeps 100\.0 % of the user tasks intact, and permits 21\.3 %/m,
  );
  assert.match(stdout, /^\| allow-all \(control\) \| target \| 0\.0 % ≤ \d+\.\d † \|/m);
  assert.match(stdout, /^\| exact \| target \| banking \| 143\/144 \| 188\/192 \| 144\/144 \| 51\/240 \|$/m);
  assert.match(stdout, /<details><summary>By tool<\/summary>\n\n\| gate/);
  const rows = stdout.split('\n').filter((line) => line.startsWith('|'));
  for (const row of rows) assert.ok([9, 7].includes(row.split('|').length), row);
});

test('what came from outside stands as text, wherever it stands', async () => {
  const { stdout } = await toolgate([
    'exact',
    '--suite',
    'banking',
    '--tier',
    'target',
    '--resamples',
    '0',
    '--format',
    'json',
  ]);
  const report = JSON.parse(stdout) as Report;
  const attack = '<img src=x onerror=alert(1)>|`a`\n# @everyone [x](https://evil.test)';
  const gates = report.gates.map((gate) => ({
    ...gate,
    name: attack,
    tiers: gate.tiers.map((tier) => ({ ...tier, firstError: attack, errors: 1 })),
  }));
  const text = renderMarkdown({
    ...report,
    gates: [...gates, { name: 'x', file: 'x', control: false, failed: attack, tiers: [] }],
  });
  assert.doesNotMatch(text, /<img|@everyone|\]\(https|[^\\]`a`|\n# /);
  assert.match(text, /&lt;img src=x onerror=alert/);
});

test('escaping: markup, links, mentions and line ends', () => {
  assert.equal(escape('a|b'), String.raw`a\|b`);
  assert.equal(escape('<b>&'), '&lt;b&gt;&amp;');
  assert.equal(escape('@me'), '&#64;me');
  assert.doesNotMatch(escape('see https://evil.test or www.evil.test'), /https:|www\./);
  assert.equal(escape('a\nb'), String.raw`a\\u\{a\}b`);
});

test('the probe state of a gate stands in Markdown and HTML alike', async () => {
  const args = [
    'test/fixtures/unfaithful/any-recipient.mjs',
    '--probe',
    '--suite',
    'banking',
    '--tier',
    'target',
    '--resamples',
    '0',
  ];
  for (const format of ['markdown', 'html']) {
    const { status, stdout } = await toolgate([...args, '--format', format]);
    assert.equal(status, 1);
    assert.match(stdout, /any-recipient, probe:(\*\*)? \d+ probes\\?: not to be trusted as it is\\?: \d+ leaks/);
  }
});
