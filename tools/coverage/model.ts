import type { Random } from '../../src/random.ts';
import type { Grid } from '../../src/stats/bootstrap.ts';
import type { Axes } from '../../src/stats/resample.ts';

/** What moves a cell's success on the logit scale; every effect is N(0, 1). */
export type Effects =
  /** One effect per row and one per column. Correlated only where rows and columns are the same tasks. */
  | { readonly kind: 'crossed'; readonly correlation: number }
  /** One effect per row, whose cells all come out alike: "own task intact" does not depend on the injection. */
  | { readonly kind: 'rows' };

/** One suite of a simulated figure. */
export interface Design extends Axes {
  /** Trials per cell, independent given the effects. */
  readonly n: Uint8Array;
}

/**
 * The intercept at which the mean success rate over all tasks there could be, not only those drawn, is `rate`. That mean,
 * of logistic(X) over a normal X, has no closed form; bisection inverts `meanLogistic`.
 */
export function interceptFor(rate: number, effects: Effects): number {
  const variance = effects.kind === 'rows' ? 1 : 2;
  let [low, high] = [-20, 20];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (meanLogistic(middle, variance) < rate) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * The mean of logistic(X) for a normal X, by the trapezoidal rule over eight standard deviations to either side in 400
 * steps.
 */
export function meanLogistic(mean: number, variance: number): number {
  let [sum, weights] = [0, 0];
  for (let step = -200; step <= 200; step++) {
    const z = step / 25;
    const weight = Math.exp((-z * z) / 2);
    sum += weight * logistic(mean + z * Math.sqrt(variance));
    weights += weight;
  }
  return sum / weights;
}

/** Draws tasks: for each cell of a suite, the probability that a gate's trial succeeds. */
export function drawProbabilities(design: Axes, intercept: number, effects: Effects, random: Random): Float64Array {
  const { rows, columns } = design;
  const rowEffects = normals(rows, random);
  const columnEffects = normals(columns, random);
  return Float64Array.from({ length: rows * columns }, (_, cell) => {
    const column = cell % columns;
    const rowEffect = rowEffects[Math.floor(cell / columns)] as number;
    if (effects.kind === 'rows') return logistic(intercept + rowEffect);
    const { correlation } = effects;
    const shared = correlation === 0 ? 0 : correlation * (rowEffects[column] as number);
    const own = Math.sqrt(1 - correlation ** 2) * (columnEffects[column] as number);
    return logistic(intercept + rowEffect + shared + own);
  });
}

/** Draws what a gate does with the tasks that were drawn. */
export function drawOutcomes(design: Design, probabilities: Float64Array, effects: Effects, random: Random): Grid {
  const { columns, n } = design;
  const k = new Uint8Array(n.length);
  probabilities.forEach((probability, cell) => {
    const alike = effects.kind === 'rows' && cell % columns > 0;
    k[cell] = alike ? (k[cell - 1] as number) : successes(n[cell] as number, probability, random);
  });
  return { ...design, k };
}

function successes(trials: number, probability: number, random: Random): number {
  let count = 0;
  for (let trial = 0; trial < trials; trial++) if (uniform(random) < probability) count++;
  return count;
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** Box and Muller's transform, one of its two values. */
function normals(count: number, random: Random): Float64Array {
  return Float64Array.from({ length: count }, () => {
    const radius = Math.sqrt(-2 * Math.log(1 - uniform(random)));
    return radius * Math.cos(2 * Math.PI * uniform(random));
  });
}

function uniform(random: Random): number {
  return random() / 0x1_0000_0000;
}
