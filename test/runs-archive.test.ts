import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { main } from '../extract/extract_runs.ts';

const archive = process.env['TOOLGATE_RUNS_ARCHIVE'];
const committed = fileURLToPath(new URL('../data/runs', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'toolgate-archive-'));
after(() => rmSync(work, { recursive: true }));

const skip =
  archive === undefined && 'TOOLGATE_RUNS_ARCHIVE is not set: data/runs is not compared with what AgentDojo publishes';

test('data/runs is what the extractor makes of AgentDojo’s runs, byte for byte', { skip }, async () => {
  const printed: string[] = [];
  const status = await main([archive!, '--out', work], {
    stdout: { write: (text) => printed.push(text) },
    stderr: { write: (text) => printed.push(text) },
  });
  assert.equal(status, 0, printed.join(''));
  const names = readdirSync(committed).toSorted();
  assert.deepEqual(readdirSync(work).toSorted(), names);
  for (const name of names) assert.ok(readFileSync(join(work, name)).equals(readFileSync(join(committed, name))), name);
  const counts = [...printed.join('').matchAll(/^ +([\d,]+) +([\d,]+) {2}(.*)$/gm)].map(([, read, written, what]) => [
    what,
    read,
    written,
  ]);
  assert.deepEqual(counts, [
    ['runs', '36,679', '30,910'],
    ['proposed calls', '137,374', '121,791'],
    ['runs ended by an error', '105', '102'],
    ['runs without messages', '207', '207'],
    ['runs without a verdict', '1', '1'],
    ['runs of another version of the user task (by its request)', '295', '290'],
    ['calls of tools that do not exist (counted, not written)', '17', '16'],
    ['calls with malformed arguments', '0', '0'],
    ['target arguments that were text reading as a list', '8', '8'],
    ['targets that were prose (written as a digest)', '561', '547'],
  ]);
});
