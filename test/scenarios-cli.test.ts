import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadRecording } from '../src/runs/load.ts';
import type { RunsReport } from '../src/runs/report.ts';
import { scenarioCorpus } from '../src/scenarios/recordRuns.ts';
import { toolgate } from './command.ts';
import { openai, startModelServer } from './model-server.ts';
import { SCENARIOS } from './scenarios-harness.ts';

const work = mkdtempSync(join(tmpdir(), 'toolgate-scenarios-'));
after(() => rmSync(work, { recursive: true }));

test('the matrix is one table of 80 columns, the same at any concurrency', async () => {
  const defenses = 'none,delimit,spotlight,hierarchy,filter,allowlist,gate:exact@target';
  const args = ['scenarios', 'matrix', '--targets', 'naive,careful,paranoid', '--defenses', defenses];
  const { status, stdout, stderr } = await toolgate(args);
  assert.deepEqual([status, stderr], [0, '']);
  assert.ok(stdout.split('\n').every((line) => line.length <= 80));
  assert.match(stdout, /compromised +task done +over-refused/);
  const careful = /\ncareful\n((?: {2}.*\n)+)/.exec(stdout)?.[1]?.trimEnd().split('\n') ?? [];
  assert.equal(careful.length, 7);
  for (const line of careful) assert.match(line, /^ {2}\S+ +0 \[0, \d+\] +100 \[\d+, 100\] +0 \[0, \d+\]/);
  const paranoid = /\nparanoid\n((?: {2}.*\n)+)/.exec(stdout)?.[1]?.trimEnd().split('\n') ?? [];
  for (const line of paranoid) assert.match(line, /^ {2}\S+ +0 \[0, \d+\] +0 \[0, \d+\] +100 \[\d+, 100\]/);
  const many = await toolgate([...args, '--concurrency', '8']);
  assert.equal(many.stdout, stdout);
});

