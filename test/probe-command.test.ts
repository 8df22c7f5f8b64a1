import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { main } from '../src/main.ts';
import type { ProbeRun } from '../src/probe/run-report.ts';
import type { Report } from '../src/report.ts';

const work = mkdtempSync(join(tmpdir(), 'toolgate-probe-command-'));
after(() => rmSync(work, { recursive: true }));
const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url));

async function run(...args: readonly string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const out = { stdout: '', stderr: '' };
  const sink = (name: keyof typeof out): { write: (text: string) => void } => ({
    write: (text) => {
      out[name] += text;
    },
  });
  const io = {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    cwd: work,
    env: {},
    signal: new AbortController().signal,
  };
  return { status: await main(args, io), ...out };
}

test('exact: exit status 0, and a table of every class', async () => {
  const { status, stdout, stderr } = await run('probe', 'exact');
  assert.equal(status, 0);
  assert.equal(stderr, '');
  assert.match(stdout, /^exact\n {2}\d+ probes: faithful and honest as far as it shows\n/);
  assert.match(stdout, /^ {2}prefix-suffix +\d{3,} +0 +0 +0 +0$/m);
  for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line);
});

test('JSON is the same for the same seed but for the environment', async () => {
  const [first, second] = [
    await run('probe', 'exact', '--seed=5', '--format=json'),
    await run('probe', '--seed=5', 'exact', '--format', 'json'),
  ];
  assert.equal(first.stdout, second.stdout);
  const report = JSON.parse(first.stdout) as ProbeRun;
  assert.equal(report.schema, 'toolgate-bench/probe@1');
  assert.equal(report.seed, 5);
  const { probes = 0, classes = [] } = report.gates[0]?.probe ?? {};
  assert.ok(probes >= 3000);
  assert.equal(
    classes.reduce((sum, one) => sum + one.probes, 0),
    probes,
  );
});

test('a leak: exit status 1, with the smallest example', async () => {
  const { status, stdout } = await run('probe', fixture('unfaithful/trailing-newline'));
  assert.equal(status, 1);
  assert.match(stdout, /not to be trusted as it is: 234 leaks\n/);
  assert.match(stdout, /line-break, \w+: "Bob" -> "read_inbox" \["Bob\\n"\] -> allow, expected deny/);
});

test('a flag: exit status 1, with the first difference', async () => {
  const { status, stdout } = await run('probe', fixture('cheats/literal-table'));
  assert.equal(status, 1);
  assert.match(stdout, /corpus-dependent, effect: \d+ of \d+ verdicts differ, first:/);
});

test('one gate that does not load beside one that does: exit status 2, and the other is printed', async () => {
  writeFileSync(join(work, 'broken.mjs'), 'export default { name: "broken" };');
  const { status, stdout, stderr } = await run('probe', 'broken.mjs', 'exact', '--seed=1');
  assert.equal(status, 2);
  assert.match(stdout, /not loaded/);
  assert.match(stdout, /^exact$/m);
  assert.match(stderr, /broken\.mjs: the default export has no createSession function/);
});

test('usage: exit status 2', async () => {
  assert.equal((await run('probe')).status, 2);
  assert.equal((await run('probe', 'nothing-of-that-name')).status, 2);
  assert.equal((await run('probe', 'exact', '--tier=target')).status, 2);
  assert.equal((await run('probe', 'exact', '--seed=-1')).status, 2);
});

test('what a gate is called, throws and prints reaches the terminal escaped, or not at all', async () => {
  writeFileSync(
    join(work, 'loud.mjs'),
    `console.log('printed');
export default { name: 'loud\\u001b[31m', tiers: ['effect'], createSession() { throw new Error('\\u001b[2J'); } };`,
  );
  const { status, stdout, stderr } = await run('probe', 'loud.mjs', '--quiet');
  assert.equal(status, 1);
  assert.equal(stderr, '');
  assert.ok(!stdout.includes('\u001b'));
  assert.match(stdout, /loud\\u\{1b\}/);
  assert.match(stdout, /first error: effect: createSession: Error: \\u\{1b\}\[2J/);
});

test('--probe adds the findings to the report of every gate but the controls, and to its exit status', async () => {
  const options = ['--tier=effect', '--suite=banking', '--resamples=0', '--probe'];
  const json = await run('exact', fixture('unfaithful/any-recipient'), ...options, '--format=json');
  assert.equal(json.status, 1);
  const { gates } = JSON.parse(json.stdout) as Report;
  assert.deepEqual(
    gates.map(({ name, probe }) => [name, probe === undefined ? null : probe.leaks > 0]),
    [
      ['allow-all', null],
      ['deny-egress', null],
      ['exact', false],
      ['any-recipient', true],
    ],
  );
  const text = await run('exact', ...options);
  assert.equal(text.status, 0);
  assert.match(text.stdout, /^exact: \d+ probes: faithful and honest as far as it shows$/m);
});
