import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openai, startModelServer } from './model-server.ts';
import { startToolgate, toolgate } from './command.ts';

const work = mkdtempSync(join(tmpdir(), 'toolgate-store-'));
after(() => rmSync(work, { recursive: true }));
let files = 0;
const fresh = (): string => join(work, `store-${++files}.jsonl`);
const RUN = ['scenarios', 'run', '--target', 'naive', '--channel', 'document'];
const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);
const keysOf = (file: string): string[] =>
  linesOf(file)
    .slice(1)
    .map((line) => JSON.parse(line) as { kind: string; key: unknown })
    .filter(({ kind }) => kind === 'case')
    .map(({ key }) => JSON.stringify(key));

test('a run fills a store, a second one skips what is there, and the report from it has the same figures', async () => {
  const file = fresh();
  const first = await toolgate([...RUN, '--store', file]);
  assert.equal(first.status, 1, 'something was compromised');
  const before = readFileSync(file, 'utf8');
  const second = await toolgate([...RUN, '--store', file]);
  assert.equal(readFileSync(file, 'utf8'), before);
  assert.equal(second.stdout, first.stdout);
  const report = await toolgate(['scenarios', 'report', file]);
  assert.equal(report.stdout, first.stdout);
  assert.equal(report.status, 0);
  const header = JSON.parse(linesOf(file)[0]!) as Record<string, unknown>;
  assert.deepEqual(Object.keys(header), ['kind', 'schema', 'corpus', 'parameters', 'command']);
  const record = JSON.parse(linesOf(file)[1]!) as Record<string, unknown>;
  assert.match(String(record['commit']), /^[0-9a-f]{40}$/);
  assert.match(String(record['time']), /^\d{4}-\d\d-\d\dT.*Z$/);
  const more = await toolgate([...RUN, '--store', file, '--repeat', '2', '--concurrency', '4']);
  assert.equal(more.status, 1);
  assert.equal(new Set(keysOf(file)).size, keysOf(file).length);
  assert.equal(keysOf(file).length, 2 * (before.split('\n').length - 2));
});

test('a half-written last line is dropped with a warning, and its case run again', async () => {
  const file = fresh();
  await toolgate([...RUN, '--store', file]);
  const whole = keysOf(file).toSorted();
  const lines = linesOf(file);
  writeFileSync(file, `${lines.slice(0, -1).join('\n')}\n${lines.at(-1)!.slice(0, 40)}`);
  const again = await toolgate([...RUN, '--store', file]);
  assert.match(again.stderr, /half-written/);
  assert.deepEqual(keysOf(file).toSorted(), whole);
  assert.equal((await toolgate(['scenarios', 'report', file])).status, 0);
});

test('a file that was cut within its first line is begun again; one that is no store is left alone', async () => {
  const file = fresh();
  writeFileSync(file, '{"kind":"hea');
  assert.equal((await toolgate([...RUN, '--store', file])).status, 1);
  assert.ok(keysOf(file).length > 0);
  const other = fresh();
  for (const text of ['my notes', 'my notes\n', '{"kind":"header","schema":"other@1"}\n']) {
    writeFileSync(other, text);
    const refused = await toolgate([...RUN, '--store', other]);
    assert.equal(refused.status, 2, text);
    assert.match(refused.stderr, /store/);
    assert.equal(readFileSync(other, 'utf8'), text);
  }
});

test('a corrupt line in the middle is an error that names it', async () => {
  const file = fresh();
  await toolgate([...RUN, '--store', file]);
  const lines = linesOf(file);
  for (const bad of ['{"kind":"case"', '{"kind":"case"}', '[]', '']) {
    writeFileSync(file, `${[...lines.slice(0, 2), bad, ...lines.slice(3)].join('\n')}\n`);
    const refused = await toolgate([...RUN, '--store', file]);
    assert.equal(refused.status, 2, bad);
    assert.match(refused.stderr, /store-\d+\.jsonl:3: /);
    assert.equal((await toolgate(['scenarios', 'report', file])).status, 2);
  }
});

