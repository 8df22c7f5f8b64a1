import { BenchError } from '../src/errors.ts';

/** A regular file in a tar stream, or a link to one. */
export interface TarEntry {
  readonly path: string;
  /** null: a link, hard or symbolic, to something else in the stream or outside it. */
  readonly bytes: Uint8Array | null;
}

const BLOCK = 512;

/** Takes bytes off a stream of chunks of any size. */
interface ByteReader {
  /** Exactly so many bytes, or undefined when fewer are left. */
  take(size: number): Promise<Buffer | undefined>;
  /** Reads the stream to its end, so that its writer can finish. */
  drain(): Promise<void>;
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function byteReader(chunks: AsyncIterable<Uint8Array>): ByteReader {
  const iterator = chunks[Symbol.asyncIterator]();
  let held: Uint8Array[] = [];
  let length = 0;
  return {
    async take(size) {
      while (length < size) {
        const next = await iterator.next();
        if (next.done === true) return undefined;
        held.push(next.value);
        length += next.value.length;
      }
      const all = held.length === 1 ? asBuffer(held[0] as Uint8Array) : Buffer.concat(held, length);
      length -= size;
      held = length > 0 ? [all.subarray(size)] : [];
      return all.subarray(0, size);
    },
    async drain() {
      while ((await iterator.next()).done !== true);
    },
  };
}

const text = (bytes: Buffer): string => bytes.toString('utf8').split('\0', 1)[0] as string;

/** The size in a header: octal text, or (GNU, from 8 GiB on) binary, which no run can need. */
function sizeIn(header: Buffer): number {
  const size = text(header.subarray(124, 136)).trim();
  if (!/^[0-7]+$/.test(size)) throw new BenchError('input', 'no tar archive: a header has no size');
  return Number.parseInt(size, 8);
}

/** The `path` of a pax header, whose records read `LENGTH KEY=VALUE\n`. */
function paxPath(records: string): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)/.exec(records)?.[1];
}

function pathIn(header: Buffer): string {
  const name = text(header.subarray(0, 100));
  const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? text(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** The regular files and links in a tar stream (ustar, GNU or pax), in its order. Throws a BenchError when the stream ends early. */
export async function* tarEntries(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = byteReader(chunks);
  let longPath: string | undefined;
  for (;;) {
    const header = await reader.take(BLOCK);
    if (header === undefined) throw new BenchError('input', 'the archive ends early');
    if (header.every((byte) => byte === 0)) return reader.drain();
    const type = String.fromCharCode(header[156] as number);
    const isLink = type === '1' || type === '2';
    // The size of a link is that of what it leads to, if anything: no bytes follow.
    const size = isLink ? 0 : sizeIn(header);
    const path = pathIn(header);
    const padded = await reader.take(Math.ceil(size / BLOCK) * BLOCK);
    if (padded === undefined) throw new BenchError('input', `the archive ends early, in ${longPath ?? path}`);
    const bytes = padded.subarray(0, size);
    if (type === 'L') longPath = text(bytes);
    else if (type === 'x') longPath = paxPath(bytes.toString('utf8')) ?? longPath;
    else {
      if (isLink) yield { path: longPath ?? path, bytes: null };
      else if (type === '0' || type === '\0') yield { path: longPath ?? path, bytes };
      longPath = undefined;
    }
  }
}
