import { seededRandom } from '../../src/random.ts';
import type { Grid } from '../../src/stats/bootstrap.ts';
import { pairedDifference } from '../../src/stats/difference.ts';
import { drawWeights } from '../../src/stats/resample.ts';
import { prepare } from './methods.ts';
import type { Method } from './methods.ts';
import { drawOutcomes, drawProbabilities, interceptFor } from './model.ts';
import type { Scenario } from './scenarios.ts';

/** How a simulation is run; everything that comes out depends on these and the scenario alone. */
export interface Settings {
  readonly seed: number;
  readonly repetitions: number;
  readonly resamples: number;
}

/** How one method did in one scenario at one true rate; shares of the repetitions, from 0 to 1. */
export interface Coverage {
  readonly covered: number;
  /** The interval lay above the true rate. */
  readonly above: number;
  /** The interval lay below the true rate. */
  readonly below: number;
  readonly meanWidth: number;
}

/** Draws tasks and outcomes again and again, and counts how often each method's interval holds the true rate. */
export function simulateCoverage(scenario: Scenario, rate: number, settings: Settings): Map<Method, Coverage> {
  const { seed, repetitions, resamples } = settings;
  const { designs, methods, independentTasks } = scenario;
  const draw = outcomesOf(scenario, rate, seed);
  const tallies = methods.map((method) => ({
    method,
    intervalOf: prepare(method, designs, resamples, seed, independentTasks),
    above: 0,
    below: 0,
    width: 0,
  }));
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const [grids] = draw(1) as [Grid[]];
    for (const tally of tallies) {
      const { low, high } = tally.intervalOf(grids);
      if (low > rate) tally.above++;
      if (high < rate) tally.below++;
      tally.width += high - low;
    }
  }
  return new Map(
    tallies.map(({ method, above, below, width }) => [
      method,
      {
        covered: 1 - (above + below) / repetitions,
        above: above / repetitions,
        below: below / repetitions,
        meanWidth: width / repetitions,
      },
    ]),
  );
}

/** How often two gates that differ by chance alone, with the same probability in every cell, are told apart. */
export function falseVerdicts(scenario: Scenario, rate: number, settings: Settings): number {
  const { seed, repetitions, resamples } = settings;
  const weights = drawWeights(scenario.designs, resamples, seed);
  const draw = outcomesOf(scenario, rate, seed);
  let told = 0;
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const [base, head] = draw(2) as [Grid[], Grid[]];
    const { verdict } = pairedDifference(base, head, weights);
    if (verdict === 'better' || verdict === 'worse') told++;
  }
  return told / repetitions;
}

/** Each call draws new tasks, and on them the outcomes of so many gates. */
function outcomesOf({ designs, effects }: Scenario, rate: number, seed: number): (gates: number) => Grid[][] {
  const intercept = interceptFor(rate, effects);
  // A stream of its own for every line of a table, none of them the one that the weights come from.
  const random = seededRandom(seed + Math.round(rate * 1000));
  return (gates) => {
    const probabilities = designs.map((design) => drawProbabilities(design, intercept, effects, random));
    return Array.from({ length: gates }, () =>
      designs.map((design, suite) => drawOutcomes(design, probabilities[suite] as Float64Array, effects, random)),
    );
  };
}
