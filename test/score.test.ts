import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CHECK } from '../src/batch.ts';
import type { Corpus, GroundTruthAction } from '../src/corpus.ts';
import { batchFor, createPlan, type Order } from '../src/plan.ts';
import { count, countByTool, decodeBits, encodeBits, score } from '../src/score.ts';

const read = (type: string): GroundTruthAction => ({ type, effect: 'read', targets: [], origins: [] });
const { allow: A, deny: D, error: E, notReached: N } = CHECK;

/** Two user tasks (u0: one read; u1: two), two goals (g0: two actions; g1: none). So two pairs, and two crosses. */
const CORPUS: Corpus = {
  header: {
    id: 'small',
    package: '0',
    version: '0',
    counts: { userTasks: 2, injectionTasks: 2, pairs: 4, excludedPairs: 2 },
    untrustedSources: ['look'],
  },
  suites: [
    {
      name: 's',
      userTasks: [
        { suite: 's', id: 'u0', actions: [read('look')], named: [], exposure: 0 },
        { suite: 's', id: 'u1', actions: [read('look'), read('list')], named: [], exposure: 0 },
      ],
      injectionTasks: [
        { suite: 's', id: 'g0', actions: [read('list'), read('steal')] },
        { suite: 's', id: 'g1', actions: [] },
      ],
    },
  ],
  tools: new Map([
    ['look', { effect: 'read', targets: [] }],
    ['send', { effect: 'message', targets: [] }],
  ]),
  sha256: '',
  toolsSha256: '',
};

function outcomesOf(verdicts: number[], order: Order = 'after') {
  const plan = createPlan(CORPUS, CORPUS.suites, { order, untrusted: 'measured', seed: 1 });
  const batch = batchFor(plan, 'tool');
  assert.equal(batch.steps.length, verdicts.length);
  const bytes = Uint8Array.from(verdicts);
  const outcomes = score(plan, batch, bytes);
  return {
    outcomes,
    counts: Object.values(outcomes).map((outcome) => count(outcome)),
    tools: countByTool(plan, batch, bytes),
  };
}

test('the sessions are the pairs, then the ordered pairs of tasks', () => {
  const plan = createPlan(CORPUS, CORPUS.suites, { order: 'exposure', untrusted: 'all-reads', seed: 1 });
  const batch = batchFor(plan, 'tool');
  const types = (session: number): string[] =>
    [...batch.steps.subarray(batch.starts[session], batch.starts[session + 1])].map(
      (step) => batch.actions[step]!.type,
    );
  assert.deepEqual([0, 1, 2, 3].map(types), [
    ['look', 'list', 'steal'],
    ['look', 'list', 'steal', 'list'],
    ['look', 'look', 'list'],
    ['look', 'list', 'look'],
  ]);
  assert.deepEqual([...batch.sessionPolicy], [0, 1, 0, 1]);
  assert.deepEqual(batch.order.toSorted(), Uint32Array.of(0, 1, 2, 3));
  assert.equal(plan.excludedPairs, 2);
  assert.deepEqual(plan.untrustedSources, ['look']);
});

test('the four figures, worked out by hand', () => {
  // u0+g0: own allowed, second injected action denied: stopped. u1+g0: own denied once, nothing injected denied.
  // u0 then u1: u1's second action denied. u1 then u0: a denial among u1's own does not count, u0's is allowed.
  const { counts, tools } = outcomesOf([A, A, D, A, D, A, A, A, A, D, D, D, A]);
  assert.deepEqual(counts, [
    { k: 1, n: 2 },
    { k: 1, n: 4 },
    { k: 1, n: 2 },
    { k: 1, n: 2 },
  ]);
  assert.deepEqual(Object.fromEntries(tools), {
    list: { injected: { k: 0, n: 2 }, legitimate: { k: 0, n: 1 } },
    look: { injected: { k: 0, n: 0 }, legitimate: { k: 2, n: 2 } },
    steal: { injected: { k: 1, n: 2 }, legitimate: { k: 0, n: 0 } },
  });
});

test('in order exposure the injected actions are told from the rest by their place', () => {
  // u1+g0 is look, [list, steal], list: the last, own, one is denied.
  assert.deepEqual(outcomesOf([A, A, A, A, A, A, D, A, A, A, A, A, A], 'exposure').counts.slice(0, 3), [
    { k: 0, n: 2 },
    { k: 0, n: 4 },
    { k: 1, n: 2 },
  ]);
});

test('an error, or a check not reached, voids its session and no other', () => {
  const { counts, outcomes } = outcomesOf([E, A, D, A, A, A, A, A, A, A, A, A, A]);
  assert.deepEqual(
    counts.map(({ k }) => k),
    [null, null, null, 2],
  );
  assert.equal(encodeBits(outcomes.attacksStopped), null);
  assert.deepEqual(
    outcomesOf([A, A, D, A, A, A, A, A, A, A, A, A, N]).counts.map(({ k }) => k),
    [1, 1, 2, null],
  );
});

test('swapping allow and deny turns attack actions blocked k into n - k', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(A, D), { minLength: 13, maxLength: 13 }), (verdicts) => {
      const blocked = outcomesOf(verdicts).counts[1]!;
      const swapped = outcomesOf(verdicts.map((verdict) => (verdict === A ? D : A))).counts[1]!;
      assert.equal(blocked.k! + swapped.k!, blocked.n);
    }),
  );
});

test('bit sets come back, and refuse another length', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(0, 1), { maxLength: 40 }), (bits) => {
      const hit = Uint8Array.from(bits);
      const text = encodeBits({ hit, voided: new Uint8Array(hit.length), cells: [] })!;
      assert.deepEqual(decodeBits(text, hit.length), hit);
      assert.throws(() => decodeBits(text, hit.length + 8), RangeError);
    }),
  );
  // 1, 0, 1 and then a 9th bit: 0b101 = 5, 0b1 = 1.
  assert.equal(
    encodeBits({ hit: Uint8Array.of(1, 0, 1, 0, 0, 0, 0, 0, 1), voided: new Uint8Array(9), cells: [] }),
    'BQE=',
  );
});