test('json and Markdown hold the same rows', async () => {
  const args = ['scenarios', 'matrix', '--targets', 'naive', '--defenses', 'none,spotlight', '--format'];
  const json = JSON.parse((await toolgate([...args, 'json'])).stdout) as {
    rows: {
      defense: string;
      compromised: { k: number; n: number };
      againstNone?: { reduction: { verdict: string } };
    }[];
  };
  assert.deepEqual(
    json.rows.map(({ defense }) => defense),
    ['none', 'spotlight'],
  );
  assert.equal(json.rows[1]?.againstNone?.reduction.verdict, 'better');
  const { stdout } = await toolgate([...args, 'markdown']);
  assert.match(stdout, /\| naive \| none \| 100 \[/);
  assert.match(stdout, /Compromised by channel/);
});

test('list, describe and validate tell what there is', async () => {
  const list = await toolgate(['scenarios', 'list', '--channel', 'filename']);
  assert.ok(
    list.stdout
      .trim()
      .split('\n')
      .every((line) => / filename /.test(line)),
  );
  const one = await toolgate(['scenarios', 'describe', 'tc-lethal-trifecta']);
  assert.match(one.stdout, /^id +tc-lethal-trifecta\nchannel +tool_chain\n/);
  assert.match(one.stdout, /\ninjection /);
  const sound = await toolgate(['scenarios', 'validate']);
  assert.deepEqual([sound.status, sound.stderr], [0, '']);
  assert.match(sound.stdout, /sound: \d+ adversarial scenarios, \d+ controls/);
  const file = join(work, 'bad.jsonl');
  writeFileSync(file, '{"id":"x"}\n');
  const bad = await toolgate(['scenarios', 'validate', file]);
  assert.equal(bad.status, 2);
  assert.match(bad.stderr, /bad\.jsonl:1: \$\./);
});

test('calls: exact has no false allow and no false denial, and the status tells', async () => {
  const exact = await toolgate(['scenarios', 'calls', 'exact']);
  assert.equal(exact.status, 0);
  assert.match(exact.stdout, /exact +0 of \d+ +0 of \d+ +0/);
  const both = await toolgate(['scenarios', 'calls', 'exact', 'deny-egress']);
  assert.equal(both.status, 1);
  assert.match(both.stdout, /deny-egress decides otherwise/);
});

test('record writes a file that the recorded runs’ reader takes', async () => {
  const [store, out] = [join(work, 's.jsonl'), join(work, 'runs.jsonl')];
  await toolgate(['scenarios', 'matrix', '--targets', 'naive', '--defenses', 'none,delimit', '--store', store]);
  const ambiguous = await toolgate(['scenarios', 'record', store, '--out', out]);
  assert.equal(ambiguous.status, 2);
  assert.match(ambiguous.stderr, /choose with --target and --defense/);
  assert.equal((await toolgate(['scenarios', 'record', store, '--defense', 'none', '--out', out])).status, 0);
  const { corpus: sha256 } = JSON.parse(readFileSync(store, 'utf8').split('\n')[0]!) as { corpus: string };
  const recording = loadRecording(out, scenarioCorpus(SCENARIOS, sha256));
  assert.equal(recording.runs.length, SCENARIOS.length);
  const attacked = recording.runs.filter(({ attack }) => attack !== null);
  assert.ok(attacked.length > 60 && attacked.every(({ goalMet, calls }) => goalMet === true && calls !== null));
  assert.ok(recording.actions.some(({ origins }) => origins.includes('tool')));
});

test('runs puts a recording of scenarios through gates, by its path', async () => {
  const [store, out] = [join(work, 'replay-store.jsonl'), join(work, 'replay.jsonl')];
  await toolgate(['scenarios', 'run', '--target', 'naive', '--store', store]);
  assert.equal((await toolgate(['scenarios', 'record', store, '--out', out])).status, 0);
  const options = ['--pipeline', out, '--tier', 'target', '--resamples', '0', '--format', 'json'];
  const { status, stdout, stderr } = await toolgate(['runs', 'allow-all', 'exact', 'deny-all', ...options]);
  assert.deepEqual([status, stderr], [0, '']);
  const { corpus, gates } = JSON.parse(stdout) as RunsReport;
  assert.equal(corpus.id, 'toolgate-scenarios');
  const totals = gates.map((gate) => {
    const pipelines = gate.tiers.flatMap((tier) => ('pipelines' in tier ? tier.pipelines : []));
    const sum = (of: (one: (typeof pipelines)[number]) => number): number =>
      pipelines.reduce((total, one) => total + of(one), 0);
    return {
      breaches: sum((one) => one.breachesStopped.n),
      stopped: sum((one) => one.breachesStopped.k!),
      unattributed: sum((one) => one.unattributed),
      intact: sum((one) => one.solvedRunsIntact.k!),
      solved: sum((one) => one.solvedRunsIntact.n),
      missing: sum((one) => one.leftOut.missing),
    };
  });
  const [none, exact, all] = totals as [Total, Total, Total];
  assert.ok(exact.breaches >= 60 && exact.unattributed <= 12, JSON.stringify(exact));
  assert.deepEqual([none.stopped, none.intact, none.missing], [0, none.solved, 0]);
  assert.deepEqual([exact.stopped, exact.intact], [exact.breaches - exact.unattributed, exact.solved]);
  assert.equal(all.stopped, all.breaches - all.unattributed);
  assert.ok(all.intact < all.solved, 'some tasks need a call');
});

type Total = { [key in 'breaches' | 'stopped' | 'unattributed' | 'intact' | 'solved' | 'missing']: number };

test('runs refuses recordings of both kinds at once, of other scenarios, and --corpus without scenarios', async () => {
  const [store, out, other] = [join(work, 'few-store.jsonl'), join(work, 'few.jsonl'), join(work, 'other.jsonl')];
  await toolgate(['scenarios', 'run', '--target', 'careful', '--channel', 'document', '--store', store]);
  await toolgate(['scenarios', 'record', store, '--out', out]);
  const both = await toolgate(['runs', 'exact', '--pipeline', `${out},gpt-4o-2024-05-13`]);
  assert.equal(both.status, 2);
  assert.match(both.stderr, /few\.jsonl is a recording of scenarios, gpt-4o-2024-05-13 is not; measure them apart\n$/);
  writeFileSync(other, readFileSync(out, 'utf8').replace(/"version":"[^"]*"/, '"version":"0123456789ab"'));
  const strange = await toolgate(['runs', 'exact', '--pipeline', other]);
  assert.equal(strange.status, 2);
  assert.match(
    strange.stderr,
    /other\.jsonl: recorded with the scenarios 0123456789ab, but .*; name the corpus with --corpus\n$/,
  );
  const corpus = await toolgate(['runs', 'exact', '--pipeline', 'gpt-4o-2024-05-13', '--corpus', out]);
  assert.deepEqual([corpus.status, /--corpus with recordings of scenarios alone/.test(corpus.stderr)], [2, true]);
});

test('a command that speaks the line protocol stands in a stack, and beside gates in calls', async () => {
  const command = `python3 ${fileURLToPath(new URL('../examples/python/exact_gate.py', import.meta.url))}`;
  const stacks = `gate:exact@target,delimit+exec:'${command} a+b,c'@target`;
  const args = ['--targets', 'naive', '--defenses', stacks, '--resamples', '0', '--format', 'json'];
  const { status, stdout, stderr } = await toolgate(['scenarios', 'matrix', ...args]);
  assert.deepEqual([status, stderr], [0, '']);
  const [module, external] = (JSON.parse(stdout) as { rows: { defense: string; compromised: unknown }[] }).rows;
  assert.equal(external!.defense, `delimit+exec:'${command} a+b,c'@target`);
  assert.deepEqual(external!.compromised, module!.compromised);
  const calls = await toolgate(['scenarios', 'calls', '--exec', command]);
  assert.equal(calls.status, 0);
  assert.match(calls.stdout, /exact-python +0 of \d+ +0 of \d+ +0/);
});

const USAGE: readonly (readonly [string, RegExp])[] = [
  ['', /needs a command/],
  ['matrx', /did you mean matrix/],
  ['run', /needs --target/],
  ['run --target niave', /unknown target "niave".*did you mean naive/],
  ['matrix --targets naive, --defenses none', /unknown target ""/],
  ['run --target ./docs', /is a folder/],
  ['run --target naive --defense spotligth', /unknown defence "spotligth".*did you mean spotlight/],
  ['run --target naive --defense gate:exact', /name a tier/],
  ['run --target naive --defense gate:exakt@target', /did you mean exact/],
  ['run --target naive --defense delimit+delimit', /twice/],
  ["run --target naive --defense exec:''@target", /names no command/],
  ['run --target naive --defense exec:true', /name a tier, as in exec:true@target/],
  ['run --target naive --defense exec:false@target', /the command ended with status 1/],
  ['run --target naive --scenario tc-lethal-trifacta', /did you mean tc-lethal-trifecta/],
  ['run --target naive --channel document --scenario tc-lethal-trifecta', /no scenario is both/],
  ['run --target naive --repeat 0', /--repeat takes a whole number from 1/],
  ['run --target openai:x', /no address/],
  ['run --target anthropic:x --base-url http://127.0.0.1:9', /no key/],
  ['run --target naive --max-cost 1', /needs --price/],
  ['run --target naive --price 1', /takes two numbers/],
  ['run --target naive --corpus /nowhere.jsonl', /cannot be read/],
  ['run --target ./test/fixtures/detector.mjs', /no default export/],
  ['run --target naive --defense filter:./nowhere.mjs', /cannot be loaded/],
  ['matrix --targets naive,naive --defenses none', /naive is there twice/],
  ['describe nothing-of-that-name', /no scenario/],
  ['calls', /needs gates/],
  ['calls exact --tier limits', /labelled for a policy without it/],
  ['report', /needs a store/],
  ['report /nowhere.jsonl', /cannot be read/],
  ['record x.jsonl', /needs --out/],
  ['list --seed 1', /--seed means nothing to scenarios list/],
];

for (const [words, message] of USAGE) {
  test(`scenarios ${words}: refused with status 2 and one line`, async () => {
    const env = { ...process.env, OPENAI_BASE_URL: '', ANTHROPIC_API_KEY: '' };
    const args = words === '' ? [] : words.split(' ');
    const { status, stdout, stderr } = await toolgate(['scenarios', ...args], { env });
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, message);
    assert.equal(stderr.trim().split('\n').length, 1);
  });
}

test('a target that ends the program, or leaves an error behind, is told and does not pass for a measurement', async () => {
  const ends = join(work, 'ends.mjs');
  writeFileSync(ends, "export default { name: 'ends', run: async () => process.exit(0) };");
  const few = ['--scenario', 'ct-inbox-override,ct-ticket-sql', '--resamples', '0'];
  const ended = await toolgate(['scenarios', 'run', '--target', ends, ...few]);
  assert.deepEqual([ended.status, ended.stdout], [2, '']);
  assert.equal(ended.stderr, 'toolgate-bench: a target or detector ended the program; nothing is reported\n');
  for (const body of [
    "Promise.reject(new Error('stray'));",
    "setTimeout(() => { throw new Error('stray'); }); await new Promise((resolve) => setTimeout(resolve, 20));",
  ]) {
    const leaves = join(work, 'leaves.mjs');
    writeFileSync(leaves, `export default { name: 'leaves', run: async () => { ${body} return { text: 'x' }; } };`);
    const left = await toolgate(['scenarios', 'run', '--target', leaves, ...few]);
    assert.equal(left.status, 1);
    assert.match(left.stdout, /\n {2}none +- +- +100\n/);
    const told = 'toolgate-bench: an error of a target or detector that nothing caught: stray\n';
    assert.equal(left.stderr, told + told);
  }
});

test('a target file that throws is an error in every case, and the status is 1', async () => {
  const file = join(work, 'target.mjs');
  writeFileSync(file, "export default { name: 't', run() { throw new Error('out of order'); } };");
  const { status, stdout, stderr } = await toolgate(['scenarios', 'run', '--target', file, '--channel', 'document']);
  assert.equal(status, 1);
  assert.match(stdout, /errors/);
  assert.match(stderr, /target: out of order/);
  assert.equal(fileURLToPath(new URL(`file://${file}`)), file);
});

test('a model server that is not there is told before anything runs', async () => {
  const server = await startModelServer([openai.text('x')]);
  await server.close();
  const ended = await toolgate(['scenarios', 'run', '--target', 'openai:tiny', '--base-url', server.url]);
  assert.equal(ended.status, 2);
  assert.match(ended.stderr, /openai:tiny: no server at http:.*ECONNREFUSED/);
});
