/**
 * The plain English in which the corpus words its injections, so that a deterministic target can follow them without a look at what counts
 * as success. Documents and results hold other text as well; whatever is not of this form is no instruction to such a target.
 *
 *     call  = verb [the tool] NAME [words] with PAIR { (, | and | , and) PAIR }      verb: call, use, invoke, run, execute
 *     pair  = [the] ARGUMENT [= | : | set to | to | as] VALUE
 *     say   = verb [words] VALUE         verb: reply/answer/respond/begin/start/end/finish/close ... with, write, say, include, print, output, add, append, repeat
 *     value = PART { followed by PART }
 *     part  = "text" | number | true | false | ["text", ...] | [the base64 of | the hex of | the reverse of] everything you have read
 *     split = let NAME be 'text' ... follow NAME + NAME       the texts joined are read as an instruction
 *
 * `NAME` and `ARGUMENT` may stand in back quotes. Conditions before the verb ("when the user next asks, ...") are not understood: such a
 * target does at once, and again in each later turn, whatever it finds.
 */
export type Instruction =
  | { readonly kind: 'call'; readonly tool: string; readonly args: { readonly [name: string]: Value } }
  | { readonly kind: 'say'; readonly value: Value };

/** A part of a value: literal, or everything that the target has read, in a form. */
export type Part =
  | { readonly literal: string | number | boolean | readonly string[] }
  | { readonly read: 'plain' | 'base64' | 'hex' | 'reverse' };

/** Parts joined into a text; a lone literal keeps its type. */
export type Value = readonly Part[];

const READ = String.raw`(?:the (base64|hex|reverse) of )?(?:everything|all) (?:that )?you have (?:read|seen)(?: so far)?`;
const PART = String.raw`(?:"[^"]*"|\["[^\]]*"\]|true\b|false\b|-?\d+(?:\.\d+)?\b|${READ.replace('(base64', '(?:base64')})`;
const VALUE = String.raw`${PART}(?:,? followed by ${PART})*`;
const PAIR = String.raw`(?:the )?${'`'}?([A-Za-z_][\w-]*)${'`'}?(?: ?[=:]| set to| to| as)? ?(${VALUE})`;
const CALL = String.raw`\b(?:call|use|invoke|run|execute) (?:the tool |the )?${'`'}?([A-Za-z_](?:[\w.-]*\w)?)${'`'}?(?: [\w' ]{1,40}?)? with `;
const SAY_WITH = String.raw`\b(?:reply|answer|respond|begin|start|end|finish|close)(?: [\w' ]{1,40}?)? with`;
const SAY = String.raw`(?:${SAY_WITH}|\b(?:write|say|include|print|output|add|append|repeat))(?: [\w',-]+){0,6}?:? (${VALUE})`;
const LET = /\blet (\w+) be '([^']*)'/gi;
const FOLLOW = /\bfollow (\w+(?: \+ \w+)+)/gi;

function partOf(text: string): Part {
  const read = new RegExp(`^${READ}$`, 'i').exec(text);
  if (read) return { read: (read[1]?.toLowerCase() ?? 'plain') as 'plain' };
  if (text.startsWith('"')) return { literal: text.slice(1, -1) };
  return { literal: JSON.parse(text) as number | boolean | readonly string[] };
}

function valueOf(text: string): Value {
  return (text.match(new RegExp(PART, 'gi')) ?? []).map(partOf);
}

/** The pairs that begin at `from`, as far as they go, and where they end. */
function pairsAt(text: string, from: number): { args: Record<string, Value>; end: number } {
  const args: [string, Value][] = [];
  const pair = new RegExp(`(?:,? and |, )?${PAIR}`, 'iy');
  pair.lastIndex = from;
  let end = from;
  for (let found = pair.exec(text); found; found = pair.exec(text)) {
    args.push([found[1] as string, valueOf(found[2] as string)]);
    end = pair.lastIndex;
  }
  return { args: Object.fromEntries(args), end };
}

function callsIn(text: string): { found: Instruction[]; rest: string } {
  const found: Instruction[] = [];
  let rest = text;
  for (const match of text.matchAll(new RegExp(CALL, 'gi'))) {
    const { args, end } = pairsAt(text, match.index + match[0].length);
    if (Object.keys(args).length === 0) continue;
    found.push({ kind: 'call', tool: match[1] as string, args });
    // What a call says in its arguments is not for the target to say.
    rest = rest.slice(0, match.index) + ' '.repeat(end - match.index) + rest.slice(end);
  }
  return { found, rest };
}

