import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bootstrapRates, clusterBootstrap, clusterGrid, totals } from '../src/stats/bootstrap.ts';
import type { Grid } from '../src/stats/bootstrap.ts';
import { drawWeights } from '../src/stats/resample.ts';
import type { Weights } from '../src/stats/resample.ts';
import { median, quantile } from '../src/stats/quantile.ts';

const cell = fc.integer({ min: 0, max: 6 }).chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));
const grid: fc.Arbitrary<Grid> = fc
  .tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 7 }))
  .chain(([rows, columns]) =>
    fc
      .array(cell, { minLength: rows * columns, maxLength: rows * columns })
      .map((cells) => ({ rows, columns, k: cells.map(([k]) => k), n: cells.map(([, n]) => n) })),
  );
const grids = fc.array(grid, { minLength: 1, maxLength: 3 });

test('a 2 x 2 grid in two resamples, by hand', () => {
  const outcomes = { rows: 2, columns: 2, k: [1, 0, 0, 2], n: [1, 1, 1, 2] };
  // Resample 0 draws row 0 twice and each column once: k = 2 (1 + 0) = 2, n = 2 (1 + 1) = 4.
  // Resample 1 draws each row once and column 1 twice: k = 2 (0 + 2) = 4, n = 2 (1 + 2) = 6.
  const suite = {
    rows: 2,
    columns: 2,
    resamples: 2,
    rowWeights: Uint8Array.of(2, 1, 0, 1),
    columnWeights: Uint8Array.of(1, 0, 1, 2),
  };
  assert.deepEqual([...bootstrapRates([outcomes], [suite])], [2 / 4, 4 / 6]);
  // Pooled with itself twice over, sums and not rates are added: (2 + 2) / (4 + 4), (4 + 4) / (6 + 6).
  assert.deepEqual([...bootstrapRates([outcomes, outcomes], [suite, suite])], [4 / 8, 8 / 12]);
});

test('suites are pooled by their trials, not by their rates', () => {
  const small = clusterGrid([{ k: 1, n: 1 }]);
  const large = clusterGrid([{ k: 0, n: 3 }]);
  // One task is always drawn once: (1 + 0) / (1 + 3), not the mean of 1 and 0.
  assert.deepEqual([...bootstrapRates([small, large], drawWeights([small, large], 2, 1))], [1 / 4, 1 / 4]);
});

test('a resample without a trial has no rate', () => {
  const offDiagonal = { rows: 2, columns: 2, k: [0, 1, 0, 0], n: [0, 1, 1, 0] };
  // Row 0 twice and column 0 twice leave only the cell on the diagonal.
  const suite = {
    rows: 2,
    columns: 2,
    resamples: 1,
    rowWeights: Uint8Array.of(2, 0),
    columnWeights: Uint8Array.of(2, 0),
  };
  assert.deepEqual([...bootstrapRates([offDiagonal], [suite])], [Number.NaN]);
});

test('rates are the weighted sums, cell by cell', () => {
  fc.assert(
    fc.property(grids, fc.integer(), (suites, seed) => {
      const weights = drawWeights(suites, 10, seed);
      assert.deepEqual([...bootstrapRates(suites, weights)], cellByCell(suites, weights));
    }),
  );
});

test('the order of tasks does not matter as long as their weights move along', () => {
  fc.assert(
    fc.property(grid, fc.integer(), (outcomes, seed) => {
      const weights = drawWeights([outcomes], 10, seed);
      const reversed = weights.map((suite) => ({
        ...suite,
        rowWeights: reverseBlocks(suite.rowWeights, suite.resamples),
      }));
      const turned = {
        ...outcomes,
        k: reverseBlocks(outcomes.k, outcomes.columns),
        n: reverseBlocks(outcomes.n, outcomes.columns),
      };
      assert.deepEqual(bootstrapRates([turned], reversed), bootstrapRates([outcomes], weights));
    }),
  );
});

