import { below, seededRandom } from '../random.ts';
import type { Random } from '../random.ts';

/** Which axes are resampled: both (the two-way, "pigeonhole" bootstrap), or one alone with the other held as it is. */
export type Resampled = 'both' | 'rows' | 'columns';

/** The size of one suite's grid of outcomes. Leave excluded tasks out: a task that is in no figure must not be drawn. */
export interface Axes {
  /** User tasks, policy tasks or clusters. */
  readonly rows: number;
  /** Injection tasks or replayed tasks; 1 for clusters. */
  readonly columns: number;
}

/**
 * How often each row and each column of one suite was drawn. Row i in resample r is at `rowWeights[i * resamples + r]`,
 * column j at `columnWeights[j * resamples + r]`. In every resample the weights of an axis add up to its size.
 */
export interface SuiteWeights extends Axes {
  readonly resamples: number;
  readonly rowWeights: Uint8Array;
  readonly columnWeights: Uint8Array;
}

/**
 * The weights of every suite of a run. Figures that are to be compared must use the same ones; the weights of a single
 * suite serve that suite's own figures.
 */
export type Weights = readonly SuiteWeights[];

/**
 * Draws the resamples of a run: in each, every axis of every suite is drawn with replacement, independently of the
 * others, to its own size (Owen, "The pigeonhole bootstrap", Annals of Applied Statistics 1(2), 2007). They depend on
 * the arguments alone, never on outcomes, which is what pairs gates, tiers and reports with one another.
 */
export function drawWeights(
  suites: readonly Axes[],
  resamples: number,
  seed: number,
  resampled: Resampled = 'both',
): Weights {
  const random = seededRandom(seed);
  return suites.map(({ rows, columns }) => ({
    rows,
    columns,
    resamples,
    rowWeights: resampled === 'columns' ? once(rows, resamples) : drawAxis(rows, resamples, random),
    columnWeights: resampled === 'rows' ? once(columns, resamples) : drawAxis(columns, resamples, random),
  }));
}

function drawAxis(size: number, resamples: number, random: Random): Uint8Array {
  const weights = new Uint8Array(size * resamples);
  for (let resample = 0; resample < resamples; resample++) {
    for (let draw = 0; draw < size; draw++) {
      const at = below(random, size) * resamples + resample;
      weights[at] = (weights[at] as number) + 1;
    }
  }
  return weights;
}

function once(size: number, resamples: number): Uint8Array {
  return new Uint8Array(size * resamples).fill(1);
}
