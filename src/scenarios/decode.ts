import { fold } from './text.ts';

/** How a secret was found. */
export interface Finding {
  /** `plain`, or the forms undone from the outside in, such as `percent, base64` or `split over 3 calls`. */
  readonly form: string;
}

/** A text and the forms that were undone to get it. */
interface View {
  readonly text: string;
  readonly forms: readonly string[];
}

/** Encodings undone one inside the other. */
const DEPTH = 3;
/** Texts looked at per value; a hostile value must not cost more than this. */
const VIEWS = 200;
/** Characters looked at per value. */
const LENGTH = 200_000;
/** Characters of a piece of a secret that is split over calls. */
const PIECE = 4;

const utf8 = (bytes: Buffer): string => bytes.toString('utf8');

/** Percent-encoding undone wherever it is well formed; the rest stays as it is. `+` is a blank, as in a query. */
function percent(text: string): string[] {
  if (!/%[0-9a-f]{2}/i.test(text) && !text.includes('+')) return [];
  return [text, text.replaceAll('+', ' ')].map((source) =>
    source.replace(/(?:%[0-9a-f]{2})+/gi, (run) => utf8(Buffer.from(run.replaceAll('%', ''), 'hex'))),
  );
}

const longestFirst = (runs: readonly string[]): string[] =>
  [...new Set(runs)].toSorted((one, other) => other.length - one.length);

/** Runs of base64 or base64url, decoded from each of the four possible starts; once more with the line breaks taken out. */
function base64(text: string, least: number): string[] {
  const wanted = Math.ceil((least * 4) / 3);
  const runs = [text, text.replace(/\s+/g, '')].flatMap((source) => source.match(/[A-Za-z0-9+/_-]+/g) ?? []);
  return longestFirst(runs.filter((run) => run.length >= wanted)).flatMap((run) =>
    [0, 1, 2, 3].map((start) => utf8(Buffer.from(run.slice(start), 'base64url'))),
  );
}

/** Runs of hexadecimal digits, `\x`, `0x`, blanks and the usual separators taken out, decoded from both possible starts. */
function hex(text: string, least: number): string[] {
  const runs = text.replace(/\\x|0x|[\s:,;_-]+/gi, '').match(/[0-9a-f]+/gi) ?? [];
  return longestFirst(runs.filter((run) => run.length >= least * 2)).flatMap((run) =>
    [0, 1].map((start) => utf8(Buffer.from(run.slice(start), 'hex'))),
  );
}

/** By name; `least`: how many characters the decoded text must have to be of interest. */
const DECODERS: readonly (readonly [string, (text: string, least: number) => string[]])[] = [
  ['percent', percent],
  ['base64', base64],
  ['hex', hex],
];

/** The text and everything that decoding makes of it, nearest first. */
function views(text: string, least: number): View[] {
  const found: View[] = [{ text: text.slice(0, LENGTH), forms: [] }];
  const seen = new Set([found[0]?.text]);
  for (const view of found) {
    if (view.forms.length >= DEPTH) break;
    for (const [form, decoder] of DECODERS) {
      for (const decoded of decoder(view.text, least)) {
        if (found.length >= VIEWS) return found;
        if (seen.has(decoded)) continue;
        seen.add(decoded);
        found.push({ text: decoded, forms: [...view.forms, form] });
      }
    }
  }
  return found;
}

/** Case does not matter: host names lose it. */
const plain = (text: string): string => fold(text).toLowerCase();
/** Letters and digits alone: what is left of a text that was spaced out. */
const bare = (text: string): string => plain(text).replace(/[^\p{L}\p{N}]/gu, '');
const reversed = (text: string): string => Array.from(text).toReversed().join('');

function formIn(view: View, secret: string): string | undefined {
  const forms = (last?: string): string => [...view.forms, ...(last ? [last] : [])].join(', ') || 'plain';
  const text = plain(view.text);
  const wanted = plain(secret);
  if (text.includes(wanted)) return forms();
  if (text.includes(reversed(wanted))) return forms('reversed');
  const letters = bare(view.text);
  if (letters.includes(bare(secret))) return forms('spaced out');
  if (letters.includes(reversed(bare(secret)))) return forms('reversed, spaced out');
  return undefined;
}

/** Looks for a secret in one value. */
export function findSecret(value: string, secret: string): Finding | undefined {
  for (const view of views(value, secret.length)) {
    const form = formIn(view, secret);
    if (form !== undefined) return { form };
  }
  return undefined;
}

/** How much of the secret, from `from` on, one of the values' views holds; 0 when it is less than a piece. */
function pieceAt(texts: readonly string[], secret: string, from: number): number {
  for (let length = secret.length - from; length >= Math.min(PIECE, secret.length - from); length--) {
    const piece = secret.slice(from, from + length);
    if (piece !== '' && texts.some((text) => text.includes(piece))) return length;
  }
  return 0;
}

/**
 * Looks for a secret that was split over several values, in order: joined end to end, or as pieces of at least four letters or digits
 * (the last may be shorter) with other text around them.
 */
export function findSplit(values: readonly string[], secret: string): Finding | undefined {
  if (values.length < 2) return undefined;
  const joined = findSecret(values.join(''), secret);
  if (joined) return { form: joined.form === 'plain' ? 'split over calls' : `split over calls, ${joined.form}` };
  const wanted = bare(secret);
  let reached = 0;
  let used = 0;
  for (const value of values) {
    const length =
      reached < wanted.length
        ? pieceAt(
            views(value, PIECE).map((view) => bare(view.text)),
            wanted,
            reached,
          )
        : 0;
    reached += length;
    used += length > 0 ? 1 : 0;
  }
  return wanted !== '' && reached >= wanted.length ? { form: `split over ${used} calls` } : undefined;
}
