export { BenchError } from './errors.ts';
export { bundledCorpus, measureGate } from './library.ts';
export { policyFor } from './policy.ts';
export { CLAUSES, DEFAULT_TIERS, EFFECTS, ORIGINS, TIERS } from './types.ts';

export type {
  Corpus,
  CorpusCounts,
  CorpusHeader,
  GroundTruthAction,
  InjectionTask,
  Suite,
  UserTask,
} from './corpus.ts';
export type { BenchErrorCode } from './errors.ts';
export type { MeasureGateOptions } from './library.ts';
export type { Order, Untrusted } from './plan.ts';
export type { Figures, MeasuredTier, OutcomeBits, Statistic, Timing } from './report.ts';
export type { Count, Figure, ToolCounts } from './score.ts';
export type { Tool, ToolTable } from './tools-table.ts';
export type {
  Action,
  Clause,
  Effect,
  Gate,
  Limits,
  Origin,
  PolicySpec,
  Rule,
  Session,
  Tier,
  Verdict,
} from './types.ts';
