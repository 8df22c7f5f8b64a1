import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { main } from '../extract/extract_runs.ts';
import { contents, extract, FIXTURE, newFolder, work } from './runs-extractor.ts';

/** A copy of the fixture that a test may spoil. */
function copyOfFixture(): string {
  const folder = newFolder();
  cpSync(FIXTURE, folder, { recursive: true });
  return folder;
}

const out = newFolder();
await extract(FIXTURE, '--out', out);

/** Making archives of every format takes GNU tar; reading them does not. */
const skip = ((): string | false => {
  try {
    execFileSync('xz', ['--version'], { stdio: 'ignore' });
    return !execFileSync('tar', ['--version'], { encoding: 'utf8' }).includes('GNU') && 'tar is not GNU tar';
  } catch {
    return 'xz or tar cannot be run';
  }
})();

test('an archive gives the same bytes, whatever its order and format', { skip }, async () => {
  const paths = readdirSync(FIXTURE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(FIXTURE.length + 1));
  for (const [format, order] of [
    ['ustar', paths.toSorted()],
    ['gnu', paths.toSorted().toReversed()],
    ['pax', paths],
  ] as const) {
    const archive = join(work, `${format}.tar.xz`);
    // A long path, which each format has its own way of storing.
    const prefix = `s,^,runs/,;s,agent-b,${'agent-b'.padEnd(70, '-long')},`;
    // Large records: the archive goes on for a while after its last file.
    execFileSync('tar', [
      '-cJf',
      archive,
      '--blocking-factor=2000',
      `--format=${format}`,
      `--transform=${prefix}`,
      '-C',
      FIXTURE,
      ...order,
    ]);
    const folder = newFolder();
    const outcome = await extract(archive, '--out', folder);
    assert.equal(outcome.status, 0, outcome.stderr);
    const found = contents(folder);
    assert.equal(found['agent-a.jsonl'], contents(out)['agent-a.jsonl'], format);
    assert.deepEqual(Object.keys(found), ['agent-a.jsonl', `${'agent-b'.padEnd(70, '-long')}.jsonl`], format);
  }
});

test('an archive cut in half is refused, and existing output stays', { skip }, async () => {
  const archive = join(work, 'whole.tar.xz');
  execFileSync('tar', ['-cJf', archive, '-C', FIXTURE, '.']);
  const bytes = readFileSync(archive);
  const half = join(work, 'half.tar.xz');
  writeFileSync(half, bytes.subarray(0, bytes.length / 2));
  const outcome = await extract(half, '--out', out);
  assert.equal(outcome.status, 2);
  assert.match(outcome.stderr, /^extract_runs: .*half\.tar\.xz: cannot be unpacked \(.*\); is it whole\?\n$/);
  assert.deepEqual(readdirSync(out).toSorted(), ['agent-a.jsonl', 'agent-b.jsonl']);
});

test('an archive that holds a run twice is refused', { skip }, async () => {
  const archive = join(work, 'twice.tar.xz');
  const path = 'agent-b/travel/user_task_3/none/none.json';
  execFileSync('tar', ['-cJf', archive, '--hard-dereference', '-C', FIXTURE, path, `./${path}`]);
  const outcome = await extract(archive, '--out', newFolder());
  assert.equal(outcome.status, 2);
  assert.match(outcome.stderr, /none\.json: the same run a second time/);
});

test('a file cut in half stops it with the path, and existing output stays as it was', async () => {
  const folder = copyOfFixture();
  const file = join(folder, 'agent-b/travel/user_task_3/none/none.json');
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, 300));
  const target = newFolder();
  mkdirSync(target);
  writeFileSync(join(target, 'agent-a.jsonl'), 'older\n');
  const outcome = await extract(folder, '--out', target);
  assert.equal(outcome.status, 2);
  assert.equal(outcome.stdout, '');
  assert.equal(
    outcome.stderr,
    `extract_runs: ${file}: not JSON, or cut off (300 bytes) (--keep-going leaves such files out)\n`,
  );
  assert.deepEqual(contents(target), { 'agent-a.jsonl': 'older\n' });
});

