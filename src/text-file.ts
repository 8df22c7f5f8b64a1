import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BenchError, messageOf } from './errors.ts';

/** A UTF-8 text file and the digest of its bytes. */
export interface TextFile {
  /** The path as the user would recognize it in a message. */
  readonly file: string;
  readonly text: string;
  /** Hexadecimal; worked out when it is asked for. */
  readonly sha256: string;
}

/** @throws {BenchError} `input` when the file is unreadable, not UTF-8 or starts with a byte order mark. */
export function readTextFile(path: string, file: string = path): TextFile {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new BenchError('input', `${file}: cannot be read (${messageOf(error)})`, { cause: error });
  }
  return decodeText(bytes, file);
}

/** @throws {BenchError} `input` when the bytes are not UTF-8 or start with a byte order mark. */
export function decodeText(bytes: Uint8Array, file: string): TextFile {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw new BenchError('input', `${file}:1: starts with a byte order mark; save the file as UTF-8 without one`);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return {
      file,
      text,
      get sha256() {
        return sha256Of(bytes);
      },
    };
  } catch (error) {
    throw new BenchError('input', `${file}: not UTF-8`, { cause: error });
  }
}

/** Node takes longer to load its cryptography than to read a corpus, and a table on a terminal shows no digest. */
function sha256Of(bytes: Uint8Array): string {
  const { createHash } = createRequire(import.meta.url)('node:crypto') as typeof import('node:crypto');
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * The lines of a JSON Lines file, which end at `\n` and nowhere else (a raw U+2028 belongs to its line).
 * @throws {BenchError} `input` for an empty file, an empty line, a `\r\n` end or a last line without its end.
 */
export function splitLines({ file, text }: TextFile): string[] {
  if (text === '') throw new BenchError('input', `${file}: the file is empty`);
  const lines = text.split('\n');
  const rest = lines.pop();
  if (rest !== '') {
    throw new BenchError(
      'input',
      `${file}:${lines.length + 1}: the last line has no end; the file seems to be cut short`,
    );
  }
  lines.forEach((line, index) => {
    const at = `${file}:${index + 1}`;
    if (line.endsWith('\r'))
      throw new BenchError('input', `${at}: ends with CR LF; lines of this file end with LF alone`);
    if (line === '') throw new BenchError('input', `${at}: empty line`);
  });
  return lines;
}
