import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError, messageOf } from '../src/errors.ts';
import { tarEntries } from './tar.ts';

/** A file of a runs folder or archive. */
export interface SourceFile {
  /** Relative to the folder, or as in the archive; with `/`. */
  readonly path: string;
  /** The file's bytes; throws when it cannot be read. */
  readonly read: () => Uint8Array;
}

/** Every file of a folder (in any order) or of a .tar.xz. Throws a BenchError when there is no such thing, or the archive is damaged. */
export async function* sourceFiles(path: string): AsyncGenerator<SourceFile> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new BenchError('input', `${path}: no such folder or archive`);
  if (stats.isDirectory()) yield* folderFiles(path, '');
  else if (/\.(tar\.xz|txz)$/.test(path)) yield* archiveFiles(path);
  else throw new BenchError('input', `${path} is neither a folder nor a .tar.xz; give AgentDojo's runs folder`);
}

function* folderFiles(root: string, relative: string): Generator<SourceFile> {
  let entries;
  try {
    entries = readdirSync(join(root, relative), { withFileTypes: true });
  } catch (error) {
    throw new BenchError('input', `cannot list ${join(root, relative)}: ${messageOf(error)}`, { cause: error });
  }
  for (const entry of entries) {
    const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
    if (entry.isDirectory()) yield* folderFiles(root, path);
    else yield { path, read: () => readFileSync(join(root, path)) };
  }
}

/**
 * What unpacks an .xz to standard output: xz, which GNU tar runs as well; where there is none, the system's tar is
 * the BSD one, which can write an archive's contents as a new, plain archive.
 */
const UNPACKERS: readonly (readonly [string, (path: string) => string[]])[] = [
  ['xz', (path) => ['-dc', '--', path]],
  ['tar', (path) => ['-cf', '-', `@${path}`]],
];

async function* archiveFiles(path: string): AsyncGenerator<SourceFile> {
  for (const [command, args] of UNPACKERS) {
    const child = spawn(command, args(path), { stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      await once(child, 'spawn');
    } catch {
      continue;
    }
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaint += chunk));
    const closed = once(child, 'close');
    try {
      for await (const { path: name, bytes } of tarEntries(child.stdout)) yield { path: name, read: () => bytes };
      const [code] = (await closed) as [number | null];
      if (code !== 0) throw new BenchError('input', `${command} gave up with ${code}`);
    } catch (error) {
      child.kill();
      await closed;
      // Its own words say more than what the reader saw of it.
      const words = complaint.trim().split('\n', 1)[0] as string;
      const problem = words === '' ? messageOf(error) : words;
      throw new BenchError('input', `${path}: cannot be unpacked (${problem}); is it whole?`, { cause: error });
    } finally {
      child.kill();
    }
    return;
  }
  throw new BenchError('input', `${path}: neither xz nor tar can be run; unpack it yourself and give the folder`);
}
