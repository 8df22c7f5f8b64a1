import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Comparison } from '../src/compare.ts';
import type { Report } from '../src/report.ts';
import { toolgate } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-compare-'));
after(() => rmSync(folder, { recursive: true }));
const gate = (check: string): string =>
  `export default { name: 'mine', tiers: ['effect', 'tool'], createSession: (policy) => ({ check: (action) => ({ allowed: ${check} }) }) };`;
const save = (file: string, content: unknown): void =>
  writeFileSync(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
const load = (file: string): Report => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Report;
const compare = (...args: string[]) => toolgate(['compare', ...args], { cwd: folder });

before(async () => {
  save(
    'strict.mjs',
    gate('policy.rules.some((rule) => rule.effect === action.effect && (rule.type ?? action.type) === action.type)'),
  );
  save('loose.mjs', gate("action.type !== 'send_money' || policy.tier === 'effect'"));
  for (const name of ['strict', 'loose']) {
    const options = ['--suite', 'banking', '--format', 'json', '--resamples', '200', '--out', `${name}.json`];
    const { status, stderr } = await toolgate([`${name}.mjs`, ...options], { cwd: folder });
    assert.equal(status, 0, stderr);
  }
});

test('what got worse is marked, named, and costs the exit status', async () => {
  const { status, stdout } = await compare('strict.json', 'loose.json', '--format', 'json');
  assert.equal(status, 1);
  const { changes } = JSON.parse(stdout) as Comparison;
  const found = changes.find((one) => one.gate === 'mine' && one.tier === 'effect' && one.figure === 'attacksStopped')!;
  assert.equal(found.verdict, 'worse');
  assert.equal(found.head, 0);
  // Every pair that was stopped no longer is, and none is gained.
  assert.equal(
    found.lost.length,
    load('strict.json')
      .gates.at(-1)!
      .tiers.map((tier) => ('na' in tier ? 0 : tier.attacksStopped.k!))[0],
  );
  assert.deepEqual(found.gained, []);
  assert.match(found.lost[0]!, /^banking\/user_task_\d+\/injection_task_\d+$/);
  assert.ok(found.difference!.high < 0);
  const text = await compare('strict.json', 'loose.json');
  assert.equal(text.status, 1);
  assert.match(text.stdout, /^mine +effect +attacks stopped +25\.0 % +0\.0 % +-25\.0 \[.*\] +worse$/m);
  assert.match(text.stdout, /no longer \(36\):/);
});

test('the other way about it is better, and a report equals itself', async () => {
  const back = JSON.parse((await compare('loose.json', 'strict.json', '--format', 'json')).stdout) as Comparison;
  assert.equal(back.changes.find((one) => one.gate === 'mine' && one.figure === 'attacksStopped')?.verdict, 'better');
  const { status, stdout } = await compare('strict.json', 'strict.json');
  assert.equal(status, 0);
  assert.match(stdout, /^(\d+) of \1 figures are the same, pair by pair\.$/m);
  const markdown = await compare('strict.json', 'loose.json', '--format', 'markdown');
  assert.match(markdown.stdout, /^\*\*\d+ figures are clearly worse\.\*\*$/m);
  assert.match(markdown.stdout, /<details><summary>mine, effect, attacks stopped: no longer \(36\)<\/summary>/);
});

test('gates that only one report holds are listed', async () => {
  const report = load('strict.json');
  save('renamed.json', {
    ...report,
    gates: report.gates.map((one) => ({ ...one, name: one.name.replace('mine', 'other') })),
  });
  const { status, stdout } = await compare('strict.json', 'renamed.json');
  assert.equal(status, 0);
  assert.match(stdout, /^Only in the base: mine\.\nOnly in the head: other\.$/m);
});

test('a tier, a gate or a figure that the head has lost is no success', async () => {
  const report = load('strict.json');
  const mine = (change: (gate: Report['gates'][number]) => object): object => ({
    ...report,
    gates: report.gates.map((one) => (one.name === 'mine' ? { ...one, ...change(one) } : one)),
  });
  const heads = {
    tier: mine((one) => ({
      tiers: one.tiers.map((tier) => (tier.tier === 'tool' ? { tier: 'tool', na: 'not offered' } : tier)),
    })),
    gate: mine((one) => ({ name: one.file, failed: `${one.file}: is gone`, tiers: [] })),
    figure: mine((one) => ({
      tiers: one.tiers.map((tier) =>
        'na' in tier
          ? tier
          : { ...tier, attacksStopped: { k: null, n: 144, rate: null }, outcomes: { ...tier.outcomes, stopped: null } },
      ),
    })),
  };
  for (const [what, head] of Object.entries(heads)) {
    save('lost.json', head);
    const { status, stdout, stderr } = await compare('strict.json', 'lost.json');
    assert.equal(status, 1, `${what}: ${stderr}`);
    assert.match(stdout, /^mine +tool +attacks stopped +70\.8 % +n\/a +lost$/m, what);
    assert.equal((await compare('lost.json', 'strict.json')).status, 0, what);
  }
});

test('reports of different measurements are refused, saying what differs', async () => {
  const report = load('strict.json');
  const cases: [Partial<Report>, RegExp][] = [
    [{ corpus: { ...report.corpus, sha256: 'x' } }, /the corpus differs/],
    [{ corpus: { ...report.corpus, toolsSha256: 'x' } }, /the tools table differs \("[0-9a-f]{64}" and "x"\)/],
    [{ order: 'exposure' }, /the order differs \("after" and "exposure"\)/],
    [{ untrusted: 'all-reads' }, /untrusted sources differs/],
    [{ suites: ['slack'] }, /the list of suites differs \(\["banking"\] and \["slack"\]\)/],
    [{ seed: 2 }, /the seed differs \(1 and 2\)/],
    [{ resamples: 100 }, /number of resamples differs \(200 and 100\)/],
    [{ gates: report.gates.map((one) => ({ ...one, tiers: one.tiers.slice(1) })) }, /the set of tiers differs/],
  ];
  for (const [change, message] of cases) {
    save('head.json', { ...report, ...change });
    const { status, stdout, stderr } = await compare('strict.json', 'head.json');
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, message);
    assert.equal(stderr.split('\n').length, 2);
  }
});

