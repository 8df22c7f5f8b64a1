import type { Batch } from '../batch.ts';
import type { Action, Clause, PolicySpec, Tier } from '../types.ts';

/** What the bench tells a gate's thread. */
export type Request =
  | { readonly kind: 'load'; readonly url: string }
  | {
      readonly kind: 'replay';
      /** The gate's number, as `loaded` gave it. */
      readonly gate: number;
      /** The batch's number in this thread; the batch itself comes along the first time. */
      readonly batchId: number;
      readonly batch: Batch | null;
      /** Whether reasons and error messages of every check come back. */
      readonly detail: boolean;
    }
  /** A session whose checks are not known beforehand: opened, asked call by call, closed. */
  | { readonly kind: 'open'; readonly gate: number; readonly policy: PolicySpec }
  | { readonly kind: 'check'; readonly session: number; readonly action: Action }
  | { readonly kind: 'close'; readonly session: number };

/** What a gate's thread is started with: when it ends itself for the memory that the gate holds, and how. */
export interface HeapLimit {
  readonly heapBytes: number;
  readonly exitCode: number;
}

/** What every request carries: memory that both sides see, so that nothing is lost when the thread hangs or dies. */
export interface Envelope {
  readonly request: Request;
  /** Per check: a byte of `CHECK`. */
  readonly verdicts: SharedArrayBuffer;
  /** Per session in flight: a number that names the call under way and differs from the one before; 0: none. */
  readonly calls: SharedArrayBuffer;
}

/** What a gate's thread answers. */
export type Reply =
  | ({ readonly kind: 'loaded'; readonly gate: number } & GateInfo)
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'error'; readonly check: number | null; readonly message: string }
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'opened'; readonly session: number }
  /** `verdict`: a byte of `CHECK`; `note`: the reason, or the error. */
  | { readonly kind: 'checked'; readonly verdict: number; readonly note: string | null }
  | { readonly kind: 'closed' }
  /** The session could not be opened or closed. */
  | { readonly kind: 'failed'; readonly message: string }
  | {
      readonly kind: 'replayed';
      readonly timing: ReplayTiming;
      /** Checks that ended in an error, and sessions that could not be opened. */
      readonly errors: number;
      /** Per check, when asked for. */
      readonly notes: readonly (string | null)[];
    };

/** What an adapter says of itself. */
export interface GateInfo {
  readonly name: string;
  readonly tiers: readonly Tier[];
  readonly engine?: { readonly name: string; readonly version: string };
  readonly clauses?: { readonly [clause in Clause]?: 'native' | 'adapter' };
}

export interface ReplayTiming {
  /** Checks made. */
  readonly checks: number;
  /** Latencies of a sample of the checks, in microseconds, unordered. */
  readonly samplesUs: readonly number[];
  /** Wall-clock time of the whole replay, in milliseconds. */
  readonly totalMs: number;
}
