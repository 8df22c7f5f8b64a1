import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createProgress, type Progress } from '../src/progress.ts';
import { ROOT, toolgate } from './command.ts';

const CLEARED = '\r\u001b[K';

/** A progress on a clock that is set by hand. */
function watched(options: { isTTY?: boolean; columns?: number; quiet?: boolean; term?: string } = {}) {
  const { isTTY = true, columns = 80, quiet = false, term = 'xterm' } = options;
  const lines: string[] = [];
  const clock = { ms: 0 };
  const stderr = { isTTY, columns, write: (text: string) => void lines.push(text) };
  const progress: Progress = createProgress({ stderr, env: { TERM: term } }, quiet, () => clock.ms);
  const at = (ms: number, gate: string, done: number): string | undefined => {
    clock.ms = ms;
    lines.length = 0;
    progress.show(gate, 'target', done, 1000);
    return lines[0]?.replace(CLEARED, '');
  };
  return { at, progress, lines };
}

test('the line names gate, tier, done of total, and the time left at the pace so far', () => {
  const { at } = watched();
  assert.equal(at(200, 'mine', 40), undefined);
  assert.equal(at(1000, 'mine', 200), 'mine, target: 200 of 1000 checks, 4 s left');
  assert.equal(at(2200, 'mine', 240), 'mine, target: 240 of 1000 checks, 8 s left');
  assert.equal(at(2300, 'other', 10), 'other, target: 10 of 1000 checks');
  assert.equal(at(2300 + 100_000, 'other', 20), 'other, target: 20 of 1000 checks, 164 min left');
});

test('a tier that is replayed once more is timed afresh', () => {
  const { at } = watched();
  at(0, 'mine', 0);
  assert.equal(at(2000, 'mine', 900), 'mine, target: 900 of 1000 checks, 1 s left');
  assert.equal(at(3000, 'mine', 100), 'mine, target: 100 of 1000 checks');
  assert.equal(at(4000, 'mine', 200), 'mine, target: 200 of 1000 checks, 8 s left');
});

test('the line stays one line, whatever the name and the width, and goes when it is cleared', () => {
  const { at, progress, lines } = watched({ columns: 30 });
  const shown = at(1500, 'a\nlong\u001b[2J name of a gate that goes on', 100)!;
  assert.equal(Array.from(shown).length, 29);
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  assert.doesNotMatch(shown, /[\u0000-\u001f]/);
  lines.length = 0;
  progress.clear();
  progress.clear();
  assert.deepEqual(lines, [CLEARED]);
});

test('nothing is written where nobody watches', () => {
  for (const options of [{ isTTY: false }, { quiet: true }, { term: 'dumb' }]) {
    const { at, progress, lines } = watched(options);
    assert.equal(at(5000, 'mine', 500), undefined);
    progress.clear();
    assert.deepEqual(lines, []);
  }
});

const folder = mkdtempSync(join(tmpdir(), 'toolgate-progress-'));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(
  join(folder, 'slow.mjs'),
  `let said = 0;
const later = () => new Promise((done) => setTimeout(done, 2, { allowed: true }));
const check = () => (++said === 1000 && console.log('hello'), later());
export default { name: 'slow', createSession: () => ({ check }) };`,
);
const SLOW = ['slow.mjs', '--suite', 'banking', '--tier', 'target', '--resamples', '0'];
const LINE = /slow, target: \d+ of \d+ checks, \d+ s left/;

/** Runs the command with its standard error, or both streams, on a pseudo-terminal. @returns what appeared there */
function onTerminal(...args: string[]): string {
  const words = [process.execPath, join(ROOT, 'run.mjs'), ...args].map((word) => `'${word}'`);
  const command = `stty columns 80 2>/dev/null; ${words.join(' ')} > '${join(folder, 'out.txt')}'`;
  const env = { ...process.env, TERM: 'xterm', SHELL: '/bin/sh' };
  return spawnSync('script', ['-qec', command, '/dev/null'], { cwd: folder, encoding: 'utf8', env }).stdout;
}
const skip = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux')
  ? false
  : 'needs script of util-linux';

test('on a terminal the command shows how far it is, and leaves nothing of it', { skip }, () => {
  const seen = onTerminal(...SLOW);
  assert.match(seen, LINE);
  assert.match(seen, /\r\u001b\[K\[slow\.mjs\] hello\r\n/);
  assert.ok(seen.endsWith(CLEARED), JSON.stringify(seen.slice(-100)));
  const report = readFileSync(join(folder, 'out.txt'), 'utf8');
  assert.match(report, /^slow\n {2}target +0\.0 %/m);
  assert.doesNotMatch(report, /checks/);
});

test('--quiet shows nothing on a terminal, and a pipe gets nothing without it', { skip }, async () => {
  assert.equal(onTerminal(...SLOW, '--quiet'), '');
  const { stderr, status } = await toolgate(SLOW, { cwd: folder });
  assert.equal(status, 0);
  assert.equal(stderr, '[slow.mjs] hello\n');
});
