import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderRunsHtml } from '../src/render/runs-html.ts';
import { mediansOf, renderRunsMarkdown, renderRunsText } from '../src/render/runs.ts';
import { isMeasured, type Statistic } from '../src/report.ts';
import type { RunsReport } from '../src/runs/report.ts';
import { toolgate } from './command.ts';

const measure = async (attacks: string): Promise<RunsReport> => {
  const args = ['runs', 'exact', '--tier', 'target', '--resamples', '0', '--format', 'json', '--attack', attacks];
  const { status, stdout, stderr } = await toolgate(args);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as RunsReport;
};

// ignore_previous has five pipelines, tool_knowledge one of them.
const several = await measure('ignore_previous,tool_knowledge');
const single = await measure('ignore_previous');
const { pipelines } = several.gates[0]!.tiers.find(isMeasured)!;
const LONGEST = 'meta-llama_Llama-3.3-70B-Instruct-repeat_user_prompt';

test('where there are several attacks, every row says which; where there is one, the notes do', () => {
  assert.equal(pipelines.length, 6);
  for (const [text, separator] of [
    [renderRunsText(several), ', '],
    [renderRunsMarkdown(several).replaceAll('\\', ''), ', '],
    [renderRunsHtml(several), ', '],
  ] as const) {
    for (const { pipeline, attack } of pipelines) assert.ok(text.includes(`${pipeline}${separator}${attack}`), attack);
  }
  assert.ok(!renderRunsText(single).includes(`${LONGEST}, `));
  assert.match(renderRunsText(single), /^Attack ignore_previous\. /m);
});

test('medians are taken for each attack apart', () => {
  const markdown = renderRunsMarkdown(several).replaceAll('\\', '');
  const { utility } = pipelines.find(({ attack }) => attack === 'tool_knowledge')!;
  const arrow = [utility.without.rate!, utility.with.rate!].map((rate) => (100 * rate).toFixed(1)).join('→');
  assert.match(markdown, new RegExp(`^\\| median of 1, tool_knowledge \\|  \\| ${arrow} \\|`, 'm'));
  // In the middle of the five: the third of their utilities.
  const utilities = pipelines.flatMap((one) => (one.attack === 'ignore_previous' ? one.utility.without.rate! : []));
  const third = (100 * utilities.toSorted((a, b) => a - b)[2]!).toFixed(1);
  assert.match(markdown, new RegExp(`^\\| median of 5, ignore_previous \\|  \\| ${third}→`, 'm'));
  assert.match(renderRunsText(several), /^ {2}median of 5, ignore_previous$/m);
  assert.match(renderRunsHtml(several), /<th scope="row">median of 5, ignore_previous<\/th>/);
  assert.match(renderRunsHtml(single), /<th scope="row">median of 5<\/th>/);
});

test('a pipeline without breaches is no part of their median; one with a void session voids it', () => {
  const tier = single.gates[0]!.tiers.find(isMeasured);
  const rates = tier!.pipelines.map(({ breachesStopped }) => breachesStopped.rate!).toSorted((a, b) => a - b);
  const withFirst = (statistic: Statistic): number | null | undefined => {
    const [first, ...others] = tier!.pipelines.toSorted((a, b) => a.breachesStopped.rate! - b.breachesStopped.rate!);
    const changed = { ...tier!, pipelines: [{ ...first!, breachesStopped: statistic }, ...others] };
    return mediansOf(changed, single.attacks)[0]?.breachesStopped;
  };
  assert.equal(withFirst({ k: 0, n: 0, rate: null }), (rates[2]! + rates[3]!) / 2);
  assert.equal(withFirst({ k: null, n: 9, rate: null }), null);
});

test('a long name with an attack stays within 80 columns', () => {
  const lines = renderRunsText(several).split('\n');
  assert.ok(lines.some((line) => line.startsWith(`${LONGEST}, ignore_previous`)));
  for (const line of lines) assert.ok(Array.from(line).length <= 80, line);
});

test('an arrow points from the ring to the dot', () => {
  const paths = [...renderRunsHtml(single).matchAll(/<path class="whisker" fill="none" d="([^"]*)"/g)];
  assert.equal(paths.length, 5);
  for (const [, path] of paths) {
    // From the ring to the dot at 0 0; then a barb, the tip, and the other barb.
    const [ring, dot, barb, tip, other] = path!
      .split(/[ML]/)
      .filter(Boolean)
      .map((pair) => pair.split(' ').map(Number));
    const far = ([x, y]: number[]): number => Math.hypot(x!, y!);
    assert.deepEqual(dot, [0, 0]);
    for (const one of [barb!, other!]) {
      assert.ok(far(tip!) < far(one) && far(one) < far(ring!), path);
    }
  }
});

test('the list says what the recordings leave out', async () => {
  const { stdout } = await toolgate(['runs', '--list']);
  assert.match(
    stdout.replaceAll('\n', ' '),
    /leave out: 485 under attacks called \*dos\* .*, 804 of .*, 4480 of pairs/,
  );
});
