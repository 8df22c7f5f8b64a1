import type { Batch } from './batch.ts';
import { type Corpus, type CorpusFiles, loadAnyCorpus, loadCorpus, type Suite } from './corpus.ts';
import { BenchError } from './errors.ts';
import { estimator } from './intervals.ts';
import {
  MEASURE_OPTIONS,
  REPLAY_OPTIONS,
  requireChoice,
  requireCount,
  requireGate,
  requireOptions,
  requireTiers,
  tiersOf,
} from './library-guard.ts';
import { replayOf, type Replay, verdictsOf } from './library-replay.ts';
import { CORPUS_FILES, CORPUS_FILES_SHOWN } from './paths.ts';
import { batchesOf, createPlan, type Order, type Plan, type Untrusted } from './plan.ts';
import type { MeasuredTier } from './report.ts';
import { summarizeTier, summarizeTiming } from './summarize.ts';
import { deepFreeze, replay } from './thread/replay.mjs';
import type { ReplayTiming } from './thread/messages.ts';
import type { Action, Gate, PolicySpec, Tier, Verdict } from './types.ts';

/** What is replayed, and how; everything is optional. */
export interface ReplayGateOptions {
  /** Default: the corpus that comes with the bench. */
  readonly corpus?: Corpus;
  /** Names of suites. Default: all of the corpus. */
  readonly suites?: readonly string[];
  /** Default `after`. */
  readonly order?: Order;
  /** Default `measured`. */
  readonly untrusted?: Untrusted;
  /** Seeds the order of sessions, and the resamples; a whole number. Default 1. */
  readonly seed?: number;
  /** Sessions in flight at once, for gates that wait on something. Default 1. */
  readonly concurrency?: number;
}

/** What `measureGate` measures; everything is optional. */
export interface MeasureGateOptions extends ReplayGateOptions {
  /** Default: those that the gate lists. */
  readonly tiers?: readonly Tier[];
  /** Bootstrap resamples for the 95 % intervals; default 0: none. The command line takes 2,000. */
  readonly resamples?: number;
}

/** How a function decides: a verdict, or whether the action is allowed. */
export type Decide = (action: Action, policy: PolicySpec) => boolean | Verdict | Promise<boolean | Verdict>;

/**
 * Reads AgentDojo's ground truth, as it comes with the bench. The same object each time.
 * @throws {BenchError} `input` when the data is damaged
 */
export function bundledCorpus(): Corpus {
  bundled ??= loadCorpus(CORPUS_FILES, CORPUS_FILES_SHOWN);
  return bundled;
}
let bundled: Corpus | undefined;

/**
 * Reads a corpus of your own, every line of it checked.
 * @throws {BenchError} `input`, naming file, line and JSON path
 */
export function readCorpus(files: CorpusFiles): Corpus {
  return loadAnyCorpus(files);
}

/**
 * Makes a gate of a function that needs no state: it is asked action by action. A gate that counts needs `createSession` and the
 * tier `limits`. Never throws; what the function throws or rejects with later is a gate error.
 * @param tiers the tiers that it can express; default `effect`, `tool`, `target`
 */
export function wrapGate(name: string, decide: Decide, tiers: readonly Tier[] = ['effect', 'tool', 'target']): Gate {
  const asVerdict = (answer: boolean | Verdict): Verdict =>
    typeof answer === 'boolean' ? { allowed: answer } : answer;
  const check = (action: Action, policy: PolicySpec): Verdict | Promise<Verdict> => {
    const answer = decide(action, policy);
    return isPromise(answer) ? answer.then(asVerdict) : asVerdict(answer);
  };
  return { name, tiers, createSession: (policy) => ({ check: (action) => check(action, policy) }) };
}

/**
 * Replays every session of the ground truth through a gate at one tier, in this process, and keeps every verdict. There is no
 * timeout and no bound on memory: a gate that hangs hangs the caller. A call of the gate that fails is an `error`.
 * @throws {BenchError} `gate` for what is no gate; `usage` for a tier that it does not list, a suite that does not exist, or an
 * option that is unknown or out of range; `input` when the bundled data is damaged
 */
export async function replayGate(gate: Gate, tier: Tier, options: ReplayGateOptions = {}): Promise<Replay> {
  requireOptions(options, REPLAY_OPTIONS);
  const job = prepare(gate, [tier], options);
  const { batch, verdicts, timing, ...errors } = await run(gate, job, tier);
  return replayOf(gate.name, job.corpus, job.plan, tier, batch, verdicts, {
    ...errors,
    timing: summarizeTiming(timing),
  });
}

