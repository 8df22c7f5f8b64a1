import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  statSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Report } from '../src/report.ts';
import { ROOT, type StartOptions, startToolgate, toolgate } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-cli-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const inFolder = { cwd: folder };
const FAST = ['--suite', 'banking', '--tier', 'target', '--resamples', '0'];

async function refused(args: readonly string[], message: RegExp, options: StartOptions = {}): Promise<void> {
  const { status, stdout, stderr } = await toolgate(args, { ...inFolder, ...options });
  assert.equal(status, 2, stderr);
  assert.equal(stdout, '');
  assert.match(stderr, message);
  for (const line of stderr.trimEnd().split('\n')) assert.match(line, /^toolgate-bench: /);
}

test('what is wrong with a command line is said in one line each', async () => {
  const cases: [string[], RegExp][] = [
    [['exakt'], /^toolgate-bench: exakt: no adapter, file or package of that name; did you mean exact\?$/m],
    [['./gate.mjs', 'nope'], /gate\.mjs: no such file\n.*nope: no adapter, file or package/],
    [[''], /an adapter name is empty/],
    [
      ['--tier', 'targets'],
      /--tier: unknown "targets" \(one of effect, tool, target, limits, origin\); did you mean target\?/,
    ],
    [['--suite', ''], /--suite: the value is empty \(one of workspace, travel, banking, slack\)/],
    [['--suite', 'bank'], /--suite: unknown "bank".*did you mean banking\?/],
    [['--order', 'before'], /--order: unknown "before" \(one of after, exposure\)/],
    [['--resamples', '-1'], /--resamples takes a whole number from 0 to 1000000, found "-1"/],
    [['--timeout', '0'], /--timeout takes a whole number from 1 to 3600000, found "0"/],
    [['--seed=1.5'], /--seed takes a whole number/],
    [['--tire', 'x'], /unknown option --tire; did you mean --tier/],
    [['--nonsense'], /unknown option --nonsense; see --help/],
    [['-x'], /unknown option -x; see --help/],
    [['--tier'], /--tier needs a value: --tier T,\.\.\./],
    [['--tier', 'tool', '--tier', 'target'], /--tier is given twice/],
    [['--quiet=1'], /--quiet takes no value/],
    [['--format', 'yaml'], /--format: unknown "yaml"/],
    [['--out', 'none/report.json'], /--out none\/report\.json: the folder none does not exist; make it first/],
    [['--out', '.'], /--out \.: is a folder; name a file/],
    [['--out', ''], /--out: the file name is empty/],
    [['validate', '--by', 'suite'], /--by means nothing to validate/],
    [['validate', 'none.jsonl'], /none\.jsonl: cannot be read \(ENOENT/],
    [['init'], /init takes one file/],
    [['init', 'gate.py'], /init gate\.py: an adapter ends in/],
    [['.'], /\.: is a folder without a package\.json/],
  ];
  await Promise.all(cases.map(([args, message]) => refused(args, message)));
});

test('init writes an adapter that runs, and never over another', async () => {
  const made = await toolgate(['init', 'mine.mjs'], inFolder);
  assert.equal(made.status, 0, made.stderr);
  const { status, stdout } = await toolgate(['mine.mjs', ...FAST, '--format', 'json'], inFolder);
  assert.equal(status, 0);
  const report = JSON.parse(stdout) as Report;
  assert.deepEqual(
    report.gates.map((gate) => gate.name),
    ['allow-all', 'deny-egress', 'mine'],
  );
  await refused(['init', 'mine.mjs'], /exists already; name another file/);
});

test('adapters are found by path, by odd path, by link, by name and as a package', async () => {
  const gate = (name: string): string =>
    `export default { name: ${JSON.stringify(name)}, createSession: () => ({ check: () => ({ allowed: true }) }) };`;
  mkdirSync(join(folder, 'a b#c%20é'));
  mkdirSync(join(folder, 'node_modules/@me/gate/lib'), { recursive: true });
  writeFileSync(join(folder, 'a b#c%20é/odd.mjs'), gate('odd'));
  symlinkSync('a b#c%20é/odd.mjs', join(folder, 'link.mjs'));
  writeFileSync(
    join(folder, 'node_modules/@me/gate/package.json'),
    JSON.stringify({
      name: '@me/gate',
      type: 'module',
      exports: { '.': { require: './no.cjs', import: './lib/gate.js' } },
    }),
  );
  writeFileSync(join(folder, 'node_modules/@me/gate/lib/gate.js'), gate('packaged'));
  mkdirSync(join(folder, 'sub'));
  const named = async (typed: string, cwd = folder): Promise<unknown> => {
    const { stdout, stderr } = await toolgate([typed, ...FAST, '--format', 'json'], { cwd });
    assert.equal(stderr, '');
    const { name, file } = (JSON.parse(stdout) as Report).gates.at(-1)!;
    return [name, file];
  };
  assert.deepEqual(await named('a b#c%20é/odd.mjs'), ['odd', 'a b#c%20é/odd.mjs']);
  assert.deepEqual(await named('link.mjs'), ['odd', 'link.mjs']);
  assert.deepEqual(await named('../link.mjs', join(folder, 'sub')), ['odd', '../link.mjs']);
  assert.deepEqual(await named('@me/gate', join(folder, 'sub')), ['packaged', '@me/gate']);
  assert.deepEqual(await named('exact'), ['exact', 'exact']);
  await refused(['@me/gate/other'], /the package has no such entry/);
});

test('--out keeps the older file until the new one is whole, and leaves nothing beside it', async () => {
  const out = join(folder, 'report.json');
  writeFileSync(out, 'older');
  const { status, stdout } = await toolgate([...FAST, '--format', 'json', '--out', 'report.json'], inFolder);
  assert.equal(status, 0);
  assert.equal(stdout, '');
  assert.equal((JSON.parse(readFileSync(out, 'utf8')) as Report).schema, 'toolgate-bench/report@1');
  assert.deepEqual(
    readdirSync(folder).filter((file) => file.endsWith('.tmp')),
    [],
  );
});

test(
  '--out to a folder that cannot be written is refused before anything is measured',
  { skip: process.platform === 'win32' && 'needs file modes' },
  async () => {
    mkdirSync(join(folder, 'sealed'));
    chmodSync(join(folder, 'sealed'), 0o555);
    await refused(
      ['--out', 'sealed/report.json'],
      /--out sealed\/report\.json: cannot be written \(EACCES.*\); name a file in a folder of your own$/m,
      {
        isUnprivileged: true,
      },
    );
    writeFileSync(join(folder, 'locked.json'), 'older', { mode: 0o444 });
    await refused(['--out', 'locked.json'], /--out locked\.json: cannot be written \(EACCES/, { isUnprivileged: true });
    assert.deepEqual(readdirSync(join(folder, 'sealed')), []);
    assert.equal(readFileSync(join(folder, 'locked.json'), 'utf8'), 'older');
  },
);

test(
  'a report that cannot be written after all is printed, so that it is not lost',
  { skip: process.platform !== 'linux' && 'needs /proc' },
  async () => {
    const { status, stdout, stderr } = await toolgate([...FAST, '--out', '/proc/report.json']);
    assert.equal(status, 2);
    assert.match(stderr, /--out \/proc\/report\.json: cannot be written/);
    if (process.getuid?.() === 0) assert.match(stdout, /^allow-all \(control\)$/m);
  },
);

test('the report is byte for byte the same, timing and environment aside', async () => {
  const stripped = async (...extra: string[]): Promise<string> => {
    const { stdout } = await toolgate(['--suite', 'slack,banking', '--format', 'json', '--resamples', '50', ...extra]);
    return JSON.stringify(JSON.parse(stdout), (key, value: unknown) =>
      key === 'timing' || key === 'environment' ? undefined : value,
    );
  };
  const first = await stripped();
  assert.equal(await stripped(), first);
  assert.notEqual(await stripped('--seed', '2'), first);
});

test('the table fits 80 columns, has no colour when piped, and says how to read it', async () => {
  const { stdout, status } = await toolgate(['--by', 'suite', '--suite', 'banking,travel']);
  assert.equal(status, 0);
  // oxlint-disable-next-line no-control-regex -- an escape is what must not be there
  assert.doesNotMatch(stdout, /\u001b/);
  for (const line of stdout.split('\n')) assert.ok(Array.from(line).length <= 80, line);
  assert.match(stdout, /^deny-all \(control\)$/m);
  assert.match(stdout, /^exact$/m);
  assert.match(stdout, /20 more are\s+excluded: their injected goal takes no action/);
  assert.match(stdout, /read it with --order exposure/);
  assert.match(stdout, /not attack success rates/);
});

test('a reader that stops reading is no failure', async () => {
  const { child, ended } = startToolgate(['--by', 'tool', '--resamples', '0']);
  child.stdout!.once('data', () => child.stdout!.destroy());
  const { status, stderr } = await ended;
  assert.equal(stderr, '');
  assert.equal(status, 0);
});

/** Resolves once the file is there. */
async function appeared(path: string, ended: Promise<unknown>): Promise<void> {
  const early = ended.then(() => Promise.reject(new Error(`ended before ${path} was there`)));
  const waiting = (async () => {
    while (!existsSync(path)) await setTimeout(10);
  })();
  await Promise.race([waiting, early]);
}

test('at Ctrl-C what is finished is printed, and the status is 130', async () => {
  const sign = join(folder, 'hangs-now');
  const source = `import { writeFileSync } from 'node:fs';
    function check() {
      writeFileSync(${JSON.stringify(sign)}, '');
      for (;;);
    }
    const allows = () => ({ allowed: true });
    export default { name: 'hangs', createSession: ({ tier }) => ({ check: tier === 'target' ? check : allows }) };`;
  writeFileSync(join(folder, 'hangs.mjs'), source);
  const { child, ended } = startToolgate(
    ['exact', 'hangs.mjs', '--timeout', '3600000', '--resamples', '0', '--format', 'json'],
    inFolder,
  );
  await appeared(sign, ended);
  child.kill('SIGINT');
  const { status, stdout } = await ended;
  assert.equal(status, 130);
  const report = JSON.parse(stdout) as Report;
  assert.equal(report.gates.find((gate) => gate.name === 'exact')?.tiers.length, 5);
  assert.deepEqual(
    report.gates.at(-1)?.tiers.map((tier) => ('na' in tier ? tier.na : tier.attacksStopped.k)),
    [0, 0, 'interrupted', 'interrupted', 'not offered'],
  );
});

test('--help and --version answer, validate finds the corpus sound', async () => {
  const [help, version, sound] = await Promise.all([
    toolgate(['--help']),
    toolgate(['--version']),
    toolgate(['validate']),
  ]);
  assert.equal(help.status, 0);
  for (const line of help.stdout.split('\n')) assert.ok(line.length <= 80, line);
  assert.equal(
    version.stdout.trim(),
    (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version,
  );
  assert.match(
    sound.stdout,
    /sound: agentdojo v1\.1\.2, 97 user tasks, 27 injection tasks, 629 pairs \(20 excluded\), 69 tools/,
  );
  assert.ok(existsSync(join(ROOT, 'data/README.md')));
});

test(
  '--out follows a link and keeps the mode; a device is written to, not replaced',
  { skip: process.platform === 'win32' && 'needs links' },
  async () => {
    writeFileSync(join(folder, 'kept.json'), 'older', { mode: 0o600 });
    symlinkSync('kept.json', join(folder, 'to-kept.json'));
    assert.equal((await toolgate([...FAST, '--format', 'json', '--out', 'to-kept.json'], inFolder)).status, 0);
    assert.equal(lstatSync(join(folder, 'to-kept.json')).isSymbolicLink(), true);
    assert.equal(statSync(join(folder, 'kept.json')).mode & 0o777, 0o600);
    assert.equal((JSON.parse(readFileSync(join(folder, 'kept.json'), 'utf8')) as Report).kind, 'ground-truth');
  },
);

test("what lies in the current folder does not displace the bench's own controls", async () => {
  const cwd = join(folder, 'decoys');
  mkdirSync(join(cwd, 'exact'), { recursive: true });
  writeFileSync(join(cwd, 'allow-all'), 'no adapter');
  const { status, stdout } = await toolgate([...FAST, '--format', 'json'], { cwd });
  assert.equal(status, 0);
  const names = (JSON.parse(stdout) as Report).gates.map((gate) => gate.name);
  assert.deepEqual(names, ['allow-all', 'deny-egress', 'deny-all', 'exact']);
  assert.equal((await toolgate(['exact', ...FAST], { cwd })).status, 0);
});
