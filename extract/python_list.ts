/*
 * Python's list literals, as far as agents write them into an argument: text, numbers, None, True, False, and lists of
 * those. AgentDojo's executor reads such text with ast.literal_eval and takes the list for the argument.
 */

interface Cursor {
  readonly text: string;
  at: number;
}

const NOT_A_LITERAL = Symbol('not a literal');
const CONSTANTS: Readonly<Record<string, null | boolean>> = { None: null, True: true, False: false };
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", '"': '"' };

/** The list that a text reads as, or undefined when it reads as none. */
export function parsePythonList(text: string): unknown[] | undefined {
  const cursor = { text, at: 0 };
  skipSpace(cursor);
  if (text[cursor.at] !== '[') return undefined;
  const list = readList(cursor);
  skipSpace(cursor);
  return Array.isArray(list) && cursor.at === text.length ? list : undefined;
}

function skipSpace(cursor: Cursor): void {
  while (/\s/.test(cursor.text[cursor.at] ?? '')) cursor.at++;
}

function readList(cursor: Cursor): unknown[] | typeof NOT_A_LITERAL {
  const list: unknown[] = [];
  cursor.at++;
  for (;;) {
    skipSpace(cursor);
    if (cursor.text[cursor.at] === ']') return (cursor.at++, list);
    const value = readValue(cursor);
    if (value === NOT_A_LITERAL) return NOT_A_LITERAL;
    list.push(value);
    skipSpace(cursor);
    if (cursor.text[cursor.at] === ',') cursor.at++;
    else if (cursor.text[cursor.at] !== ']') return NOT_A_LITERAL;
  }
}

function readValue(cursor: Cursor): unknown {
  const first = cursor.text[cursor.at] ?? '';
  if (first === '[') return readList(cursor);
  if (first === "'" || first === '"') return readText(cursor, first);
  const token = /^(?:None|True|False|-?\d+(?:\.\d*)?)/.exec(cursor.text.slice(cursor.at))?.[0];
  if (token === undefined) return NOT_A_LITERAL;
  cursor.at += token.length;
  if (token in CONSTANTS) return CONSTANTS[token];
  // Account numbers can have more digits than a number keeps.
  const number = Number(token);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? token : number;
}

function readText(cursor: Cursor, quote: string): string | typeof NOT_A_LITERAL {
  let value = '';
  for (cursor.at++; cursor.at < cursor.text.length; cursor.at++) {
    const character = cursor.text[cursor.at] as string;
    if (character === quote) return (cursor.at++, value);
    if (character === '\n') return NOT_A_LITERAL;
    if (character !== '\\') value += character;
    else value += readEscape(cursor);
  }
  return NOT_A_LITERAL;
}

/** What an escape stands for; the cursor is left on its last character. An unknown one stands for itself, as in Python. */
function readEscape(cursor: Cursor): string {
  const coded = /^(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4}))/.exec(cursor.text.slice(cursor.at + 1, cursor.at + 6));
  if (coded !== null) {
    cursor.at += coded[0].length;
    return String.fromCharCode(Number.parseInt(coded[1] ?? (coded[2] as string), 16));
  }
  const escaped = cursor.text[++cursor.at] ?? '';
  return ESCAPES[escaped] ?? `\\${escaped}`;
}
