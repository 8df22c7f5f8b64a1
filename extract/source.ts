import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Dirent, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError, messageOf } from '../src/errors.ts';
import { tarEntries } from './tar.ts';

/** A file of a runs folder or archive. */
export interface SourceFile {
  /** Relative to the folder, or as in the archive; with `/`. */
  readonly path: string;
  /** Why nobody can tell what stands here: it may be a folder with any number of runs. */
  readonly problem?: string;
  /** The file's bytes; throws when it cannot be read. */
  readonly read: () => Uint8Array;
}

/** Whether a path is that of an archive, by its name. */
export const isArchive = (path: string): boolean => /\.(tar\.xz|txz)$/.test(path);

/** Every file of a folder (in any order) or of a .tar.xz. Throws a BenchError when there is no such thing, or the archive is damaged. */
export async function* sourceFiles(path: string): AsyncGenerator<SourceFile> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new BenchError('input', `${path}: no such folder or archive`);
  if (stats.isDirectory()) yield* folderFiles(path, '');
  else if (isArchive(path)) yield* archiveFiles(path);
  else throw new BenchError('input', `${path} is neither a folder nor a .tar.xz; give AgentDojo's runs folder`);
}

/** @param above the folders that this one is in, as they really are: a link to one of them would never end */
function* folderFiles(root: string, relative: string, above: readonly string[] = []): Generator<SourceFile> {
  const folder = join(root, relative);
  let entries: Dirent[];
  let here: string[];
  try {
    here = [...above, realpathSync(folder)];
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const problem = `cannot be listed (${messageOf(error)})`;
    if (relative === '') throw new BenchError('input', `${root}: ${problem}`, { cause: error });
    return yield unusable(relative, problem);
  }
  for (const entry of entries) {
    const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
    if (entry.isSymbolicLink()) yield* linked(root, path, here);
    else if (entry.isDirectory()) yield* folderFiles(root, path, here);
    else yield { path, read: () => readFileSync(join(root, path)) };
  }
}

function* linked(root: string, path: string, above: readonly string[]): Generator<SourceFile> {
  const full = join(root, path);
  let isFolder: boolean;
  try {
    isFolder = statSync(full).isDirectory();
    if (isFolder && above.includes(realpathSync(full))) return yield unusable(path, 'a link to a folder that it is in');
  } catch (error) {
    return yield unusable(path, `a link that leads nowhere (${messageOf(error)})`);
  }
  if (isFolder) yield* folderFiles(root, path, above);
  else yield { path, read: () => readFileSync(full) };
}

function unusable(path: string, problem: string): SourceFile {
  const read = (): never => {
    throw new Error(problem);
  };
  return { path, problem, read };
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
      for await (const { path: name, bytes } of tarEntries(child.stdout)) {
        yield bytes === null
          ? unusable(name, 'a link; unpack the archive and give the folder')
          : { path: name, read: () => bytes };
      }
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