test('rates stay as they are when every cell is tried several times as often', () => {
  fc.assert(
    fc.property(grids, fc.integer({ min: 2, max: 9 }), (suites, factor) => {
      const weights = drawWeights(suites, 10, 1);
      const scaled = suites.map((suite) => ({
        ...suite,
        k: Array.from(suite.k, (k) => k * factor),
        n: Array.from(suite.n, (n) => n * factor),
      }));
      assert.deepEqual(bootstrapRates(scaled, weights), bootstrapRates(suites, weights));
    }),
  );
});

test('weights for other grids are refused', () => {
  const outcomes = clusterGrid([{ k: 1, n: 1 }]);
  const huge = { rows: 1, columns: 1, k: [2 ** 31], n: [2 ** 31] };
  assert.throws(() => bootstrapRates([huge], drawWeights([huge], 5, 1)), RangeError);
  assert.throws(() => bootstrapRates([outcomes], drawWeights([{ rows: 2, columns: 1 }], 5, 1)), RangeError);
  assert.throws(() => bootstrapRates([outcomes, outcomes], drawWeights([outcomes], 5, 1)), RangeError);
  assert.throws(() => bootstrapRates([{ ...outcomes, k: [1, 1] }], drawWeights([outcomes], 5, 1)), RangeError);
});

test('clusters are drawn whole', () => {
  // Two clusters of five like outcomes: a resample holds both, or one of them twice.
  const rates = clusterBootstrap(
    [
      [
        { k: 5, n: 5 },
        { k: 0, n: 5 },
      ],
    ],
    400,
    1,
  );
  assert.deepEqual([...new Set(rates.toSorted())], [0, 0.5, 1]);
  // The same is drawn twice in one resample of four, each way: 100 of 400 give or take 8.7.
  const none = rates.filter((rate) => rate === 0).length;
  assert.ok(Math.abs(none - 100) < 35, `both draws failed: ${none}`);
});

test('totals add up all suites', () => {
  const suites = [
    clusterGrid([{ k: 1, n: 2 }]),
    clusterGrid([
      { k: 3, n: 4 },
      { k: 0, n: 5 },
    ]),
  ];
  assert.deepEqual(totals(suites), { k: 4, n: 11 });
  assert.deepEqual(totals([]), { k: 0, n: 0 });
});

test('quantiles interpolate between order statistics', () => {
  // Position (4 - 1) 0.25 = 0.75: three quarters of the way from 10 to 20.
  assert.equal(quantile([10, 20, 30, 40], 0.25), 17.5);
  assert.equal(quantile([10, 20, 30, 40], 0), 10);
  assert.equal(quantile([10, 20, 30, 40], 1), 40);
  assert.equal(quantile([], 0.5), Number.NaN);
});

test('the median sorts by value', () => {
  assert.equal(median([100, 9, 20]), 20);
  assert.equal(median([1, 4, 2, 3]), 2.5);
  assert.equal(median([]), Number.NaN);
});

function cellByCell(suites: readonly Grid[], weights: Weights): number[] {
  return Array.from({ length: weights[0]?.resamples ?? 0 }, (_, resample) => {
    let [k, n] = [0, 0];
    weights.forEach(({ rowWeights, columnWeights, resamples }, index) => {
      const suite = suites[index] as Grid;
      for (let at = 0; at < suite.k.length; at++) {
        const row = rowWeights[Math.floor(at / suite.columns) * resamples + resample] as number;
        const column = columnWeights[(at % suite.columns) * resamples + resample] as number;
        k += row * column * (suite.k[at] as number);
        n += row * column * (suite.n[at] as number);
      }
    });
    return k / n;
  });
}

/** Puts the blocks of so many values in reverse order: the rows of a grid, or the weights of one row after another. */
function reverseBlocks(values: ArrayLike<number>, size: number): Uint8Array {
  const blocks = values.length / size;
  return Uint8Array.from(
    { length: values.length },
    (_, at) => values[(blocks - 1 - Math.floor(at / size)) * size + (at % size)] as number,
  );
}