test('--keep-going lists the files that cannot be read, writes the rest, and exits 1', async () => {
  const folder = copyOfFixture();
  const spoiled = ['agent-a/banking/user_task_2/none/none.json', 'agent-a/banking/user_task_0/none/none.json'];
  for (const path of spoiled) writeFileSync(join(folder, path), '{"messages": [');
  const target = newFolder();
  const outcome = await extract(folder, '--out', target, '--keep-going');
  assert.equal(outcome.status, 1);
  assert.match(
    outcome.stdout,
    /^unreadable:\n {2}agent-a\/banking\/user_task_0\/none\/none\.json: not JSON.*\n {2}agent-a\/banking\/user_task_2\/.*\n/m,
  );
  assert.match(contents(target)['agent-a.jsonl']!, /"runs":11},"leftOut":\{.*"unreadable":2\}/);
});

const BAD_FILES: readonly [what: string, text: string | Buffer, problem: RegExp][] = [
  ['a list', '[]', /not a JSON object/],
  ['nothing', '', /not JSON, or cut off \(0 bytes\)/],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
  ['another suite', '{"suite_name": "slack", "messages": []}', /suite_name is "slack", but the path says "travel"/],
  ['no messages', '{"suite_name": "travel", "user_task_id": "user_task_3"}', /no member messages/],
  [
    'messages of another kind',
    '{"suite_name": "travel", "user_task_id": "user_task_3", "messages": "hello"}',
    /messages is neither a list nor null/,
  ],
  [
    'a message without a role',
    '{"suite_name": "travel", "user_task_id": "user_task_3", "messages": [{}]}',
    /messages\[0\] has no role/,
  ],
  [
    'a verdict as text',
    '{"suite_name": "travel", "user_task_id": "user_task_3", "messages": [], "utility": "yes"}',
    /utility is neither true, false nor null/,
  ],
];

for (const [what, text, problem] of BAD_FILES) {
  test(`a run's file that holds ${what} is refused`, async () => {
    const folder = copyOfFixture();
    writeFileSync(join(folder, 'agent-b/travel/user_task_3/none/none.json'), text);
    const outcome = await extract(folder, '--out', newFolder());
    assert.equal(outcome.status, 2);
    assert.match(outcome.stderr, problem);
    assert.match(outcome.stderr, /user_task_3\/none\/none\.json: [^\n]*\n$/);
  });
}

