import type { ProbeReport } from './findings.ts';

export const PROBE_SCHEMA = 'toolgate-bench/probe@1';

/** What `probe` prints: what was asked of which gates, and what came out. */
export interface ProbeRun {
  readonly schema: typeof PROBE_SCHEMA;
  readonly kind: 'probe';
  readonly corpus: {
    readonly id: string;
    readonly version: string;
    readonly sha256: string;
    readonly toolsSha256: string;
  };
  /** Draws the orders and the other names. */
  readonly seed: number;
  /** What may differ between two runs of the same probe. */
  readonly environment: { readonly bench: string; readonly node: string; readonly platform: string };
  readonly gates: readonly ProbedGate[];
}

/** A gate with its findings, or with why it could not be loaded. */
export interface ProbedGate {
  readonly name: string;
  /** As typed. */
  readonly file: string;
  readonly failed?: string;
  readonly probe?: ProbeReport;
}