test('a report that is none, or damaged, is refused with its place', async () => {
  const text = readFileSync(join(folder, 'strict.json'), 'utf8');
  const cases: [string, RegExp][] = [
    ['', /head\.json: not JSON/],
    [text.slice(0, 500), /head\.json: not JSON/],
    ['{}', /head\.json: \$\.schema: undefined is no report of toolgate-bench/],
    [text.replace('report@1', 'report@2'), /\$\.schema: "toolgate-bench\/report@2" is from a later version/],
    [text.replace('report@1', 'other@1'), /is no report of toolgate-bench/],
    [text.replace(/"rate": 0\.25,/, '"rate": NaN,'), /not JSON/],
    [
      text.replace(/"rate": 0\.25,/, '"rate": 25,'),
      /\$\.gates\[\d\]\.tiers\[0\]\.\w+\.rate: 25, but \d+ of \d+ is 0\.25/,
    ],
    [text.replace(/"stopped": "\/+/, '"stopped": "'), /outcomes\.stopped: not the bits of 144 outcomes/],
    [
      text.replace(/"stopped": "\/\//, '"stopped": "AA'),
      /outcomes\.stopped: \d+ outcomes are set, but the figure is 144 of 144/,
    ],
    [text.replace(/"low": [\d.]+/, '"low": -1'), /no interval: from -1 to/],
    [text.replace(/"high": [\d.]+/, '"high": 1e999'), /no interval: from [\d.]+ to Infinity/],
    [text.replace(/"bound": "upper"/, '"bound": "lower"'), /"lower" is the bound of a rate of 1, not of 0/],
    [text.replace('"seed": 1', '"seed": 4294967296'), /\$\.seed: 4294967296 is more than 4294967295/],
    [text.replace('"resamples": 200', '"resamples": 1e12'), /\$\.resamples: 1000000000000 is more than 1000000/],
    [text.replace('"name": "deny-egress"', '"name": "allow-all"'), /\$\.gates: two gates are called "allow-all"/],
    [text.replace('"tier": "tool"', '"tier": "effect"'), /tiers: two entries are of the tier "effect"/],
    [text.replace('"name": "mine"', '"name": ""'), /\$\.gates\[\d\]\.name: expected a name, found an empty string/],
    [JSON.stringify({ ...load('strict.json'), gates: [] }), /\$\.gates: holds no gate/],
    ['null', /head\.json: expected an object, found null/],
    [text.replace('"kind": "ground-truth"', '"kind": "other"'), /\$\.kind: unknown kind "other"/],
  ];
  for (const [content, message] of cases) {
    save('head.json', content);
    const { status, stdout, stderr } = await compare('strict.json', 'head.json');
    assert.deepEqual([status, stdout], [2, ''], stderr);
    assert.match(stderr, message);
  }
  // Sound in itself, but over another number of pairs than the corpus has: one pair, and it was stopped.
  const report = load('strict.json');
  const one = { k: 1, n: 1, rate: 1 };
  save('head.json', {
    ...report,
    gates: report.gates.map((each) => ({
      ...each,
      tiers: each.tiers.map((tier) =>
        'na' in tier ? tier : { ...tier, attacksStopped: one, outcomes: { ...tier.outcomes, stopped: 'AQ==' } },
      ),
    })),
  });
  const short = await compare('head.json', 'head.json');
  assert.equal(short.status, 2);
  assert.match(short.stderr, /attacksStopped is over 1 and 1, but the corpus has 144\n$/);
  assert.match((await compare('none.json', 'strict.json')).stderr, /none\.json: cannot be read \(ENOENT/);
  assert.match((await compare('strict.json')).stderr, /compare takes two files/);
});
