import type { Hint } from '../hint.ts';
import type { Report } from '../report.ts';
import { renderHtml } from './html.ts';
import { renderJson } from './json.ts';
import { renderMarkdown } from './markdown.ts';
import { renderText } from './text.ts';

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

/** Every format, made from the report alone. */
export const RENDERERS: { readonly [format in Format]: (report: Report, options: RenderOptions) => string } = {
  text: renderText,
  json: renderJson,
  markdown: renderMarkdown,
  html: renderHtml,
};

export const FORMATS = ['text', 'json', 'markdown', 'html'] as const;
export type Format = (typeof FORMATS)[number];
