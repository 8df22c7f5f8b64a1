import { type Batch } from '../batch.ts';
import type { Corpus } from '../corpus.ts';
import { BenchError } from '../errors.ts';
import type { OpenGate, Replayed } from '../gate.ts';
import type { FoundGate } from '../gate-lookup.ts';
import type { ThreadOptions } from '../gate-thread.ts';
import type { MeasureEvents } from '../measure.ts';
import { openFound } from '../open-found.ts';
import { batchFor, createPlan, type Plan } from '../plan.ts';
import { seededRandom, shuffledIndices } from '../random.ts';
import type { GateReport, OutcomeBits } from '../report.ts';
import type { Tier } from '../types.ts';
import { collectProbes } from './collect.ts';
import { createFaithfulTally, type FaithfulTally } from './faithful.ts';
import type { FlagReport, ProbeReport } from './findings.ts';
import { agreeing, type AloneBatch, createAloneBatch, differenceOf, positionDifference } from './honest.ts';
import { type FreshProcess, measureInFreshProcess } from './fresh-process.ts';
import { outcomeDifference } from './outcome-difference.ts';
import { createProbeBatch, type ProbeBatch } from './probe-batch.ts';
import { renameCorpus } from './rename.ts';
import type { ProbeClass } from './types.ts';

/** What every gate of a run is asked, made once a tier. */
export interface ProbePlan {
  readonly plan: Plan;
  readonly seed: number;
  readonly probes: (tier: Tier) => ProbeBatch;
  /** Those of the classes with a memory, for sessions that overlap. */
  readonly overlapping: (tier: Tier) => ProbeBatch;
  readonly whole: (tier: Tier) => Batch;
  /** The same sessions in another order. */
  readonly reordered: (tier: Tier) => Batch;
  readonly alone: (tier: Tier) => AloneBatch;
  readonly renamed: (tier: Tier) => Batch;
}

const WITH_MEMORY: ReadonlySet<ProbeClass> = new Set(['limit', 'denied-call', 'taint', 'session-state']);
/** Sessions in flight where overlap is tried; it shows in gates that wait. */
const OVERLAP = 8;

/** @param seed draws the two orders and the other names */
export function createProbePlan(corpus: Corpus, seed: number): ProbePlan {
  const options = { order: 'after', untrusted: 'measured', seed } as const;
  const plan: Plan = createPlan(corpus, corpus.suites, options);
  const other = renameCorpus(corpus, seed);
  const otherPlan = createPlan(other, other.suites, options);
  const probes = perTier((tier) => createProbeBatch(collectProbes(corpus, tier)));
  const whole = perTier((tier) => batchFor(plan, tier));
  return {
    plan,
    seed,
    probes,
    overlapping: perTier((tier) =>
      createProbeBatch(probes(tier).probes.filter((probe) => WITH_MEMORY.has(probe.class))),
    ),
    whole,
    reordered: perTier((tier) => {
      const batch = whole(tier);
      return { ...batch, order: shuffledIndices(batch.order.length, seededRandom(seed + 1)) };
    }),
    alone: perTier((tier) => createAloneBatch(plan, whole(tier))),
    renamed: perTier((tier) => batchFor(otherPlan, tier)),
  };
}

function perTier<T>(make: (tier: Tier) => T): (tier: Tier) => T {
  const made = new Map<Tier, T>();
  return (tier) => {
    if (!made.has(tier)) made.set(tier, make(tier));
    return made.get(tier)!;
  };
}

/** What bounds the gate, and who watches. */
export interface ProbeOptions extends ThreadOptions {
  /** Told now and then how far a tier's batch is; there are several batches a tier. */
  readonly onProgress?: MeasureEvents['onProgress'];
}

/**
 * Probes one gate at every tier that it offers. Three threads follow one another, each with a fresh registry of modules;
 * the second and the third find on disk what the first left there, and so does a process that measures beside them.
 * @throws {BenchError} `gate` when the adapter cannot be loaded
 */
