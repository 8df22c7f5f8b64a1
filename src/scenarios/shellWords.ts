/** A word of a command line, quotes removed, with the command substitutions that stood in it; or an operator. */
export type ShellToken =
  | { readonly kind: 'word'; readonly text: string; readonly inner: readonly string[] }
  | { readonly kind: 'operator'; readonly text: string };

const OPERATOR = /^(?:&>>?|>>|>\||>&|<<<|<<-?|<&|<>|[<>]|\|\||&&|\|&|;;|[|&;()\n])/;

/** The text up to the bracket that closes the one before `from`, quotes respected, and the index after it. */
function balanced(source: string, from: number): { inner: string; next: number } {
  let depth = 1;
  let quote = '';
  for (let at = from; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === '\\') at++;
    else if (quote) quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"') quote = character;
    else if (character === '(') depth++;
    else if (character === ')' && --depth === 0) return { inner: source.slice(from, at), next: at + 1 };
  }
  return { inner: source.slice(from), next: source.length };
}

function backticked(source: string, from: number): { inner: string; next: number } {
  const end = source.indexOf('`', from);
  return end < 0
    ? { inner: source.slice(from), next: source.length }
    : { inner: source.slice(from, end), next: end + 1 };
}

/** A substitution that begins at `at`, if one does. */
function substitution(source: string, at: number, quoted: boolean): { inner: string; next: number } | undefined {
  if (source.startsWith('$(', at)) return balanced(source, at + 2);
  if (source[at] === '`') return backticked(source, at + 1);
  if (!quoted && /^[<>]\($/.test(source.slice(at, at + 2))) return balanced(source, at + 2);
  return undefined;
}

/** Splits a command line as a POSIX shell would, without expanding anything. What is not closed runs to the end. */
export function shellTokens(source: string): ShellToken[] {
  const tokens: ShellToken[] = [];
  let word: string | undefined;
  let inner: string[] = [];
  let quote = '';
  const flush = (): void => {
    if (word !== undefined) tokens.push({ kind: 'word', text: word, inner });
    word = undefined;
    inner = [];
  };
  for (let at = 0; at < source.length;) {
    const character = source.charAt(at);
    const found = quote === "'" ? undefined : substitution(source, at, quote === '"');
    if (found) {
      word ??= '';
      inner.push(found.inner);
      at = found.next;
      continue;
    }
    if (quote || character === "'" || character === '"') {
      if (quote && character !== quote) word = (word ?? '') + character;
      else quote = quote ? '' : character;
      word ??= '';
      at++;
      continue;
    }
    if (character === '\\') {
      if (source[at + 1] !== '\n') word = (word ?? '') + source.charAt(at + 1);
      at += 2;
      continue;
    }
    const operator = OPERATOR.exec(source.slice(at, at + 3))?.[0];
    if (operator !== undefined) {
      if (/^\d+$/.test(word ?? '') && /[<>]/.test(operator)) word = undefined;
      flush();
      tokens.push({ kind: 'operator', text: operator });
      at += operator.length;
    } else if (/\s/.test(character)) {
      flush();
      at++;
    } else {
      word = (word ?? '') + character;
      at++;
    }
  }
  flush();
  return tokens;
}
