import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { drawWeights } from '../src/stats/resample.ts';
import type { SuiteWeights } from '../src/stats/resample.ts';

const axes = fc.record({ rows: fc.integer({ min: 1, max: 40 }), columns: fc.integer({ min: 1, max: 40 }) });

test('in every resample the weights of an axis add up to its size', () => {
  fc.assert(
    fc.property(fc.array(axes, { maxLength: 4 }), fc.integer(), (suites, seed) => {
      const weights = drawWeights(suites, 20, seed);
      assert.equal(weights.length, suites.length);
      for (const suite of weights) {
        assert.deepEqual(sums(suite.rowWeights, suite.resamples), Array<number>(20).fill(suite.rows));
        assert.deepEqual(sums(suite.columnWeights, suite.resamples), Array<number>(20).fill(suite.columns));
      }
    }),
  );
});

test('the weights depend on the seed and nothing else', () => {
  const sizes = [{ rows: 40, columns: 6 }];
  assert.deepEqual(drawWeights(sizes, 50, 7), drawWeights(sizes, 50, 7));
  assert.notDeepEqual(drawWeights(sizes, 50, 7), drawWeights(sizes, 50, 8));
});

test('the first suite keeps its weights whatever suites follow', () => {
  const sizes = { rows: 16, columns: 9 };
  assert.deepEqual(drawWeights([sizes, { rows: 21, columns: 5 }], 50, 1)[0], drawWeights([sizes], 50, 1)[0]);
});

test('an axis that is not resampled counts every task once', () => {
  const [rowsOnly] = drawWeights([{ rows: 5, columns: 4 }], 3, 1, 'rows') as [SuiteWeights];
  assert.ok(rowsOnly.columnWeights.every((weight) => weight === 1));
  assert.ok(rowsOnly.rowWeights.some((weight) => weight !== 1));
  const [columnsOnly] = drawWeights([{ rows: 5, columns: 4 }], 3, 1, 'columns') as [SuiteWeights];
  assert.ok(columnsOnly.rowWeights.every((weight) => weight === 1));
  assert.ok(columnsOnly.columnWeights.some((weight) => weight !== 1));
});

test('multiplicities follow the binomial distribution, and the two axes are independent', () => {
  const size = 40;
  const [{ rowWeights, columnWeights }] = drawWeights([{ rows: size, columns: size }], 2000, 1) as [SuiteWeights];
  // A task is left out of a resample with probability (39/40)^40 = 0.363; 80,000 weights give it to within 0.0017.
  const leftOut = rowWeights.filter((weight) => weight === 0).length / rowWeights.length;
  assert.ok(Math.abs(leftOut - (39 / 40) ** 40) < 0.006, `left out: ${leftOut}`);
  // The variance of a weight is 39/40, so the mean of 80,000 products of independent deviations is within 0.0034 of 0.
  let covariance = 0;
  rowWeights.forEach((weight, at) => (covariance += (weight - 1) * ((columnWeights[at] as number) - 1)));
  covariance /= rowWeights.length;
  assert.ok(Math.abs(covariance) < 0.012, `covariance: ${covariance}`);
});

function sums(weights: Uint8Array, resamples: number): number[] {
  return Array.from({ length: resamples }, (_, resample) =>
    weights.reduce((sum, weight, at) => (at % resamples === resample ? sum + weight : sum), 0),
  );
}
