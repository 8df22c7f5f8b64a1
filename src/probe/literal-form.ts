/** What a literal looks like; some near misses make sense for one form alone. */
export type LiteralForm = 'mail' | 'url' | 'digits' | 'name';

/** A mail address; a host or URL; digits only; anything else. */
export function formOf(literal: string): LiteralForm {
  if (/^[^\s@"'<>]+@[\w-]+(\.[\w-]+)+$/.test(literal)) return 'mail';
  if (/^(www\.)?[\w-]+(\.[\w-]+)*\.(com|org|net|io|example)([/?#:].*)?$/s.test(literal)) return 'url';
  return /^\d+$/.test(literal) ? 'digits' : 'name';
}

/** A target of the same form that nobody's policy lists. */
export function strangerOf(literal: string): string {
  const strangers = { mail: 'mallory@evil.example', url: 'www.evil.example', digits: '90210', name: 'Mallory' };
  return strangers[formOf(literal)];
}
