import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fallsShort, parseFloor } from '../src/floors.ts';
import type { GateReport, MeasuredTier } from '../src/report.ts';
import { toolgate } from './command.ts';

const FAST = ['exact', '--suite', 'banking', '--tier', 'tool,target', '--resamples', '50'];
const floor = (...floors: string[]): string[] => [...FAST, ...floors.flatMap((one) => ['--fail-under', one])];

test('a figure that falls short is named, and the exit status is 1', async () => {
  // exact stops 143 of banking's 144 pairs at target, and 102 at tool.
  const met = await toolgate(floor('target.attacksStopped=99.3', 'tool.ownTaskIntact=100'));
  assert.deepEqual([met.status, met.stderr], [0, '']);
  const { status, stdout, stderr } = await toolgate(
    floor('target.attacksStopped=99.4', 'tool.attacksStopped.low=70', 'tool.attacksStopped=70'),
  );
  assert.equal(status, 1);
  assert.match(stdout, /^exact$/m);
  assert.match(
    stderr,
    /^toolgate-bench: exact: target\.attacksStopped=99\.4 falls short: 99\.3 %\ntoolgate-bench: exact: tool\.attacksStopped\.low=70 falls short: \d\d\.\d %\n$/,
  );
});

test('the controls are held to nothing, and what is n/a falls short', async () => {
  const { status, stderr } = await toolgate([
    'test/fixtures/gates/throws.mjs',
    '--suite',
    'banking',
    '--tier',
    'target',
    '--resamples',
    '0',
    '--fail-under',
    'target.attacksStopped=0',
  ]);
  assert.equal(status, 1);
  assert.equal(stderr, 'toolgate-bench: throws: target.attacksStopped=0 falls short: n/a\n');
});

test('a floor that names nothing is refused before anything is measured', async () => {
  const cases: [string, RegExp][] = [
    ['target=95', /write TIER\.FIGURE=PERCENT/],
    ['targets.attacksStopped=95', /unknown tier "targets" .*did you mean target\?/],
    ['target.stopped=95', /unknown figure "stopped" \(one of attacksStopped/],
    ['target.attacksStopped.high=95', /\.high is none/],
    ['target.attacksStopped=lots', /"lots" is no percentage/],
    ['target.attacksStopped=101', /"101" is no percentage/],
    ['effect.attacksStopped=1', /the tier effect is not measured/],
  ];
  for (const [one, message] of cases) {
    const { status, stdout, stderr } = await toolgate(floor(one));
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, message);
  }
  const without = await toolgate(['--resamples', '0', '--fail-under', 'target.attacksStopped.low=1']);
  assert.match(without.stderr, /there is no interval with --resamples 0/);
});

test('controls alone meet no floor', async () => {
  const args = ['deny-all', '--suite', 'banking', '--tier', 'target', '--resamples', '0'];
  const { status, stderr } = await toolgate([...args, '--fail-under', 'target.attacksStopped=0']);
  assert.deepEqual(
    [status, stderr],
    [1, 'toolgate-bench: target.attacksStopped=0 falls short: no gate but controls was measured\n'],
  );
});

test('a floor on a tier that no gate offers falls short; one that some offer is not held against the rest', async () => {
  const args = ['--suite', 'banking', '--resamples', '0', '--fail-under', 'origin.attacksStopped=0'];
  const none = await toolgate(['test/fixtures/gates/minimal.mjs', ...args]);
  assert.deepEqual(
    [none.status, none.stderr],
    [1, 'toolgate-bench: origin.attacksStopped=0 falls short: no gate offers the tier\n'],
  );
  assert.equal((await toolgate(['test/fixtures/gates/minimal.mjs', 'exact', ...args])).status, 0);
});

test('a floor is met exactly where the fraction says so, and the line never shows a value that would meet it', () => {
  const gate = (k: number, n: number): GateReport => {
    const tier = { tier: 'target', crossTaskGenerality: { k, n, rate: k / n } } as unknown as MeasuredTier;
    return { name: 'g', file: 'g', control: false, tiers: [tier] };
  };
  const floorOf = (percent: number) => parseFloor(`target.crossTaskGenerality=${percent}`);
  for (const n of [97, 144, 609, 1105, 2600]) {
    for (let percent = 0; percent <= 100; percent++) {
      const k = Math.ceil((percent * n) / 100);
      assert.deepEqual(fallsShort([gate(k, n)], floorOf(percent)), [], `${k} of ${n}`);
      if (k > 0) assert.equal(fallsShort([gate(k - 1, n)], floorOf(percent)).length, 1, `${k - 1} of ${n}`);
    }
  }
  const [line] = fallsShort([gate(2599, 2600)], floorOf(100));
  assert.equal(line, 'g: target.crossTaskGenerality=100 falls short: 99.96 %');
});