test('a store of another corpus or of other parameters is refused', async () => {
  const file = fresh();
  await toolgate([...RUN, '--store', file]);
  const seed = await toolgate([...RUN, '--store', file, '--seed', '2']);
  assert.equal(seed.status, 2);
  assert.match(seed.stderr, /with seed 1, not 2/);
  const corpus = join(work, 'corpus.jsonl');
  writeFileSync(corpus, readFileSync(new URL('../data/scenarios.jsonl', import.meta.url)));
  appendFileSync(corpus, '\n');
  const shown = await toolgate(['scenarios', 'list', '--corpus', corpus]);
  assert.equal(shown.status, 2, 'an empty line is no record');
  const records = readFileSync(corpus, 'utf8').split('\n');
  writeFileSync(corpus, `${records.slice(0, -2).toReversed().join('\n')}\n`);
  const other = await toolgate([...RUN, '--store', file, '--corpus', corpus]);
  assert.equal(other.status, 2);
  assert.match(other.stderr, /another corpus/);
});

test('a store in use, or one that cannot be written, is refused; a lock whose process is gone is not', async () => {
  const file = fresh();
  writeFileSync(`${file}.lock`, String(process.pid));
  const locked = await toolgate([...RUN, '--store', file]);
  assert.equal(locked.status, 2);
  assert.match(locked.stderr, new RegExp(`in use by process ${process.pid}`));
  writeFileSync(`${file}.lock`, '999999999');
  assert.equal((await toolgate([...RUN, '--store', file])).status, 1);
  assert.equal(existsSync(`${file}.lock`), false, 'the lock is gone after the run');
  const folder = join(work, 'nowhere', 'x.jsonl');
  assert.equal((await toolgate([...RUN, '--store', folder])).status, 2);
  for (const odd of [work, '/dev/null']) {
    const refused = await toolgate([...RUN, '--store', odd]);
    assert.deepEqual([refused.status, refused.stdout], [2, '']);
    assert.match(refused.stderr, /^toolgate-bench: .*: is no regular file; a store has to be one\n$/);
  }
});

test('a store that is read-only, in a read-only folder, or unreadable is refused; a report needs no more than to read', async () => {
  const file = fresh();
  assert.equal((await toolgate([...RUN, '--store', file])).status, 1);
  const before = readFileSync(file, 'utf8');
  chmodSync(file, 0o444);
  const readOnly = await toolgate([...RUN, '--repeat', '2', '--store', file], { isUnprivileged: true });
  assert.deepEqual([readOnly.status, readOnly.stdout], [2, '']);
  assert.match(readOnly.stderr, /^toolgate-bench: .*: cannot be written \(EACCES.*\)\n$/);
  assert.equal(existsSync(`${file}.lock`), false);
  const folder = join(work, 'sealed');
  mkdirSync(folder);
  copyFileSync(file, join(folder, 's.jsonl'));
  chmodSync(folder, 0o555);
  const sealed = await toolgate([...RUN, '--store', join(folder, 's.jsonl')], { isUnprivileged: true });
  assert.equal(sealed.status, 2);
  assert.match(
    sealed.stderr,
    /^toolgate-bench: .*: cannot be locked \(EACCES.*\); name a file in a folder of your own\n$/,
  );
  assert.equal((await toolgate(['scenarios', 'report', join(folder, 's.jsonl')], { isUnprivileged: true })).status, 0);
  chmodSync(folder, 0o755);
  chmodSync(file, 0o000);
  const hidden = await toolgate(['scenarios', 'report', file], { isUnprivileged: true });
  assert.equal(hidden.status, 2);
  assert.match(hidden.stderr, /^toolgate-bench: .*: cannot be read \(EACCES.*\)\n$/);
  chmodSync(file, 0o644);
  assert.equal(readFileSync(file, 'utf8'), before, 'no byte of the store has changed');
});

