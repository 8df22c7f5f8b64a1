import type { ProbeRun } from '../probe/run-report.ts';
import type { Report } from '../report.ts';

/** The report itself, indented, ending in a line end. */
export function renderJson(report: Report | ProbeRun): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