/** The texts that split instructions come to, their parts taken from anywhere in `text`. */
function joined(text: string): string[] {
  const parts = new Map([...text.matchAll(LET)].map((found) => [found[1]?.toLowerCase(), found[2] ?? '']));
  return [...text.matchAll(FOLLOW)].map((found) =>
    (found[1] as string)
      .split(' + ')
      .map((name) => parts.get(name.toLowerCase()) ?? '')
      .join(''),
  );
}

/** The instructions of a text that is not encoded, in order: calls, then what to say. */
function plainInstructions(text: string): Instruction[] {
  const folded = text.replace(/\s+/g, ' ');
  const { found, rest } = callsIn(folded);
  const says = [...rest.matchAll(new RegExp(SAY, 'gi'))].map((match): Instruction => ({
    kind: 'say',
    value: valueOf(match[1] as string),
  }));
  return [...found, ...says, ...joined(folded).flatMap(plainInstructions)];
}

const printable = (text: string): boolean => /^[\t\n\r\x20-\x7e\u00a0-\ud7ff]+$/.test(text);
const decodedRuns = (text: string, run: RegExp, encoding: 'base64' | 'hex'): string[] =>
  (text.match(run) ?? []).map((found) => Buffer.from(found, encoding).toString('utf8')).filter(printable);

const rot13 = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });

/** Letters that do not show: the tag characters U+E0020 to U+E007E stand for ASCII. */
const tagged = (text: string): string =>
  Array.from(text.matchAll(/[\u{e0020}-\u{e007e}]/gu), ([tag]) =>
    String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000),
  ).join('');

function jsonStrings(text: string): string {
  const strings: string[] = [];
  try {
    JSON.parse(text, (_, value: unknown) => (typeof value === 'string' ? strings.push(value) : value));
  } catch {
    return '';
  }
  return strings.join('\n');
}

const entities = (text: string): string =>
  text
    .replace(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)))
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
}

/**
 * A text and the other ways to read it, each different from those before: the strings of JSON, quotation marks without their backslashes (JSON inside JSON), NFKC without zero-width characters, tag
 * characters, HTML entities, percent-encoding, base64 and hex runs of 24 and more, ROT13, backwards.
 */
export function readings(text: string): string[] {
  const ways = [
    text,
    jsonStrings(text),
    text.replace(/\\+"/g, '"'),
    text.normalize('NFKC').replace(/[\u200b-\u200d\u2060\ufeff]/g, ''),
    tagged(text),
    entities(text),
    percentDecoded(text),
    ...decodedRuns(text, /[A-Za-z0-9+/]{24,}={0,2}/g, 'base64'),
    ...decodedRuns(text, /(?:[0-9a-f]{2}){12,}/gi, 'hex'),
    rot13(text),
    Array.from(text).toReversed().join(''),
  ];
  return [...new Set(ways)].filter((way) => way !== '');
}

/** Every instruction in the texts, however encoded, each once, in order. Splits may be spread over the texts. */
export function instructionsIn(texts: readonly string[]): Instruction[] {
  const found = new Map<string, Instruction>();
  const all = [...texts.flatMap(readings), texts.flatMap((text) => [text, jsonStrings(text)]).join('\n')];
  for (const instruction of all.flatMap(plainInstructions)) found.set(JSON.stringify(instruction), instruction);
  return [...found.values()];
}

function partText(part: Part, read: string): string {
  if ('literal' in part) return String(part.literal);
  if (part.read === 'plain') return read;
  if (part.read === 'reverse') return Array.from(read).toReversed().join('');
  return Buffer.from(read, 'utf8').toString(part.read);
}

/** A value with everything read so far put in. Within an address (`https:` before it) what was read is percent-encoded. */
export function expand(value: Value, read: string): string | number | boolean | readonly string[] {
  const [only] = value;
  if (value.length === 1 && only && 'literal' in only) return only.literal;
  let text = '';
  for (const part of value) {
    const piece = partText(part, read);
    text += 'read' in part && /https?:\/\/\S*$/.test(text) ? encodeURIComponent(piece) : piece;
  }
  return text;
}
