import type { ScenarioReport } from '../report.ts';
import { renderHtml } from './html.ts';
import { renderMarkdown } from './markdown.ts';
import { renderText } from './text.ts';

export const SCENARIO_FORMATS = ['text', 'json', 'markdown', 'html'] as const;
export type ScenarioFormat = (typeof SCENARIO_FORMATS)[number];

/** The report in a format; a breakdown is for text only, the others hold it all. */
export function render(report: ScenarioReport, format: ScenarioFormat, by?: 'channel' | 'family'): string {
  if (format === 'json') return `${JSON.stringify(report, null, 2)}\n`;
  if (format === 'html') return renderHtml(report);
  return format === 'markdown' ? renderMarkdown(report) : renderText(report, by);
}
