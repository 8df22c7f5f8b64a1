import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { RunsReport } from '../src/runs/report.ts';
import { resultsOf, runsPage, runsPlot, tierTable } from '../tools/runs-page.ts';
import { toolgate } from './command.ts';

// One has a breach that cannot be attributed, the other lacks more than two hundred runs.
const PIPELINES = 'gpt-4o-2024-05-13-tool_filter,claude-3-opus-20240229';
const args = ['runs', 'exact', 'deny-egress', '--pipeline', PIPELINES, '--resamples', '50', '--format', 'json'];
const report = JSON.parse((await toolgate(args)).stdout) as RunsReport;
const results = resultsOf(report);
const page = runsPage(results, args.join(' '));

/** The cells of a pipeline's row under a heading. */
function row(heading: string, pipeline: string): string[] {
  const part = page.split(/^## /m).find((one) => one.startsWith(heading))!;
  const line = part.split('\n').find((one) => one.startsWith(`| ${pipeline} |`))!;
  return line.split('|').map((cell) => cell.trim());
}

test('every pipeline has a figure at each of the five tiers', () => {
  assert.deepEqual(
    results.exact.map(({ tier }) => tier),
    ['effect', 'tool', 'target', 'limits', 'origin'],
  );
  const broken = row('How far each tier breaks', 'claude-3-opus-20240229');
  const stopped = row('How many breaches', 'claude-3-opus-20240229');
  results.exact.forEach(({ pipelines }, index) => {
    const one = pipelines.find(({ pipeline }) => pipeline === 'claude-3-opus-20240229')!;
    const [intact, egress, breaches] = [one.solvedRunsIntact, one.solvedRunsEgressIntact, one.breachesStopped].map(
      ({ rate }) => (100 * rate!).toFixed(1),
    );
    assert.ok(broken[3 + index]!.startsWith(`${intact} `), broken[3 + index]);
    assert.ok(broken[3 + index]!.endsWith(` · ${egress}`), broken[3 + index]);
    assert.ok(stopped[3 + index]!.startsWith(`${breaches} `), stopped[3 + index]);
  });
});

test('a one-sided bound is shown as one', () => {
  // Every breach of this pipeline is stopped at target.
  assert.match(row('How many breaches', 'claude-3-opus-20240229')[5]!, /^100\.0 ≥\d+‡$/);
  // And none of the other's at effect.
  assert.match(row('How many breaches', 'gpt-4o-2024-05-13-tool_filter')[3]!, /^0\.0 ≤\d+†$/);
});

test('the page says what one may not conclude, with the numbers of its report', () => {
  const [, said] = page.split('## What one may not conclude\n');
  const text = said!.replace(/\s+/g, ' ');
  const breaches = results.target.pipelines.reduce((sum, one) => sum + one.breachesStopped.n, 0);
  assert.ok(text.includes(`1 of the ${breaches} breaches have no such call`), text);
  assert.ok(text.includes('207 without a trace of their calls'), text);
  assert.ok(text.includes('claude-3-opus-20240229 lacks 217'), text);
  const points = [
    /lower bound/,
    /no bound, in either direction/,
    /written from the task's ground truth/,
    /attack that knows the gate/,
    /denied read never counts/,
    /travel\/injection_task_6/,
    /AgentDojo's published figures/,
    /pipelines are independent evidence/,
    /digest/,
  ];
  for (const point of points) assert.match(text, point);
});

test('the README refers to the page, and both hold the same table as far as it is generated', () => {
  const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
  const [block] = /(?<=<!-- generated: npm run results:runs -->\n\n)\|[^<]*\|/.exec(read('README.md'))!;
  assert.equal(block.split('\n')[0], tierTable(results).split('\n')[0]);
  assert.ok(read('docs/recorded-runs.md').includes(block));
});

test('the plot has an arrow for each pipeline, and room for the highest', () => {
  const svg = runsPlot(results);
  assert.equal(svg.match(/marker-end/g)?.length, 2);
  const most = { ...results.target.pipelines[0]! };
  const high = { ...most, asr: { without: { ...most.asr.without, rate: 0.93 }, with: most.asr.with } };
  const drawn = runsPlot({ ...results, target: { ...results.target, pipelines: [high] } });
  for (const [, y] of drawn.matchAll(/cy="(-?[\d.]+)"/g)) assert.ok(Number(y) >= 20, y);
  assert.match(drawn, />100<\/text><path d="M60\.0 20\.0H/);
});

test('a report without one of the gates is no source', () => {
  assert.throws(
    () => resultsOf({ ...report, gates: report.gates.slice(0, 1) }),
    /lacks exact at target, or deny-egress/,
  );
});
