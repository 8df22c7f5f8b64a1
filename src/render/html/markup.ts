import { plain } from '../table.ts';

const MARKUP: unique symbol = Symbol('markup');

/** HTML or SVG that is safe to insert. Its key is a symbol: nothing that was read from JSON can pass for it. */
export interface Markup {
  readonly [MARKUP]: string;
}

/** What may stand in a template: text and numbers are escaped, null is nothing, lists are joined without anything between. */
export type Value = string | number | null | Markup | readonly Value[];

/**
 * Markup from a template. Every value is escaped, for text and for a quoted attribute alike, unless it is markup itself.
 * Attributes must be quoted, and no value may stand in a script or a style sheet.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return raw(strings.reduce((text, part, index) => text + toText(values[index - 1] ?? null) + part));
}

/** Takes a text of this program's own as markup, as it is. */
export function raw(text: string): Markup {
  return { [MARKUP]: text };
}

/** Markup of a list with a text of this program's own, such as a line end, between its members. */
export function join(list: readonly Value[], between: string): Markup {
  return raw(list.map(toText).join(between));
}

export function toText(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'string') return escape(value);
  if (typeof value === 'number') return String(value);
  return MARKUP in value ? value[MARKUP] : value.map(toText).join('');
}

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text from outside for HTML: entities for what has a meaning there, `\u{...}` for control and direction characters. */
export function escape(text: string): string {
  return plain(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
