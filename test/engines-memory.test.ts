import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ENGINES, skipEngines } from './engines-support.ts';

const SCRIPT = fileURLToPath(new URL('fixtures/engines/memory.mjs', import.meta.url));
const LIMIT = 50 * 2 ** 20;

/** A small young generation, so that the process's size shows what is kept: WebAssembly memory is in no figure but that. */
const FLAGS = ['--expose-gc', '--max-semi-space-size=1'];

/** By how many bytes 13,000 sessions grow a process. */
function growth(name: string): { objects: number; rss: number } {
  const adapter = new URL(`../adapters/${name}.mjs`, import.meta.url).href;
  const { stdout, stderr } = spawnSync(process.execPath, [...FLAGS, SCRIPT, adapter], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return JSON.parse(stdout) as { objects: number; rss: number };
}

for (const name of [...ENGINES.map((engine) => engine.name), 'vard']) {
  test(`${name} keeps nothing of 13,000 sessions`, { skip: skipEngines }, () => {
    const { objects, rss } = growth(name);
    assert.ok(objects < LIMIT && rss < LIMIT, `objects grew by ${objects}, the process by ${rss} bytes`);
  });
}
