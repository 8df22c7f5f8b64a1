/** A text as conditions compare it: Unicode NFKC, every run of white space one blank, none at the ends. */
export function fold(text: string): string {
  return text.normalize('NFKC').replace(/\s+/gu, ' ').trim();
}

/** At most `limit` characters of a text, for a message. */
export function shorten(text: string, limit = 120): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}

/** All strings in a JSON value, depth first, in order. Keys are not values. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'bigint') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((item) => stringsIn(item));
}
