import type { GateReport, Report, REPORT_SCHEMA } from '../report.ts';
import type { RunsTier } from './measurement.ts';

/** What gates make of recorded runs. */
export interface RunsReport extends Pick<
  Report,
  'command' | 'suites' | 'untrusted' | 'seed' | 'resamples' | 'environment'
> {
  readonly schema: typeof REPORT_SCHEMA;
  readonly kind: 'runs';
  readonly corpus: Pick<Report['corpus'], 'id' | 'version' | 'sha256' | 'toolsSha256'>;
  readonly attacks: readonly string[];
  readonly gates: readonly GateReport<RunsTier>[];
}