test('Ctrl-C finishes cleanly: what is done is reported and kept, the rest is run later', async (context) => {
  const server = await startModelServer([openai.text('x'), openai.text('x'), { hang: true }]);
  context.after(() => server.close());
  const file = fresh();
  const args = ['scenarios', 'run', '--target', 'openai:tiny', '--base-url', server.url, '--channel', 'document'];
  const { child, ended } = startToolgate([...args, '--store', file]);
  while (server.got.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGINT');
  const { status, stdout, stderr } = await ended;
  assert.equal(status, 130);
  assert.match(stdout, /openai:tiny/);
  assert.match(stderr, /interrupted: 2 of \d+ cases are done/);
  assert.equal(keysOf(file).length, 2);
  assert.match(linesOf(file).at(-1)!, /"note":"interrupted"/);
  assert.equal(existsSync(`${file}.lock`), false);
});

test('--max-cost holds over resumed runs, and stopping at it is recorded', async (context) => {
  const server = await startModelServer([openai.text('x', { usage: { prompt_tokens: 400, completion_tokens: 50 } })]);
  context.after(() => server.close());
  const file = fresh();
  const args = ['scenarios', 'run', '--target', 'openai:tiny', '--base-url', server.url, '--channel', 'document'];
  const capped = [...args, '--store', file, '--price', '100,100', '--max-tokens', '100', '--max-cost', '0.2'];
  const first = await toolgate(capped);
  assert.equal(first.status, 1);
  assert.match(first.stderr, /stopped at the cap: \d+ of \d+ cases are done/);
  const done = keysOf(file).length;
  const asked = server.got.length;
  assert.ok(done > 0 && asked === done);
  const second = await toolgate(capped);
  assert.equal(second.status, 1);
  assert.ok(keysOf(file).length - done <= 1, 'the cap is for all runs together');
  assert.match(linesOf(file).at(-1)!, /"note":"stopped at the cap"/);
  assert.equal((await toolgate([...args, '--max-cost', '1'])).status, 2);
});

test('what a run without a cap spends counts in a later one with a cap', async (context) => {
  const server = await startModelServer([openai.text('x', { usage: { prompt_tokens: 400, completion_tokens: 50 } })]);
  context.after(() => server.close());
  const file = fresh();
  const args = ['scenarios', 'run', '--target', 'openai:tiny', '--base-url', server.url, '--store', file];
  const priced = [...args, '--price', '100,100', '--max-tokens', '100'];
  await toolgate([...priced, '--channel', 'document']);
  const done = keysOf(file).length;
  const second = await toolgate([...priced, '--channel', 'filename', '--max-cost', '0.2']);
  assert.equal(second.status, 1);
  assert.equal(keysOf(file).length, done, 'the first run has spent more than the cap');
});

test('show prints a case with verdicts and what was matched; attack text is escaped', async () => {
  const file = fresh();
  await toolgate(['scenarios', 'run', '--target', 'naive', '--store', file]);
  const shown = await toolgate(['scenarios', 'show', file, 'tc-lethal-trifecta']);
  assert.equal(shown.status, 0);
  assert.match(
    shown.stdout,
    /^tc-lethal-trifecta\/attack\/naive\/none\/1\noutcome: compromised, exposed; task: done\n/,
  );
  assert.match(shown.stdout, /attack succeeded: exfiltration, call \d/);
  const text = readFileSync(file, 'utf8');
  const tampered = text.replaceAll('"returned":"', '"returned":"\\u001b[31m\\u202e');
  writeFileSync(file, tampered);
  const escaped = await toolgate(['scenarios', 'show', file, 'tc-lethal-trifecta']);
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  assert.doesNotMatch(escaped.stdout, /\u001b|\u202e/);
  assert.match(escaped.stdout, /\\u\{1b\}/);
  const unknown = await toolgate(['scenarios', 'show', file, 'tc-lethal-trifacta']);
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /did you mean tc-lethal-trifecta/);
});
