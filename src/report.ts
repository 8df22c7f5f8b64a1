import type { ProbeReport } from './probe/findings.ts';
import type { Figure, ToolCounts } from './score.ts';
import type { Order, Untrusted } from './plan.ts';
import type { GateInfo } from './thread/messages.ts';
import type { Tier } from './types.ts';

export const REPORT_SCHEMA = 'toolgate-bench/report@1';

/** A rate with its interval. Without an interval (`--resamples 0`) `low`, `high` and `bound` are absent. */
export interface Statistic {
  /** Null where a session that the figure rests on is void. */
  readonly k: number | null;
  readonly n: number;
  /** `k / n`; null where k is, and where n is 0. */
  readonly rate: number | null;
  readonly low?: number;
  readonly high?: number;
  /** `two-sided`: 95 % by the two-way bootstrap; `upper`, `lower`: the exact one-sided 95 % bound of a rate of 0 or 1. */
  readonly bound?: 'two-sided' | 'upper' | 'lower';
}

export type Figures = { readonly [figure in Figure]: Statistic };

/** A sample of the gate's latencies; wall-clock times of a machine that may be shared. */
export interface Timing {
  /** Checks made. */
  readonly checks: number;
  readonly p50Us: number | null;
  readonly p99Us: number | null;
  readonly totalMs: number;
}

/** Bit sets in corpus order, as base64; null where an item is void. */
export interface OutcomeBits {
  readonly stopped: string | null;
  readonly blocked: string | null;
  readonly own: string | null;
  readonly cross: string | null;
}

/** One gate at one tier: measured, or not and why. */
export type TierReport = MeasuredTier | NotMeasured;

/** Why there is nothing: the gate does not offer the tier, or the run was interrupted. */
export interface NotMeasured {
  readonly tier: Tier;
  readonly na: string;
}

export interface MeasuredTier extends Figures {
  readonly tier: Tier;
  readonly errors: number;
  readonly firstError: string | null;
  /** Null where the tier was cut short. */
  readonly timing: Timing | null;
  readonly outcomes: OutcomeBits;
  readonly suites: { readonly [suite: string]: Figures };
  readonly tools: { readonly [tool: string]: ToolCounts };
}

/** One gate at every tier asked for; `T` is what a measured tier holds. */
export interface GateReport<T = MeasuredTier> extends GateInfoReport {
  readonly file: string;
  /** Whether it is one of the controls that ship with the bench. */
  readonly control: boolean;
  /** Why the adapter could not be loaded; `tiers` is empty then. */
  readonly failed?: string;
  /** Whether it is faithful and honest; with `--probe`, and not of a control. */
  readonly probe?: ProbeReport;
  readonly tiers: readonly (T | NotMeasured)[];
}

type GateInfoReport = Omit<GateInfo, 'tiers'>;

/** What was measured, on what, and how: the primary artefact, from which every other format is rendered. */
export interface Report {
  readonly schema: typeof REPORT_SCHEMA;
  readonly kind: 'ground-truth';
  /** The command line that reproduces the report, its words quoted for a shell; without what only says where output goes. */
  readonly command: string;
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
  readonly suites: readonly string[];
  readonly order: Order;
  readonly untrusted: Untrusted;
  readonly seed: number;
  readonly resamples: number;
  /** What may differ between two runs of the same measurement. */
  readonly environment: {
    readonly bench: string;
    readonly node: string;
    readonly platform: string;
    readonly cpu: string;
  };
  readonly gates: readonly GateReport[];
}

/** Tells a measured tier from one that is n/a. */
export function isMeasured<T extends object>(tier: T | NotMeasured): tier is T {
  return !('na' in tier);
}
