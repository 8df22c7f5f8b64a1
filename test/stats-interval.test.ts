import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bootstrapRates, totals } from '../src/stats/bootstrap.ts';
import { interval } from '../src/stats/interval.ts';
import { drawWeights } from '../src/stats/resample.ts';

/** Outcomes of a gate on 3 to 12 by 3 to 12 tasks, each cell tried once. */
const outcomes = fc
  .tuple(fc.integer({ min: 3, max: 12 }), fc.integer({ min: 3, max: 12 }))
  .chain(([rows, columns]) =>
    fc
      .array(fc.integer({ min: 0, max: 1 }), { minLength: rows * columns, maxLength: rows * columns })
      .map((k) => ({ rows, columns, k, n: k.map(() => 1) })),
  );

test('the limits are the 2.5 % and 97.5 % quantiles of the resampled rates', () => {
  // 101 rates 0, 0.01 ... 1: position 100 x 0.025 = 2.5 lies halfway between 0.02 and 0.03. In any order, NaN left out.
  const rates = Float64Array.from({ length: 101 }, (_, index) => ((index * 37) % 101) / 100);
  const { low, high, bound } = interval(1, 2, Float64Array.of(Number.NaN, ...rates), 26);
  assert.ok(close(low, 0.025) && close(high, 0.975), `${low} ${high}`);
  assert.equal(bound, 'two-sided');
});

test('a rate of 1 or 0 gets the exact one-sided bound on the independent tasks', () => {
  // 0.05^(1/26) = exp(-2.995732 / 26) = exp(-0.115220) = 0.89117; 0.05^(1/97) = exp(-0.030884) = 0.96959.
  const lower = interval(609, 609, Float64Array.of(1, 1), 26);
  assert.deepEqual({ ...lower, low: lower.low.toFixed(5) }, { low: '0.89117', high: 1, bound: 'lower' });
  const upper = interval(0, 2600, Float64Array.of(0, 0), 97);
  assert.deepEqual(
    { ...upper, high: upper.high.toFixed(5) },
    { low: 0, high: (1 - 0.96959).toFixed(5), bound: 'upper' },
  );
  // One task that came out right: a true rate of 5 % would still show that once in twenty.
  assert.deepEqual(interval(3, 3, Float64Array.of(1), 1), { low: 0.05, high: 1, bound: 'lower' });
});

test('tasks that all have the same rate in between get the exact bound on a task that is otherwise', () => {
  // One scenario, two of four repetitions. Up to 95 % of such scenarios may be otherwise: all failures 0.5 x 0.05, all
  // successes 1 - 0.5 x 0.05.
  const one = interval(2, 4, Float64Array.of(0.5, 0.5, 0.5), 1);
  assert.ok(close(one.low, 0.025) && close(one.high, 0.975), JSON.stringify(one));
  assert.equal(one.bound, 'two-sided');
});

test('nothing is known without a trial, a resample with a trial, or an independent task', () => {
  const vacuous = { low: 0, high: 1, bound: 'two-sided' };
  assert.deepEqual(interval(0, 0, Float64Array.of(Number.NaN), 0), vacuous);
  assert.deepEqual(interval(1, 2, Float64Array.of(Number.NaN, Number.NaN), 2), vacuous);
  assert.deepEqual(interval(1, 2, new Float64Array(0), 2), vacuous);
  assert.deepEqual(interval(2, 2, Float64Array.of(1), 0), { low: 0, high: 1, bound: 'lower' });
});

test('limits are ordered, within 0 and 1, and hold the observed rate', () => {
  fc.assert(
    fc.property(outcomes, fc.integer(), (grid, seed) => {
      const { k, n } = totals([grid]);
      const rates = bootstrapRates([grid], drawWeights([grid], 400, seed));
      const { low, high } = interval(k, n, rates, grid.columns);
      assert.ok(low >= 0 && low <= k / n && k / n <= high && high <= 1, `${low} ${k / n} ${high}`);
      assert.ok(low < high);
    }),
  );
});

test('counting failures instead of successes mirrors the interval', () => {
  fc.assert(
    fc.property(outcomes, fc.integer(), (grid, seed) => {
      const failures = { ...grid, k: grid.k.map((k) => 1 - k) };
      const weights = drawWeights([grid], 100, seed);
      const { k, n } = totals([grid]);
      const successes = interval(k, n, bootstrapRates([grid], weights), 5);
      const mirrored = interval(n - k, n, bootstrapRates([failures], weights), 5);
      assert.ok(close(successes.low, 1 - mirrored.high) && close(successes.high, 1 - mirrored.low));
    }),
  );
});

test('the bound draws closer with more independent tasks', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), (tasks) => {
      const none = new Float64Array(0);
      assert.ok(interval(9, 9, none, tasks).low < interval(9, 9, none, tasks + 1).low);
      assert.ok(interval(0, 9, none, tasks).high > interval(0, 9, none, tasks + 1).high);
    }),
  );
});

function close(left: number, right: number): boolean {
  return Math.abs(left - right) < 1e-12;
}
