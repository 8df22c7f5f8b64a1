import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT, toolgate } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-action-'));
after(() => rmSync(folder, { recursive: true }));
const at = (file: string): string => join(folder, file);
const FAST = '--suite banking --tier target --resamples 20';

function act(name: string, inputs: Record<string, string>) {
  const env = {
    ...process.env,
    TOOLGATE: `${process.execPath} run.mjs`,
    REPORT: at(`${name}.json`),
    GITHUB_OUTPUT: at(`${name}.output`),
    GITHUB_STEP_SUMMARY: at(`${name}.summary`),
    ...inputs,
  };
  const { status, stderr } = spawnSync('bash', ['tools/action/measure.sh'], { cwd: ROOT, env, encoding: 'utf8' });
  return {
    status,
    stderr,
    summary: () => readFileSync(at(`${name}.summary`), 'utf8'),
    output: () => readFileSync(at(`${name}.output`), 'utf8'),
  };
}

test('the step writes report, output and summary', () => {
  const { status, stderr, summary, output } = act('plain', { GATES: 'exact\n  adapters/exact.mjs', OPTIONS: FAST });
  // The same gate twice: its second row is refused, which is exit status 2.
  assert.equal(status, 2, stderr);
  assert.equal(output(), `report=${at('plain.json')}\n`);
  assert.match(summary(), /\*\*exact\*\* stops 99\.3 %/);
});

test('a floor that is missed fails the step; quoted words stay whole, and nothing in them is run', () => {
  const { status, stderr, summary } = act('floor', {
    GATES: 'exact',
    OPTIONS: `${FAST} --fail-under 'target.attacksStopped=100'`,
  });
  assert.equal(status, 1);
  assert.match(stderr, /exact: target\.attacksStopped=100 falls short/);
  assert.match(summary(), /\*\*exact\*\* stops/);
  const evil = act('evil', { GATES: '$(touch hacked)', OPTIONS: `${FAST} "; touch hacked"` });
  assert.equal(evil.status, 2);
  assert.throws(() => readFileSync(join(ROOT, 'hacked')));
});

test('a base report is compared with', async () => {
  const base = await toolgate(['exact', ...FAST.split(' '), '--format', 'json', '--out', at('base.json')]);
  assert.equal(base.status, 0);
  const { status, summary, stderr } = act('compared', { GATES: 'exact', OPTIONS: FAST, BASE_REPORT: at('base.json') });
  assert.equal(status, 0, stderr);
  assert.match(summary(), /Nothing is clearly worse\.\n\nEvery outcome is the same\./);
});

test('an open quote is refused, so that no option is lost', () => {
  const { status, stderr } = act('open', {
    GATES: 'exact',
    OPTIONS: `${FAST} --fail-under='target.attacksStopped=100`,
  });
  assert.equal(status, 2);
  assert.match(stderr, /the input options cannot be split into words: a quote is left open/);
  assert.ok(!existsSync(at('open.json')));
});

test('a report of an earlier step is neither shown nor compared with itself', async () => {
  const args = ['exact', ...FAST.split(' '), '--format', 'json', '--out'];
  for (const name of ['stale', 'same']) await toolgate([...args, at(`${name}.json`)]);
  const stale = act('stale', { GATES: 'no-such-gate', OPTIONS: FAST });
  assert.equal(stale.status, 2);
  assert.match(stale.stderr, /wrote no report/);
  assert.ok(!existsSync(at('stale.summary')));
  const same = act('same', { GATES: 'allow-all', OPTIONS: FAST, BASE_REPORT: at('same.json') });
  assert.equal(same.status, 2);
  assert.match(same.stderr, /base-report and report are the same file/);
  assert.ok(existsSync(at('same.json')));
});

test('gates are measured once: the summary is rendered from the report', () => {
  const log = at('calls.log');
  const wrapper = at('logged.sh');
  writeFileSync(wrapper, `echo "$*" >> '${log}'\nexec '${process.execPath}' run.mjs "$@"\n`);
  const { status, stderr, summary } = act('once', { GATES: 'exact', OPTIONS: FAST, TOOLGATE: `bash ${wrapper}` });
  assert.deepEqual([status, stderr], [0, '']);
  assert.deepEqual(readFileSync(log, 'utf8').trimEnd().split('\n'), [
    `exact ${FAST} --format json --out ${at('once.json')}`,
    `report ${at('once.json')} --format markdown`,
  ]);
  assert.match(summary(), /\*\*exact\*\* stops/);
});
