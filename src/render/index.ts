import type { Hint } from '../hint.ts';
import type { Report } from '../report.ts';

export interface RenderOptions {
  /** A breakdown below the table; text only. */
  readonly by?: 'suite' | 'tool' | undefined;
  /** Where attacks got through; text only. */
  readonly hints?: readonly Hint[] | undefined;
  /** How the program was started, for the commands that hints show. */
  readonly invocation?: string;
  /** Whether the text is for a terminal that shows colours. */
  readonly color: boolean;
}

export type Renderer = (report: Report, options: RenderOptions) => string;

/** Every format that a report can be written in. */
export const FORMATS = ['text', 'json', 'markdown', 'html'] as const;
/** The name of a format: for a terminal, for programs, for a pull request, for a browser. */
export type Format = (typeof FORMATS)[number];

/** Every format, made from the report alone; each is loaded when it is called for. */
const RENDERERS: { readonly [format in Format]: () => Promise<Renderer> } = {
  text: async () => (await import('./text.ts')).renderText,
  json: async () => (await import('./json.ts')).renderJson,
  markdown: async () => (await import('./markdown.ts')).renderMarkdown,
  html: async () => (await import('./html.ts')).renderHtml,
};

export async function loadRenderer(format: Format): Promise<Renderer> {
  return RENDERERS[format]();
}
