import type { Report } from '../report.ts';
import { renderJson } from './json.ts';
import { renderMarkdown } from './markdown.ts';
import { renderText } from './text.ts';

export interface RenderOptions {
  /** A breakdown below the table; text only. */
  readonly by?: 'suite' | 'tool' | undefined;
  /** Whether the text is for a terminal that shows colours. */
  readonly color: boolean;
}

/** Every format, made from the report alone. */
export const RENDERERS: { readonly [format in Format]: (report: Report, options: RenderOptions) => string } = {
  text: renderText,
  json: renderJson,
  markdown: renderMarkdown,
};

export const FORMATS = ['text', 'json', 'markdown'] as const;
export type Format = (typeof FORMATS)[number];
