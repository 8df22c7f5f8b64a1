import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../src/random.ts';
import { breadthCorrelation, readSuites } from '../tools/coverage/corpus.ts';
import { drawOutcomes, drawProbabilities, interceptFor, meanLogistic } from '../tools/coverage/model.ts';
import type { Effects } from '../tools/coverage/model.ts';
import { pooledFigures } from '../tools/coverage/scenarios.ts';
import type { Scenario } from '../tools/coverage/scenarios.ts';
import { falseVerdicts, simulateCoverage } from '../tools/coverage/simulate.ts';

const suites = readSuites(new URL('../data/ground_truth.jsonl', import.meta.url));
const figures = pooledFigures(suites);
const settings = { seed: 1, repetitions: 150, resamples: 500 };

test('the simulated grids are the sizes of the four figures', () => {
  const trials = figures.map(({ designs }) => designs.flatMap(({ n }) => [...n]).reduce((sum, n) => sum + n, 0));
  assert.deepEqual(trials, [609, 1105, 609, 2600]);
  assert.deepEqual(
    figures.map(({ independentTasks }) => independentTasks),
    [26, 26, 97, 97],
  );
});

test('the mean of logistic(X) agrees with an independent quadrature', () => {
  // Simpson's rule with 200,000 steps over 12 standard deviations to either side.
  assert.ok(Math.abs(meanLogistic(1, 2) - 0.6750567023375) < 1e-10);
  assert.ok(Math.abs(meanLogistic(3, 1) - 0.930676141995657) < 1e-10);
  assert.ok(Math.abs(meanLogistic(0, 2) - 0.5) < 1e-12);
});

test('simulated outcomes have the rate that was asked for', () => {
  const axes = { rows: 2000, columns: 40 };
  for (const effects of [{ kind: 'crossed', correlation: 0 }, { kind: 'rows' }] satisfies Effects[]) {
    const probabilities = drawProbabilities(axes, interceptFor(0.9, effects), effects, seededRandom(1));
    const design = { ...axes, n: new Uint8Array(probabilities.length).fill(1) };
    const { k } = drawOutcomes(design, probabilities, effects, seededRandom(2));
    const rate = Array.from(k).reduce((sum, value) => sum + value, 0) / k.length;
    // 40 column effects leave a standard error of about 0.012, 2,000 shared outcomes one of 0.007.
    assert.ok(Math.abs(rate - 0.9) < 0.04, `${effects.kind}: ${rate}`);
  }
});

test('two-way intervals cover about 95 %, the others far less', () => {
  // 150 repetitions give 95 % with a standard error of 1.8 points: 90 % is almost three below.
  const methods = simulateCoverage(figures[0] as Scenario, 0.7, settings);
  const covered = (method: Parameters<typeof methods.get>[0]): number => methods.get(method)?.covered ?? Number.NaN;
  assert.ok(covered('two-way') >= 0.9, `two-way: ${covered('two-way')}`);
  for (const method of ['rows only', 'columns only', 'binomial'] as const) {
    assert.ok(covered(method) < covered('two-way'), `${method}: ${covered(method)}`);
  }
  assert.ok(covered('binomial') < 0.8, `binomial: ${covered('binomial')}`);
});

test('two gates that differ by chance alone are seldom told apart', () => {
  // 5 % of 150 is 7.5, give or take 2.7.
  const share = falseVerdicts(figures[0] as Scenario, 0.7, settings);
  assert.ok(share <= 0.1, `told apart: ${share}`);
});

test('a task that needs more permits more', () => {
  // Worked out apart, from the rates of the 1,652 and 270 of 2,600 ordered pairs that exact enforcement permits.
  assert.equal(breadthCorrelation(suites, 'effect').toFixed(4), '-0.6400');
  assert.equal(breadthCorrelation(suites, 'type').toFixed(4), '-0.1601');
  const users = [['a'], ['a', 'b'], ['a', 'b', 'c']].map((tools) => tools.map((type) => ({ type, effect: 'read' })));
  // As policies they permit 0, 1 and 2 of the others, as replayed tasks they are permitted by 2, 1 and 0.
  assert.equal(breadthCorrelation([{ suite: 's', injectedActions: [], users }], 'type').toFixed(9), '-1.000000000');
});
