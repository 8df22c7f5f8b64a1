import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readmeTable, resultsPage } from '../tools/results/document.ts';
import { GATES } from '../tools/results/gates.ts';
import { type GateRow, ROOT } from '../tools/results/measure.ts';
import { asPublished, differences, readPublished } from '../tools/results/published.ts';

const published = readPublished();

async function results(...args: string[]): Promise<{ status: unknown; stdout: string; stderr: string }> {
  const command = ['--import', './tools/typescript.mjs', 'tools/results.ts', ...args];
  const child = spawn(process.execPath, command, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text.stdout += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (text.stderr += part));
  const [status] = (await once(child, 'close')) as [unknown];
  return { status, ...text };
}

test('the documents say what the published figures are, of every gate', () => {
  assert.deepEqual(
    published.map(({ name }) => name),
    GATES.map(({ name }) => name),
  );
  assert.equal(readFileSync(`${ROOT}docs/results.md`, 'utf8'), resultsPage(published));
  assert.ok(readFileSync(`${ROOT}README.md`, 'utf8').includes(`\n${readmeTable(published)}\n`));
  for (const { name, tiers } of published) {
    for (const tier of tiers) assert.ok('na' in tier ? tier.na !== 'not offered' : tier.errors === 0, name);
  }
});

test('what was measured again is compared, but for its times', async () => {
  const again = await results('--check', 'deny-all');
  assert.deepEqual([again.status, again.stdout], [0, ''], again.stderr);
  const [row] = published.filter(({ name }) => name === 'cel') as [GateRow];
  const other = (change: Partial<GateRow>): string[] => differences([{ ...row, ...change }], published);
  assert.deepEqual(other({}), []);
  assert.deepEqual(differences(asPublished([{ ...row, usACheck: 1e6, probe: null }], published, false), published), []);
  assert.deepEqual(other({ version: '0.0.1' }), ['cel: what is said of the gate: not what is published']);
  assert.deepEqual(other({ probe: null }), ['cel: what is said of the gate: not what is published']);
  const tiers = row.tiers.map((tier) => (tier.tier === 'tool' && !('na' in tier) ? { ...tier, errors: 1 } : tier));
  assert.deepEqual(other({ tiers }), ['cel: tool: not what is published']);
  assert.deepEqual(other({ name: 'new' }), ['new: nothing is published']);
});

test('a row is measured again by its name', async () => {
  const { status, stdout } = await results('deny-all');
  assert.equal(status, 0);
  assert.match(stdout, /^\| `deny-all` \| – \| – \| all five \| /m);
  assert.match(stdout, /^\| origin \| 100\.0 ≥89‡ \| /m);
  const unknown = await results('dney-all');
  assert.deepEqual([unknown.status, unknown.stdout], [2, '']);
  assert.match(unknown.stderr, /^no gate dney-all; there are allow-all, /);
});
