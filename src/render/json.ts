import type { Report } from '../report.ts';

/** The report itself, indented, ending in a line end. */
export function renderJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
