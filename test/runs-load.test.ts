import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadCorpus } from '../src/corpus.ts';
import { BenchError } from '../src/errors.ts';
import { loadRecording, pipelinesIn, recordingFile } from '../src/runs/load.ts';
import type { Recording } from '../src/runs/recording.ts';

const data = (name: string): string => fileURLToPath(new URL(`../data/${name}`, import.meta.url));
const corpus = loadCorpus({ groundTruth: data('ground_truth.jsonl'), tools: data('tools.json') });
const work = mkdtempSync(join(tmpdir(), 'toolgate-load-'));
after(() => rmSync(work, { recursive: true }));

type Line = Record<string, unknown>;

const HEADER: Line = {
  kind: 'header',
  schema: 'toolgate-bench/runs@1',
  pipeline: 'p',
  corpus: 'agentdojo',
  version: 'v1.1.2',
};
const ACTION: Line = { kind: 'action', type: 'send_money', effect: 'write', targets: ['US1'], origins: ['tool'] };
const READ: Line = { kind: 'action', type: 'get_iban', effect: 'read', targets: [], origins: [] };
const BENIGN: Line = { kind: 'run', suite: 'banking', user: 'user_task_0', utility: true, calls: [0, 1] };
const ATTACKED: Line = { ...BENIGN, attack: 'direct', injection: 'injection_task_1', goalMet: false };

