import type { Report } from '../report.ts';
import { renderJson } from './json.ts';
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
};

export const FORMATS = ['text', 'json'] as const;
export type Format = (typeof FORMATS)[number];