export async function probeGate(plan: ProbePlan, found: FoundGate, options: ProbeOptions): Promise<Probed> {
  const inThread = async <T>(work: (gate: OpenGate) => Promise<T>): Promise<T> => {
    const gate = await openFound(found, options);
    try {
      return await work(gate);
    } finally {
      await gate.close();
    }
  };
  const tally = createFaithfulTally();
  const firstErrors: string[] = [];
  const unchecked: string[] = [];
  const ask = async (gate: OpenGate, tier: Tier, batch: Batch, concurrency?: number): Promise<Replayed> => {
    const replayed = await gate.replay(batch, {
      ...(concurrency !== undefined && { concurrency }),
      onProgress: (done, total) => options.onProgress?.(gate.info.name, tier, done, total),
    });
    if (replayed.firstError !== null) firstErrors.push(`${tier}: ${replayed.firstError}`);
    if (replayed.cutShort !== null) unchecked.push(`${tier}: ${replayed.cutShort}`);
    return replayed;
  };
  const replay = async (gate: OpenGate, tier: Tier, batch: Batch): Promise<Uint8Array | undefined> => {
    const { cutShort, verdicts } = await ask(gate, tier, batch);
    return cutShort === null ? verdicts : undefined;
  };
  const first = await inThread(async (gate) => {
    const runs = new Map<Tier, { whole: Uint8Array; again: Uint8Array }>();
    for (const tier of gate.info.tiers) {
      const whole = await replay(gate, tier, plan.whole(tier));
      const again = whole && (await replay(gate, tier, plan.reordered(tier)));
      if (whole && again) runs.set(tier, { whole, again });
    }
    for (const tier of runs.keys()) await probeTier(plan, gate, tier, tally, ask);
    return { name: gate.info.name, runs };
  });
  const tiers = [...first.runs.keys()];
  const ownProcess = tiers.length === 0 ? null : measureInFreshProcess(found, tiers, plan.seed, options);
  const second = await inThread(async (gate) => {
    const runs = new Map<Tier, { whole?: Uint8Array | undefined; alone?: Uint8Array | undefined }>();
    for (const tier of tiers) {
      const whole = await replay(gate, tier, plan.whole(tier));
      runs.set(tier, { whole, alone: whole && (await replay(gate, tier, plan.alone(tier).batch)) });
    }
    return runs;
  });
  const third = await inThread(async (gate) => {
    const runs = new Map<Tier, Uint8Array | undefined>();
    for (const tier of tiers) runs.set(tier, await replay(gate, tier, plan.renamed(tier)));
    return runs;
  });
  const measured: FreshProcess = (await ownProcess) ?? { outcomes: new Map(), unchecked: [] };
  unchecked.push(...measured.unchecked);
  const flags = tiers.flatMap((tier) => {
    const { whole: fresh, alone } = second.get(tier)!;
    const outcomes = measured.outcomes.get(tier);
    return flagsOf(plan, tier, { ...first.runs.get(tier)!, fresh, outcomes, alone, renamed: third.get(tier) });
  });
  return { name: first.name, report: summarize(tally, flags, firstErrors[0] ?? null, unchecked) };
}

/** A gate's own name, and what was found. */
export interface Probed {
  readonly name: string;
  readonly report: ProbeReport;
}

type Ask = (gate: OpenGate, tier: Tier, batch: Batch, concurrency?: number) => Promise<Replayed>;

/** What a gate answered before it hung counts as well; after that, overlap is not tried. */
async function probeTier(plan: ProbePlan, gate: OpenGate, tier: Tier, tally: FaithfulTally, ask: Ask): Promise<void> {
  const probes = plan.probes(tier);
  const { verdicts, cutShort } = await ask(gate, tier, probes.batch, 1);
  tally.add(tier, probes, verdicts, { cut: cutShort !== null });
  if (cutShort !== null) return;
  const overlapping = plan.overlapping(tier);
  const overlapped = await ask(gate, tier, overlapping.batch, OVERLAP);
  tally.add(tier, overlapping, overlapped.verdicts, { again: true });
}

/** A gate's report with its `probe` member; without, where the adapter did not load a second time. */
export async function withProbe(
  plan: ProbePlan,
  gate: FoundGate,
  report: GateReport,
  options: ProbeOptions,
): Promise<GateReport> {
  try {
    const { report: probe } = await probeGate(plan, gate, options);
    const { tiers, ...rest } = report;
    return { ...rest, probe, tiers };
  } catch (error) {
    if (!(error instanceof BenchError) || error.code !== 'gate') throw error;
    return options.signal?.aborted ? report : { ...report, failed: error.message };
  }
}

interface Runs {
  /** The first replay, and the next in the same thread, in another order. */
  readonly whole: Uint8Array;
  readonly again: Uint8Array;
  /** The first replay once more, in a fresh thread. */
  readonly fresh: Uint8Array | undefined;
  /** The same sessions, measured by a fresh process. */
  readonly outcomes: OutcomeBits | undefined;
  readonly alone: Uint8Array | undefined;
  readonly renamed: Uint8Array | undefined;
}

/** Position and names are compared where the gate agrees with itself, so that a wavering gate is not accused of more. */
function flagsOf(plan: ProbePlan, tier: Tier, { whole, again, fresh, outcomes, alone, renamed }: Runs): FlagReport[] {
  const batch = plan.whole(tier);
  const stable = agreeing(whole, again, ...(fresh ? [fresh] : []));
  return [
    differenceOf('order-dependent', tier, batch, whole, again),
    (fresh && differenceOf('process-dependent', tier, batch, whole, fresh)) ??
      (outcomes && outcomeDifference(plan.plan, tier, batch, whole, outcomes)),
    alone && positionDifference(tier, plan.alone(tier), alone, { batch, verdicts: whole }, stable),
    renamed && differenceOf('corpus-dependent', tier, batch, whole, renamed, stable),
  ].filter((flag) => flag !== undefined);
}

function summarize(
  tally: FaithfulTally,
  flags: readonly FlagReport[],
  firstError: string | null,
  unchecked: readonly string[],
): ProbeReport {
  const classes = tally.classes();
  const sum = (of: 'probes' | 'leaks' | 'lenient' | 'refused' | 'errors'): number =>
    classes.reduce((total, report) => total + report[of], 0);
  return {
    probes: sum('probes'),
    leaks: sum('leaks'),
    lenient: sum('lenient'),
    refused: sum('refused'),
    errors: sum('errors'),
    firstError,
    flags,
    classes,
    unchecked,
  };
}
