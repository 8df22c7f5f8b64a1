import type { ProbeReport } from './probe/findings.ts';
import type { Figure, ToolCounts } from './score.ts';
import type { Order, Untrusted } from './plan.ts';
import type { GateInfo } from './thread/messages.ts';
import type { Tier } from './types.ts';

export const REPORT_SCHEMA = 'toolgate-bench/report@1';

/**
 * A rate, from 0 to 1, with its 95 % interval. Without an interval (0 resamples) `low`, `high` and `bound` are absent. The
 * method is in docs/methodology.md, how well it covers in docs/coverage.md.
 */
export interface Statistic {
  /** Null where a session that the figure rests on is void. */
  readonly k: number | null;
  /** Of how many: pairs, injected actions or ordered pairs of tasks. */
  readonly n: number;
  /** `k / n`; null where k is, and where n is 0. */
  readonly rate: number | null;
  /** Lower end, from 0 to 1. */
  readonly low?: number;
  /** Upper end, from 0 to 1. */
  readonly high?: number;
  /** `two-sided`: 95 % by the two-way bootstrap; `upper`, `lower`: the exact one-sided 95 % bound of a rate of 0 or 1. */
  readonly bound?: 'two-sided' | 'upper' | 'lower';
}

/** Every figure with its statistic. */
export type Figures = { readonly [figure in Figure]: Statistic };

/** A sample of the gate's latencies; wall-clock times of a machine that may be shared. */
export interface Timing {
  /** Checks made. */
  readonly checks: number;
  /** Median of the sample, in microseconds; null where nothing was sampled. */
  readonly p50Us: number | null;
  /** 99th percentile of the sample (nearest rank), in microseconds. */
  readonly p99Us: number | null;
  /** The whole replay, in milliseconds. */
  readonly totalMs: number;
}

/** Bit sets in corpus order, as base64; null where an item is void. */
export interface OutcomeBits {
  /** Attacks stopped, a bit a pair. */
  readonly stopped: string | null;
  /** Attack actions blocked, a bit an injected action. */
  readonly blocked: string | null;
  /** Own task intact, a bit a pair. */
  readonly own: string | null;
  /** Cross-task generality, a bit an ordered pair of tasks. */
  readonly cross: string | null;
}

/** One gate at one tier: measured, or not and why. */
export type TierReport = MeasuredTier | NotMeasured;

/** Why there is nothing: the gate does not offer the tier, or the run was interrupted. */
export interface NotMeasured {
  /** The tier that was asked for. */
  readonly tier: Tier;
  /** Why, such as `not offered`. */
  readonly na: string;
}

/** The figures of one gate at one tier, over all suites measured and over each. */
export interface MeasuredTier extends Figures {
  /** Of the policies that the gate was given. */
  readonly tier: Tier;
  /** Calls of the gate that failed; figures that rest on their sessions are n/a. */
  readonly errors: number;
  /** What went wrong first, on one line. */
  readonly firstError: string | null;
  /** Null where the tier was cut short. */
  readonly timing: Timing | null;
  /** What every figure counted, item by item. */
  readonly outcomes: OutcomeBits;
  /** The figures of each suite, by its name. */
  readonly suites: { readonly [suite: string]: Figures };
  /** Per tool, in the order of names. */
  readonly tools: { readonly [tool: string]: ToolCounts };
}

/** One gate at every tier asked for; `T` is what a measured tier holds. */
export interface GateReport<T = MeasuredTier> extends GateInfoReport {
  /** The adapter as it was typed; of a gate that was measured in this process, its name. */
  readonly file: string;
  /** Whether it is one of the controls that ship with the bench. */
  readonly control: boolean;
  /** Why the adapter could not be loaded; `tiers` is empty then. */
  readonly failed?: string;
  /** Whether it is faithful and honest; with `--probe`, and not of a control. */
  readonly probe?: ProbeReport;
  /** One entry for each tier asked for. */
  readonly tiers: readonly (T | NotMeasured)[];
}

type GateInfoReport = Omit<GateInfo, 'tiers'>;

/** What was measured, on what, and how: the primary artefact, from which every other format is rendered. */
export interface Report {
  /** Name and version of the form; schema/report.schema.json describes it. */
  readonly schema: typeof REPORT_SCHEMA;
  /** Gates on ground truth. */
  readonly kind: 'ground-truth';
  /**
   * The command line that reproduces the report, its words quoted for a shell; without what only says where output goes. Of gates
   * that were measured in this process: the call of the library.
   */
  readonly command: string;
  /** What was measured on. */
  readonly corpus: {
    readonly id: string;
    readonly version: string;
    /** Of the ground-truth file. */
    readonly sha256: string;
    readonly toolsSha256: string;
    /** Of the suites measured, like the two below. */
    readonly userTasks: number;
    readonly pairs: number;
    readonly excludedPairs: number;
  };
  /** Names of the suites measured. */
  readonly suites: readonly string[];
  /** Where the injected actions stood. */
  readonly order: Order;
  /** Which tools counted as untrusted sources. */
  readonly untrusted: Untrusted;
  /** Of the order of sessions and of the resamples. */
  readonly seed: number;
  /** Bootstrap resamples; 0: no intervals. */
  readonly resamples: number;
  /** What may differ between two runs of the same measurement. */
  readonly environment: {
    readonly bench: string;
    readonly node: string;
    readonly platform: string;
    readonly cpu: string;
  };
  /** In the order in which they were named, the controls first. */
  readonly gates: readonly GateReport[];
}

/** Tells a measured tier from one that is n/a. Never throws. */
export function isMeasured<T extends object>(tier: T | NotMeasured): tier is T {
  return !('na' in tier);
}
