import type { RunsReport } from '../runs/report.ts';
import type { Format } from './index.ts';

export type RunsRenderer = (report: RunsReport) => string;

/** Every format of a report on recorded runs; each is loaded when it is called for. */
const RENDERERS: { readonly [format in Format]: () => Promise<RunsRenderer> } = {
  text: async () => (await import('./runs.ts')).renderRunsText,
  json: async () => (report) => `${JSON.stringify(report, null, 2)}\n`,
  markdown: async () => (await import('./runs.ts')).renderRunsMarkdown,
  html: async () => (await import('./runs-html.ts')).renderRunsHtml,
};

export async function loadRunsRenderer(format: Format): Promise<RunsRenderer> {
  return RENDERERS[format]();
}
