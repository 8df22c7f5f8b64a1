import { type Corpus, loadCorpus } from './corpus.ts';
import { BenchError } from './errors.ts';
import { estimator } from './intervals.ts';
import { CORPUS_FILES, CORPUS_FILES_SHOWN } from './paths.ts';
import { batchFor, createPlan, type Order, type Untrusted } from './plan.ts';
import type { MeasuredTier } from './report.ts';
import { summarizeTier } from './summarize.ts';
import { deepFreeze, replay } from './thread/replay.mjs';
import { DEFAULT_TIERS, type Gate, type Tier } from './types.ts';

/** What `measureGate` measures; everything is optional. */
export interface MeasureGateOptions {
  /** Default: those that the gate lists. */
  readonly tiers?: readonly Tier[];
  /** Names of suites. Default: all. */
  readonly suites?: readonly string[];
  /** Default `after`. */
  readonly order?: Order;
  /** Default `measured`. */
  readonly untrusted?: Untrusted;
  /** Seeds the order of sessions and the resamples. Default 1. */
  readonly seed?: number;
  /** Bootstrap resamples for the intervals; default 0: none. */
  readonly resamples?: number;
  /** Sessions in flight at once. Default 1. */
  readonly concurrency?: number;
}

/**
 * Reads AgentDojo's ground truth, as it comes with the bench.
 * @throws {BenchError} `input` when the data is damaged
 */
export function bundledCorpus(): Corpus {
  return loadCorpus(CORPUS_FILES, CORPUS_FILES_SHOWN);
}

/**
 * Measures a gate in this process, for an author's own tests: the figures of the command line, without its containment (no
 * timeout, no memory bound). One entry a tier, loosest first; a call of the gate that fails is counted in `errors` and makes the figures that
 * rest on it null.
 * @throws {BenchError} `usage` for a tier that the gate does not list, or a suite that does not exist
 */
export async function measureGate(gate: Gate, options: MeasureGateOptions = {}): Promise<MeasuredTier[]> {
  const { order = 'after', untrusted = 'measured', seed = 1, resamples = 0, concurrency = 1 } = options;
  const offered = gate.tiers ?? DEFAULT_TIERS;
  const tiers = options.tiers ?? offered;
  const missing = tiers.find((tier) => !offered.includes(tier));
  if (missing !== undefined) throw new BenchError('usage', `${gate.name} does not list the tier ${missing}`);
  const corpus = bundledCorpus();
  const unknown = options.suites?.find((name) => !corpus.suites.some((suite) => suite.name === name));
  if (unknown !== undefined) throw new BenchError('usage', `no suite is called ${JSON.stringify(unknown)}`);
  const suites = corpus.suites.filter((suite) => options.suites?.includes(suite.name) ?? true);
  const plan = createPlan(corpus, suites, { order, untrusted, seed });
  const estimate = estimator(plan, resamples, seed);
  const measured: MeasuredTier[] = [];
  for (const tier of tiers) {
    const batch = batchFor(plan, tier);
    deepFreeze(batch.policies);
    deepFreeze(batch.actions);
    const verdicts = new Uint8Array(batch.steps.length);
    let errors = 0;
    let firstError: string | null = null;
    const timing = await replay(gate, batch, verdicts, new Int32Array(concurrency), {
      onError: (_, message) => {
        errors++;
        firstError ??= message;
      },
      onWarning: () => {},
      onNote: null,
    });
    const replayed = { verdicts, cutShort: null, errors, firstError, warning: null, timing, notes: [] };
    measured.push(summarizeTier(plan, tier, batch, replayed, estimate));
  }
  return measured;
}
