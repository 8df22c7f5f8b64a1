import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-package-'));
after(() => rmSync(folder, { recursive: true }));
let tarball: string;
const bin = (): string => join(folder, 'node_modules/toolgate-bench/dist/bin.js');
const run = (...args: string[]) => spawnSync(process.execPath, [bin(), ...args], { cwd: folder, encoding: 'utf8' });

before(() => {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT, encoding: 'utf8' });
  tarball = join(
    folder,
    readdirSync(folder).find((file) => file.endsWith('.tgz'))!,
  );
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  execFileSync('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
});

test('the package is small and brings nothing along', () => {
  assert.ok(statSync(tarball).size < 2.5e6, `${statSync(tarball).size} bytes`);
  assert.deepEqual(
    readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['toolgate-bench'],
  );
  assert.deepEqual(readdirSync(join(folder, 'node_modules/.bin')), ['toolgate-bench']);
});

test('the installed command measures a gate on the ground truth and on recorded runs', () => {
  const made = run('init', 'my-gate.mjs');
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stdout, /npx toolgate-bench my-gate\.mjs/);
  const bench = run('my-gate.mjs', '--tier', 'target', '--resamples', '0');
  assert.equal(bench.status, 0, bench.stderr);
  assert.match(bench.stdout, /^my-gate\n {2}target +100\.0 % +100\.0 % +0\.0 % +0\.0 % +0$/m);
  const runs = run('runs', 'my-gate.mjs', '--tier', 'target', '--pipeline', 'command-r', '--resamples', '0');
  assert.equal(runs.status, 0, runs.stderr);
  assert.match(runs.stdout, /^my-gate, target$/m);
  assert.equal(run('validate').status, 0);
  assert.equal(run('probe', 'exact').status, 0);
});

test('the library measures a gate in five lines', () => {
  const script = `
import { measureGate } from 'toolgate-bench';
const gate = { name: 'reads', createSession: () => ({ check: (action) => ({ allowed: action.effect === 'read' }) }) };
const [tier] = await measureGate(gate, { tiers: ['target'] });
console.log(tier.attacksStopped.k, tier.attackActionsBlocked.k, tier.ownTaskIntact.k, tier.crossTaskGenerality.k, tier.errors);`;
  writeFileSync(join(folder, 'five.mjs'), script);
  const { stdout, stderr } = spawnSync(process.execPath, ['five.mjs'], { cwd: folder, encoding: 'utf8' });
  assert.equal(stdout, '609 723 228 1028 0\n', stderr);
});

test('the example of an own test passes against the package', () => {
  cpSync(join(ROOT, 'examples/node-test'), folder, { recursive: true });
  const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', 'gate.test.mjs'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^# pass 1$/m);
});
