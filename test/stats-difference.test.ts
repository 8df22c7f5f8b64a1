import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bootstrapRates, clusterGrid } from '../src/stats/bootstrap.ts';
import type { Grid } from '../src/stats/bootstrap.ts';
import { pairedDifference } from '../src/stats/difference.ts';
import { interval } from '../src/stats/interval.ts';
import type { Interval } from '../src/stats/interval.ts';
import { drawWeights } from '../src/stats/resample.ts';

const AXES = { rows: 8, columns: 5 };
const cells = fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 40, maxLength: 40 });
const WEIGHTS = drawWeights([AXES], 200, 1);

test('a difference by hand', () => {
  // Two tasks, resamples by hand: each once, the first twice, the second twice. Base k = (1, 0), head k = (2, 1), n = 2:
  // rates 1/4, 2/4, 0/4 and 3/4, 4/4, 2/4, that is +0.5 in every resample. No width, so nothing is claimed.
  const weights = [
    {
      rows: 2,
      columns: 1,
      resamples: 3,
      rowWeights: Uint8Array.of(1, 2, 0, 1, 0, 2),
      columnWeights: Uint8Array.of(1, 1, 1),
    },
  ];
  const base = [
    clusterGrid([
      { k: 1, n: 2 },
      { k: 0, n: 2 },
    ]),
  ];
  const shifted = [
    clusterGrid([
      { k: 2, n: 2 },
      { k: 1, n: 2 },
    ]),
  ];
  assert.deepEqual(pairedDifference(base, shifted, weights), {
    difference: 0.5,
    low: 0.5,
    high: 0.5,
    verdict: 'unclear',
  });
  // Head k = (2, 2): rates 1 throughout, differences 3/4, 2/4, 4/4. Sorted 0.5, 0.75, 1; position 2 x 0.025 = 0.05, so
  // low = 0.5 + 0.05 x 0.25 = 0.5125 and high = 1 - 0.0125 = 0.9875.
  const all = [
    clusterGrid([
      { k: 2, n: 2 },
      { k: 2, n: 2 },
    ]),
  ];
  const up = pairedDifference(base, all, weights);
  assert.ok(Math.abs(up.low - 0.5125) < 1e-12 && Math.abs(up.high - 0.9875) < 1e-12, JSON.stringify(up));
  assert.deepEqual([up.difference, up.verdict], [0.75, 'better']);
  assert.equal(pairedDifference(all, base, weights).verdict, 'worse');
});

test('rates of 0 and 1 differ as far as can be, and the verdict is still unclear', () => {
  const nothing = constant(0);
  const everything = constant(1);
  assert.deepEqual(pairedDifference([nothing], [everything], WEIGHTS), {
    difference: 1,
    low: 1,
    high: 1,
    verdict: 'unclear',
  });
});

test('the same rate on other cells is not the same', () => {
  const base = grid(Array.from({ length: 40 }, (_, at) => (at < 20 ? 1 : 0)));
  const head = grid(Array.from({ length: 40 }, (_, at) => (at < 20 ? 0 : 1)));
  const moved = pairedDifference([base], [head], WEIGHTS);
  assert.equal(moved.difference, 0);
  assert.equal(moved.verdict, 'unclear');
});

test('without a trial there is no difference to speak of', () => {
  const empty = [clusterGrid([{ k: 0, n: 0 }])];
  const one = [clusterGrid([{ k: 1, n: 1 }])];
  const weights = drawWeights(empty, 10, 1);
  assert.deepEqual(pairedDifference(empty, one, weights), {
    difference: Number.NaN,
    low: -1,
    high: 1,
    verdict: 'unclear',
  });
});

test('grids of another size are refused', () => {
  assert.throws(() => pairedDifference([constant(1)], [clusterGrid([{ k: 1, n: 1 }])], WEIGHTS), RangeError);
});

test('identical outcomes are the same', () => {
  fc.assert(
    fc.property(cells, (k) => {
      const expected = { difference: 0, low: 0, high: 0, verdict: 'same' };
      assert.deepEqual(pairedDifference([grid(k)], [grid(k)], WEIGHTS), expected);
    }),
  );
});

test('exchanging base and head changes the sign and the verdict, and limits hold the difference', () => {
  const opposite = { better: 'worse', worse: 'better', unclear: 'unclear', same: 'same' };
  fc.assert(
    fc.property(cells, cells, (left, right) => {
      const there = pairedDifference([grid(left)], [grid(right)], WEIGHTS);
      const back = pairedDifference([grid(right)], [grid(left)], WEIGHTS);
      assert.ok(Math.abs(there.difference + back.difference) < 1e-12);
      assert.ok(Math.abs(there.low + back.high) < 1e-12 && Math.abs(there.high + back.low) < 1e-12);
      assert.equal(back.verdict, opposite[there.verdict]);
      assert.ok(there.low <= there.difference + 1e-12 && there.difference <= there.high + 1e-12);
    }),
  );
});

test('pairing tells apart what two separate intervals cannot', () => {
  // Four rows succeed throughout and four fail, and the head loses two cells of each of the former: which rows are drawn
  // moves both rates by far more than that, and both alike.
  const base = grid(Array.from({ length: 40 }, (_, at) => (at < 20 ? 1 : 0)));
  const lost = new Set([0, 1, 6, 7, 12, 13, 18, 19]);
  const head = grid(base.k.map((k, at) => (lost.has(at) ? 0 : k)));
  const [before, after] = [base, head].map((one) => interval(1, 2, bootstrapRates([one], WEIGHTS), 5));
  assert.ok((before as Interval).low < (after as Interval).high, 'the separate intervals overlap');
  assert.equal(pairedDifference([base], [head], WEIGHTS).verdict, 'worse');
});

function grid(k: readonly number[]): Grid & { readonly k: readonly number[] } {
  return { ...AXES, k, n: k.map(() => 1) };
}

function constant(value: number): Grid {
  return grid(Array<number>(40).fill(value));
}
