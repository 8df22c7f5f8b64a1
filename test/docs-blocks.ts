import { readdirSync, readFileSync } from 'node:fs';
import { ROOT } from './command.ts';

/** A fenced block of a document. */
export interface Block {
  /** `README.md` or `docs/x.md`. */
  readonly file: string;
  /** Of the fence that opens it. */
  readonly line: number;
  readonly language: string;
  /** What stands behind the language: the file that the block is. */
  readonly names: string | undefined;
  readonly text: string;
}

/** README.md and every page of docs/. */
export const DOCUMENTS: readonly string[] = [
  'README.md',
  ...readdirSync(`${ROOT}docs`)
    .filter((file) => file.endsWith('.md'))
    .toSorted()
    .map((file) => `docs/${file}`),
];

export function readDocument(file: string): string {
  return readFileSync(`${ROOT}${file}`, 'utf8');
}

/** The fenced blocks of a document, in order. */
export function blocksOf(file: string): Block[] {
  const blocks: Block[] = [];
  let open: { line: number; info: string; lines: string[] } | undefined;
  readDocument(file)
    .split('\n')
    .forEach((line, index) => {
      if (!line.startsWith('```')) return void open?.lines.push(line);
      if (open === undefined) {
        open = { line: index + 1, info: line.slice(3).trim(), lines: [] };
        return;
      }
      const [language = '', names] = open.info.split(' ');
      blocks.push({ file, line: open.line, language, names, text: open.lines.join('\n') });
      open = undefined;
    });
  if (open !== undefined) throw new Error(`${file}:${open.line}: the block is not closed`);
  return blocks;
}

/** A document without its fenced blocks. */
export function outsideBlocks(file: string): string {
  return readDocument(file).replace(/^```[^]*?^```$/gm, '');
}
