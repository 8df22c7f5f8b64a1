// Everything that the package exports; docs/api.md is made from it.

export { BenchError } from './errors.ts';
export { bundledCorpus, measureGate, readCorpus, replayGate, scoreReplay, wrapGate } from './library.ts';
export { renderReport, reportOn } from './library-report.ts';
export { policyFor } from './policy.ts';
export { FORMATS } from './render/index.ts';
export { isMeasured } from './report.ts';
export { FIGURES } from './score.ts';
export { CLAUSES, DEFAULT_TIERS, EFFECTS, ORIGINS, TIERS } from './types.ts';

export type {
  Corpus,
  CorpusCounts,
  CorpusFiles,
  CorpusHeader,
  GroundTruthAction,
  InjectionTask,
  Suite,
  UserTask,
} from './corpus.ts';
export type { BenchErrorCode } from './errors.ts';
export type { Decide, MeasureGateOptions, ReplayGateOptions } from './library.ts';
export type { CrossSession, PairSession, Replay, ReplayedCall } from './library-replay.ts';
export type { RenderReportOptions } from './library-report.ts';
export type { Order, Untrusted } from './plan.ts';
export type { Format } from './render/index.ts';
export type {
  Figures,
  GateReport,
  MeasuredTier,
  NotMeasured,
  OutcomeBits,
  Report,
  Statistic,
  TierReport,
  Timing,
} from './report.ts';
export type { Count, Figure, ToolCounts } from './score.ts';
export type { TargetArgument, Tool, ToolTable } from './tools-table.ts';
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