/**
 * The figures of a replay, by the definitions in docs/methodology.md. A function of the verdicts alone: of the same replay, the
 * same figures.
 * @param resamples bootstrap resamples for the 95 % intervals; 0: none
 * @throws {BenchError} `usage` for resamples out of range; `input` when the sessions are not those of the replay's corpus and options
 */
export function scoreReplay(replayed: Replay, resamples = 0): MeasuredTier {
  requireCount('resamples', resamples, 0);
  const { corpus, tier, errors, firstError, timing } = replayed;
  const plan = createPlan(corpus, suitesOf(corpus, replayed.suites), replayed);
  const batch = batchesOf(plan)(tier);
  const verdicts = verdictsOf(replayed, plan, batch);
  const raw = { verdicts, cutShort: null, errors, firstError, warning: null, timing: null, notes: [] };
  return { ...summarizeTier(plan, tier, batch, raw, estimator(plan, resamples, replayed.seed)), timing };
}

/**
 * Measures a gate in this process, for an author's own tests: the figures of the command line, without its containment (no
 * timeout, no memory bound). One entry a tier, in the order asked for; a call of the gate that fails is counted in `errors` and
 * makes the figures that rest on it null.
 * @throws {BenchError} as `replayGate` does, and `usage` for an empty list of tiers
 */
export async function measureGate(gate: Gate, options: MeasureGateOptions = {}): Promise<MeasuredTier[]> {
  const { resamples = 0 } = options;
  requireOptions(options, MEASURE_OPTIONS);
  requireCount('resamples', resamples, 0);
  requireTiers(options.tiers);
  const tiers = options.tiers ?? tiersOf(requireGate(gate));
  const job = prepare(gate, tiers, options);
  const estimate = estimator(job.plan, resamples, job.plan.options.seed);
  const measured: MeasuredTier[] = [];
  for (const tier of tiers) {
    const { batch, ...came } = await run(gate, job, tier);
    measured.push(
      summarizeTier(job.plan, tier, batch, { ...came, cutShort: null, warning: null, notes: [] }, estimate),
    );
  }
  return measured;
}

function isPromise<T>(answer: T | Promise<T>): answer is Promise<T> {
  return typeof (answer as Partial<Promise<T>> | null)?.then === 'function';
}

interface Job {
  readonly corpus: Corpus;
  readonly plan: Plan;
  readonly batchOf: (tier: Tier) => Batch;
  readonly concurrency: number;
}

/** Checks what the caller gave, and lays out what is replayed. */
function prepare(gate: Gate, tiers: readonly Tier[], options: ReplayGateOptions): Job {
  const { order = 'after', untrusted = 'measured', seed = 1, concurrency = 1 } = options;
  const offered = tiersOf(requireGate(gate));
  const missing = tiers.find((tier) => !offered.includes(tier));
  if (missing !== undefined) throw new BenchError('usage', `${gate.name} does not list the tier ${missing}`);
  requireChoice('order', order, ['after', 'exposure']);
  requireChoice('untrusted', untrusted, ['measured', 'all-reads']);
  requireCount('seed', seed, 0);
  requireCount('concurrency', concurrency, 1);
  const corpus = options.corpus ?? bundledCorpus();
  const plan = createPlan(corpus, suitesOf(corpus, options.suites), { order, untrusted, seed });
  return { corpus, plan, batchOf: batchesOf(plan), concurrency };
}

/** The named suites, in the order of the corpus. */
export function suitesOf({ suites }: Corpus, names?: readonly string[]): readonly Suite[] {
  if (names === undefined) return suites;
  const unknown = names.find((name) => !suites.some((suite) => suite.name === name));
  if (unknown !== undefined) throw new BenchError('usage', `no suite is called ${JSON.stringify(unknown)}`);
  if (names.length === 0) throw new BenchError('usage', 'suites: the list is empty; leave it out for all of them');
  return suites.filter((suite) => names.includes(suite.name));
}

interface Ran {
  readonly batch: Batch;
  readonly verdicts: Uint8Array;
  readonly errors: number;
  readonly firstError: string | null;
  readonly timing: ReplayTiming;
}

async function run(gate: Gate, { batchOf, concurrency }: Job, tier: Tier): Promise<Ran> {
  const batch = batchOf(tier);
  deepFreeze(batch.policies);
  deepFreeze(batch.actions);
  const verdicts = new Uint8Array(batch.steps.length);
  let errors = 0;
  let firstError: string | null = null;
  const timing = await replay(gate, batch, verdicts, new Int32Array(Math.min(concurrency, batch.order.length)), {
    onError: (_, message) => {
      errors++;
      firstError ??= message;
    },
    onWarning: () => {},
    onNote: null,
  });
  return { batch, verdicts, errors, firstError, timing };
}
