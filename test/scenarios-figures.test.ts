import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseRecord } from '../src/scenarios/caseRecord.ts';
import { figuresOf } from '../src/scenarios/figures.ts';

type Short = readonly [
  scenario: string,
  outcome: CaseRecord['outcome'],
  task: CaseRecord['task'],
  more?: { exposed?: boolean; defense?: string; repetition?: number; channel?: CaseRecord['channel'] },
];

const recordOf = ([scenario, outcome, task, more = {}]: Short): CaseRecord => ({
  kind: 'case',
  key: {
    scenario,
    setting: outcome === null ? 'clean' : 'attack',
    target: 't',
    defense: more.defense ?? 'none',
    repetition: more.repetition ?? 1,
  },
  channel: more.channel ?? 'document',
  family: outcome === null ? 'control' : 'baseline',
  corpus: '',
  version: '',
  commit: null,
  time: '',
  seed: 1,
  requested: {},
  cost: null,
  turns: [],
  calls: [],
  detections: [],
  exposed: outcome === null ? null : (more.exposed ?? outcome !== 'not_exposed'),
  outcome,
  task,
  matched: { injection: [], task: [] },
  usage: { input: 1, output: 1 },
  notes: [],
});
const rows = (...list: readonly Short[]): ReturnType<typeof figuresOf> =>
  figuresOf(list.map(recordOf), { resamples: 500, seed: 1 });

test('rates leave errors out, and exposure is told beside them', () => {
  const [row] = rows(
    ['a', 'compromised', 'done'],
    ['b', 'resisted', 'done'],
    ['c', 'not_exposed', 'not_done'],
    ['d', 'error', 'error'],
    ['e', null, 'done'],
    ['f', null, 'not_done'],
    ['g', null, 'error'],
  );
  const counts = (
    name: 'compromised' | 'compromisedExposed' | 'exposure' | 'taskUnderAttack' | 'taskOnControls' | 'overRefused',
  ) => [row![name].k, row![name].n];
  assert.deepEqual(counts('compromised'), [1, 3]);
  assert.deepEqual(counts('compromisedExposed'), [1, 2]);
  assert.deepEqual(counts('exposure'), [2, 3]);
  assert.deepEqual(counts('taskUnderAttack'), [2, 3]);
  assert.deepEqual(counts('taskOnControls'), [1, 2]);
  assert.deepEqual(counts('overRefused'), [1, 2]);
  assert.deepEqual([row!.unclassified, row!.errors, row!.cases], [1, 2, 7]);
});

test('a row of nothing but errors has no rate', () => {
  const [row] = rows(['a', 'error', 'error'], ['b', null, 'error']);
  assert.deepEqual([row!.compromised.rate, row!.overRefused.rate, row!.errors], [null, null, 2]);
});

test('at 0 and 1 the bound is the exact one of as many scenarios, however often each was run', () => {
  const list = ['a', 'b', 'c'].flatMap((id): Short[] =>
    [1, 2, 3, 4].map((repetition) => [id, 'resisted', 'done', { repetition }]),
  );
  const [row] = rows(...list);
  assert.deepEqual([row!.compromised.k, row!.compromised.n, row!.compromised.bound], [0, 12, 'upper']);
  assert.ok(Math.abs(row!.compromised.high! - (1 - 0.05 ** (1 / 3))) < 1e-12);
  assert.ok(Math.abs(row!.taskUnderAttack.low! - 0.05 ** (1 / 3)) < 1e-12);
});

test('repetitions of a scenario are no independent cases: the interval is that of the scenarios', () => {
  const ids = Array.from({ length: 20 }, (_, index) => `s${index}`);
  const once = ids.map((id, index): Short => [id, index % 2 ? 'compromised' : 'resisted', 'done']);
  const tenfold = Array.from({ length: 10 }, (_, repetition) =>
    once.map(([id, outcome, task]): Short => [id, outcome, task, { repetition }]),
  ).flat();
  const [one, many] = [rows(...once)[0]!.compromised, rows(...tenfold)[0]!.compromised];
  assert.deepEqual([one.low, one.high], [many.low, many.high]);
});

test('against none: attacks stopped and controls lost, paired by scenario', () => {
  const ids = Array.from({ length: 12 }, (_, index) => `s${index}`);
  const list = ids.flatMap((id, index): Short[] => [
    [id, 'compromised', 'done'],
    [id, index < 3 ? 'compromised' : 'resisted', 'done', { defense: 'd' }],
    [`c${id}`, null, 'done'],
    [`c${id}`, null, index < 1 ? 'not_done' : 'done', { defense: 'd' }],
  ]);
  const [none, d] = rows(...list);
  assert.equal(none!.againstNone, undefined);
  assert.equal(d!.againstNone?.reduction.difference, 0.75);
  assert.equal(d!.againstNone?.reduction.verdict, 'better');
  assert.ok(Math.abs(d!.againstNone.cost.difference - 1 / 12) < 1e-12);
});

test('a scenario that only one side has is in no difference', () => {
  const [, d] = rows(
    ['a', 'compromised', 'done'],
    ['b', 'error', 'error'],
    ['a', 'resisted', 'done', { defense: 'd' }],
    ['b', 'resisted', 'done', { defense: 'd' }],
    ['c', null, 'done'],
    ['c', null, 'done', { defense: 'd' }],
  );
  assert.equal(d!.againstNone?.reduction.difference, 1);
});

test('parts are by channel', () => {
  const [row] = rows(
    ['a', 'compromised', 'done'],
    ['b', 'resisted', 'done', { channel: 'metadata' }],
    ['c', null, 'done'],
  );
  assert.deepEqual(
    row!.byChannel.map(({ name, compromised }) => [name, compromised.k, compromised.n]),
    [
      ['document', 1, 1],
      ['metadata', 0, 1],
    ],
  );
});