/** Writes a recording whose header counts its lines, unless it says otherwise. */
function write(lines: readonly Line[], header: Line = {}): string {
  const count = (kind: string): number => lines.filter((line) => line['kind'] === kind).length;
  const counts = { actions: count('action'), runs: count('run') };
  const path = join(work, 'x.jsonl');
  writeFileSync(path, [{ ...HEADER, counts, ...header }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

const load = (path: string): Recording => loadRecording(path, corpus, 'x.jsonl');

test('a recording is read as it was written', () => {
  const recording = load(
    write([ACTION, READ, BENIGN, ATTACKED, { ...BENIGN, user: 'user_task_1', calls: null, error: 'server' }]),
  );
  assert.equal(recording.pipeline, 'p');
  assert.deepEqual(recording.attacks, ['direct']);
  assert.deepEqual(recording.leftOut, { denialOfService: 0, goalAlone: 0, outsideCorpus: 0, unreadable: 0 });
  assert.deepEqual(recording.actions[0], { type: 'send_money', effect: 'write', targets: ['US1'], origins: ['tool'] });
  const [benign, attacked, ended] = recording.runs;
  assert.equal(benign?.userTask, corpus.suites.find(({ name }) => name === 'banking')?.userTasks[0]);
  assert.deepEqual([benign?.attack, benign?.injectionTask, benign?.goalMet, benign?.calls], [null, null, null, [0, 1]]);
  assert.deepEqual(
    [attacked?.attack, attacked?.injectionTask?.id, attacked?.goalMet],
    ['direct', 'injection_task_1', false],
  );
  assert.deepEqual([ended?.calls, ended?.error], [null, 'server']);
});

test('the example in docs/recorded-runs-format.md is a recording', () => {
  const page = readFileSync(fileURLToPath(new URL('../docs/recorded-runs-format.md', import.meta.url)), 'utf8');
  const path = join(work, 'example.jsonl');
  const [, example] = /^```jsonl my\.jsonl\n([^]*?)^```$/m.exec(page) ?? [];
  writeFileSync(path, example ?? '');
  assert.equal(loadRecording(path, corpus).runs.length, 2);
});

test('a request that is not the corpus’s makes it another version; without a trace nobody can tell', () => {
  const digest = corpus.suites
    .flatMap(({ userTasks }) => userTasks)
    .find(({ id, suite }) => suite === 'banking' && id === 'user_task_15')?.request;
  const line = { ...BENIGN, user: 'user_task_15', calls: [] };
  const isOther = (extra: Line): boolean | undefined => load(write([{ ...line, ...extra }])).runs[0]?.otherVersion;
  assert.equal(isOther({ request: digest }), false);
  assert.equal(isOther({ request: 'sha256:0' }), true);
  assert.equal(isOther({ calls: null }), false);
  assert.throws(() => isOther({}), {
    message: /^x\.jsonl:2: \$\.request: missing: only it tells which version of banking\/user_task_15/,
  });
});

const REFUSED: readonly [what: string, lines: readonly Line[], problem: RegExp][] = [
  [
    'an unknown effect',
    [{ ...ACTION, effect: 'fly' }],
    /^x\.jsonl:2: \$\.effect: "fly", but the table of tools says "write"/,
  ],
  ['an unknown tool', [{ ...ACTION, type: 'fly' }], /^x\.jsonl:2: \$\.type: the table of tools has no "fly"/],
  [
    'targets of a tool without any',
    [{ ...READ, targets: ['a'], origins: ['user'] }],
    /^x\.jsonl:2: \$\.targets: the table of tools gives "get_iban" no target/,
  ],
  [
    'a target that is no text',
    [{ ...ACTION, targets: [1] }],
    /^x\.jsonl:2: \$\.targets\[0\]: expected a string, found 1/,
  ],
  ['an unknown origin', [{ ...ACTION, origins: ['god'] }], /^x\.jsonl:2: \$\.origins\[0\]: unknown origin "god"/],
  ['fewer origins than targets', [{ ...ACTION, origins: [] }], /^x\.jsonl:2: \$\.origins: 0 for 1 targets/],
  ['an unknown member of an action', [{ ...ACTION, note: 1 }], /^x\.jsonl:2: unknown key "note"/],
  ['a run where an action stands', [ACTION, BENIGN, READ], /^x\.jsonl:3: /],
  [
    'an unknown kind',
    [{ ...READ }, { ...BENIGN, kind: 'walk', calls: [] }],
    /^x\.jsonl:1: \$\.counts: 1 actions and 0 runs, but 2 lines follow/,
  ],
  ['an unknown member of a run', [{ ...BENIGN, calls: [], note: 1 }], /^x\.jsonl:2: unknown key "note"/],
  ['a run without a suite', [{ ...BENIGN, calls: [], suite: undefined }], /^x\.jsonl:2: the key "suite" is missing/],
  [
    'an attack without a verdict',
    [{ ...ATTACKED, calls: [], goalMet: undefined }],
    /^x\.jsonl:2: the key "goalMet" is missing/,
  ],
  [
    'a verdict in words',
    [{ ...BENIGN, calls: [], utility: 'yes' }],
    /^x\.jsonl:2: \$\.utility: expected true, false or null, found "yes"/,
  ],
  [
    'a call of no action',
    [READ, { ...BENIGN, calls: [0, 1] }],
    /^x\.jsonl:3: \$\.calls\[1\]: no index of the 1 actions: 1/,
  ],
  ['a call that is no index', [READ, { ...BENIGN, calls: [0.5] }], /^x\.jsonl:3: \$\.calls\[0\]: /],
  ['calls that are no list', [{ ...BENIGN, calls: 'none' }], /^x\.jsonl:2: \$\.calls: expected an array or null/],
  ['an unknown error', [{ ...BENIGN, calls: [], error: 'boredom' }], /^x\.jsonl:2: \$\.error: unknown error "boredom"/],
  ['a count below 0', [{ ...BENIGN, calls: [], malformed: -1 }], /^x\.jsonl:2: \$\.malformed: /],
  [
    'a task that the corpus lacks',
    [{ ...BENIGN, calls: [], user: 'user_task_16' }],
    /^x\.jsonl:2: \$\.user: the ground truth has no "banking\/user_task_16"/,
  ],
  [
    'a suite that the corpus lacks',
    [{ ...BENIGN, calls: [], suite: 'garden' }],
    /^x\.jsonl:2: \$\.user: the ground truth has no "garden\/user_task_0"/,
  ],
  [
    'an injection that the corpus lacks',
    [{ ...ATTACKED, calls: [], injection: 'injection_task_9' }],
    /^x\.jsonl:2: \$\.injection: the ground truth has no "banking\/injection_task_9"/,
  ],
  [
    'the same run twice',
    [
      { ...BENIGN, calls: [] },
      { ...ATTACKED, calls: [] },
      { ...BENIGN, calls: [] },
    ],
    /^x\.jsonl:4: this run .* is there twice/,
  ],
];

for (const [what, lines, problem] of REFUSED) {
  test(`refuses ${what}`, () => {
    const path = write(lines);
    assert.throws(
      () => load(path),
      (error) => error instanceof BenchError && error.code === 'input' && problem.test(error.message),
    );
  });
}

const REFUSED_HEADERS: readonly [what: string, header: Line, problem: RegExp][] = [
  [
    'another schema',
    { schema: 'toolgate-bench/runs@2' },
    /^x\.jsonl:1: \$\.schema: not toolgate-bench\/runs@1; .*extract the runs again/,
  ],
  ['another corpus', { corpus: 'other' }, /^x\.jsonl:1: \$\.corpus: "other", but the ground truth is of "agentdojo"/],
  [
    'another version of the corpus',
    { version: 'v1.2' },
    /^x\.jsonl:1: \$\.version: "v1\.2", but the ground truth is of "v1\.1\.2"/,
  ],
  ['an unknown member', { note: 1 }, /^x\.jsonl:1: unknown key "note"/],
  ['an unknown reason', { leftOut: { boredom: 1 } }, /^x\.jsonl:1: \$\.leftOut: unknown key "boredom"/],
  ['a count of something else', { counts: { actions: 1, runs: '1' } }, /^x\.jsonl:1: \$\.counts\.runs: /],
  [
    'more runs than there are',
    { counts: { actions: 2, runs: 2 } },
    /^x\.jsonl:1: .*3 lines follow; the file seems to be cut short/,
  ],
];

for (const [what, header, problem] of REFUSED_HEADERS) {
  test(`refuses a header with ${what}`, () => {
    const path = write([ACTION, READ, BENIGN], header);
    assert.throws(
      () => load(path),
      (error) => error instanceof BenchError && error.code === 'input' && problem.test(error.message),
    );
  });
}

test('refuses what is no recording: another file, a line that is no JSON, half of one, nothing', () => {
  const path = join(work, 'y.jsonl');
  const whole = JSON.stringify({ ...HEADER, counts: { actions: 1, runs: 0 } });
  const cases: [string, RegExp][] = [
    ['{"kind":"user"}\n', /^x\.jsonl:1: \$\.kind: unknown kind "user"/],
    [`${whole}\nhello\n`, /^x\.jsonl:2: not JSON/],
    [`${whole}\n{"kind":"act`, /^x\.jsonl:2: the last line has no end/],
    ['', /^x\.jsonl: the file is empty/],
    ['[]\n', /^x\.jsonl:1: expected an object/],
  ];
  for (const [content, problem] of cases) {
    writeFileSync(path, content);
    assert.throws(() => load(path), { message: problem });
  }
  assert.throws(() => load(join(work, 'nowhere.jsonl')), { message: /^x\.jsonl: cannot be read/ });
});

test('the folder lists its pipelines without reading them', () => {
  const pipelines = pipelinesIn(data('runs'));
  assert.equal(pipelines.length, 29);
  assert.ok(pipelines.includes('gpt-4o-2024-05-13'));
  writeFileSync(recordingFile(work, 'z'), 'no recording');
  assert.ok(pipelinesIn(work).includes('z'));
  assert.throws(() => pipelinesIn(join(work, 'nowhere'), 'runs'), { message: /^runs: cannot be listed/ });
  assert.throws(() => pipelinesIn(fileURLToPath(new URL('.', import.meta.url)), 'runs'), {
    message: /no recorded runs/,
  });
});