test('an empty folder, another layout, a missing path and a file of another kind are refused in a line', async () => {
  const empty = newFolder();
  mkdirSync(empty);
  const text = join(work, 'notes.txt');
  writeFileSync(text, 'hello');
  const deep = join(work, 'deep');
  cpSync(FIXTURE, join(deep, 'checkout', 'runs'), { recursive: true });
  const alone = newFolder();
  mkdirSync(join(alone, 'agent/elsewhere/user_task_0/none'), { recursive: true });
  const run = { suite_name: 'elsewhere', user_task_id: 'user_task_0', messages: [], utility: true, security: true };
  writeFileSync(join(alone, 'agent/elsewhere/user_task_0/none/none.json'), JSON.stringify(run));
  const cases: [string, RegExp][] = [
    [empty, /: no AgentDojo run in it; its files must be called PIPELINE\/SUITE\//],
    [join(FIXTURE, 'agent-a'), /: no AgentDojo run in it.*; give the folder that holds the folders of the pipelines$/m],
    [deep, /: no AgentDojo run in it.*; the runs folder seems to be .*deep.checkout.runs$/m],
    [alone, /: 1 run, and none to write: no pair of the corpus/],
    [join(work, 'nowhere'), /nowhere: no such folder or archive/],
    [text, /notes\.txt is neither a folder nor a \.tar\.xz/],
  ];
  for (const [source, problem] of cases) {
    const target = newFolder();
    const outcome = await extract(source, '--out', target);
    assert.equal(outcome.status, 2, source);
    assert.match(outcome.stderr, problem);
    assert.equal(outcome.stderr.split('\n').length, 2);
    assert.throws(() => readdirSync(target), { code: 'ENOENT' });
  }
});

test('links are followed: a pipeline may stand elsewhere; a link into itself or to nothing is named', async () => {
  const folder = copyOfFixture();
  const elsewhere = newFolder();
  renameSync(join(folder, 'agent-b'), elsewhere);
  symlinkSync(elsewhere, join(folder, 'agent-b'));
  const target = newFolder();
  assert.equal((await extract(folder, '--out', target)).status, 0);
  assert.deepEqual(contents(target), contents(out));

  symlinkSync(folder, join(folder, 'agent-a', 'loop'));
  symlinkSync(join(work, 'nowhere'), join(folder, 'agent-d'));
  assert.match(
    (await extract(folder, '--out', newFolder())).stderr,
    /(agent-a.loop: a link to a folder that it is in|agent-d: a link that leads nowhere).*--keep-going/,
  );
  const kept = await extract(folder, '--out', newFolder(), '--keep-going');
  assert.equal(kept.status, 1);
  assert.match(kept.stdout, /^unreadable:\n {2}agent-a\/loop: a link to a folder.*\n {2}agent-d: a link that leads/m);
});

test('a link in an archive is a file that cannot be read, not one that is not there', { skip }, async () => {
  const folder = copyOfFixture();
  const [one, other] = ['agent-a/banking/user_task_2/none/none.json', 'agent-a/banking/user_task_0/none/none.json'];
  linkSync(join(folder, one), join(folder, `${other}.linked`));
  renameSync(join(folder, `${other}.linked`), join(folder, other));
  const archive = join(work, 'links.tar.xz');
  execFileSync('tar', ['-cJf', archive, '-C', folder, one, other]);
  const outcome = await extract(archive, '--out', newFolder());
  assert.equal(outcome.status, 2);
  assert.match(outcome.stderr, /user_task_0\/none\/none\.json: a link; unpack the archive and give the folder/);
});

test('an archive of a whole checkout is refused, and says where the runs folder is', { skip }, async () => {
  const folder = newFolder();
  cpSync(FIXTURE, join(folder, 'agentdojo', 'runs'), { recursive: true });
  const archive = join(work, 'checkout.tar.xz');
  execFileSync('tar', ['-cJf', archive, '-C', folder, 'agentdojo']);
  const { status, stderr } = await extract(archive, '--out', newFolder());
  assert.equal(status, 2);
  assert.match(stderr, /; the runs folder seems to be agentdojo.runs in it; unpack it and give that folder$/m);
});

const isRoot = process.getuid?.() === 0 && 'root may list every folder';

test('a folder that cannot be listed is one line, or one of the list', { skip: isRoot }, async () => {
  const folder = copyOfFixture();
  chmodSync(join(folder, 'agent-b'), 0);
  const outcome = await extract(folder, '--out', newFolder());
  assert.equal(outcome.status, 2);
  assert.match(outcome.stderr, /agent-b: cannot be listed .*--keep-going/);
  assert.equal((await extract(folder, '--out', newFolder(), '--keep-going')).status, 1);
  chmodSync(join(folder, 'agent-b'), 0o700);
});

test('a run that stands in another place is counted as such, and names are safe in a terminal', async () => {
  const folder = copyOfFixture();
  cpSync(join(folder, 'agent-b'), join(folder, 'old\u001b', 'agent-b'), { recursive: true });
  const { status, stdout } = await extract(folder, '--out', newFolder());
  assert.equal(status, 0);
  assert.match(
    stdout,
    /^ +[1-9]\d* {2}of those, called as a run's file but in another place, such as old\\u\{1b\}\/agent-b/m,
  );
  assert.ok(!stdout.includes('\u001b'));
});

test('files of other pipelines stay where they are, and are named', async () => {
  const target = newFolder();
  mkdirSync(target);
  writeFileSync(join(target, 'my-agent.jsonl'), 'mine\n');
  const outcome = await extract(FIXTURE, '--out', target);
  assert.equal(outcome.status, 0);
  assert.match(outcome.stdout, /^left as they were: my-agent\.jsonl$/m);
  assert.equal(contents(target)['my-agent.jsonl'], 'mine\n');
});

test('progress is shown to a person, and wiped when it is over', async () => {
  const folder = newFolder();
  for (let number = 0; number < 1000; number++) {
    const task = join(folder, `agent-${number}/banking/user_task_0/none`);
    mkdirSync(task, { recursive: true });
    const run = { suite_name: 'banking', user_task_id: 'user_task_0', messages: [], utility: true, security: true };
    writeFileSync(join(task, 'none.json'), JSON.stringify(run));
  }
  let shown = '';
  const stderr = { write: (text: string) => (shown += text), isTTY: true };
  const status = await main([folder, '--out', newFolder()], { stdout: { write: () => true }, stderr });
  assert.equal(status, 0);
  assert.equal(shown, '\r\u001b[K500 files read\r\u001b[K1,000 files read\r\u001b[K');
});

test('a wrong command line is a usage error', async () => {
  for (const argv of [[], ['a', 'b'], ['--nothing', 'a']]) {
    const outcome = await extract(...argv);
    assert.equal(outcome.status, 2, argv.join(' '));
    assert.equal(outcome.stdout, '');
  }
  assert.equal((await extract('--help')).status, 0);
});
