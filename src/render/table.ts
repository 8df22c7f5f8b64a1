/** A column's alignment. */
export type Align = 'left' | 'right';

/** Lays cells out in columns, two spaces apart, without trailing space. Widths are counted in code points. */
export function layOut(rows: readonly (readonly string[])[], align: readonly Align[], gap = 2): string[] {
  const widths = align.map((_, column) => Math.max(0, ...rows.map((row) => width(row[column] ?? ''))));
  return rows.map((row) =>
    align
      .map((side, column) => pad(row[column] ?? '', widths[column]!, side))
      .join(' '.repeat(gap))
      .trimEnd(),
  );
}

function pad(text: string, to: number, side: Align): string {
  const space = ' '.repeat(Math.max(0, to - width(text)));
  return side === 'left' ? text + space : space + text;
}

function width(text: string): number {
  return Array.from(text).length;
}

/**
 * Text from outside, safe in a terminal: control characters, among them escapes and line ends, and the marks that turn the
 * direction of text around become `\u{...}`.
 */
export function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what must not reach a terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu, (character) => {
    return `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}

/** Cuts a text to a number of code points, with an ellipsis where something is missing. */
export function clip(text: string, to: number): string {
  const points = Array.from(text);
  return points.length <= to ? text : `${points.slice(0, to - 1).join('')}…`;
}

/** Breaks a text into lines of at most `columns`, each after the first indented. A word too long for a line is cut. */
export function wrap(text: string, columns: number, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => pieces(one, columns - width(indent)))) {
    if (line !== '' && width(line) + 1 + width(word) > columns) {
      lines.push(line);
      line = indent + word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function pieces(word: string, columns: number): string[] {
  if (word.length <= columns) return [word];
  const points = Array.from(word);
  const count = Math.max(1, Math.ceil(points.length / columns));
  return Array.from({ length: count }, (_, at) => points.slice(at * columns, (at + 1) * columns).join(''));
}

/**
 * A command to be copied: on one line where it fits, else on several, broken before a word or an option and its value, with
 * the backslash that makes it one for a shell. A word that is longer than a line is left whole.
 */
export function commandLines(command: string, columns: number, indent = ''): string[] {
  if (width(indent) + width(command) <= columns) return [indent + command];
  const lines: string[] = [];
  let line = '';
  for (const part of commandParts(command)) {
    if (line !== '' && width(`${line} ${part} \\`) > columns) {
      lines.push(`${line} \\`);
      line = `${indent}  ${part}`;
    } else line = line === '' ? indent + part : `${line} ${part}`;
  }
  return [...lines, line];
}

/** The words of a command, as a shell tells them apart; an option with its value is one part. */
function commandParts(command: string): string[] {
  const words = command.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? [];
  const parts: string[] = [];
  for (const word of words) {
    const last = parts.at(-1);
    if (last !== undefined && /^--[\w-]+$/.test(last) && !word.startsWith('--'))
      parts[parts.length - 1] = `${last} ${word}`;
    else parts.push(word);
  }
  return parts;
}
