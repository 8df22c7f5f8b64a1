import { existsSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BenchError, messageOf } from './errors.ts';
import { suggest } from './near.ts';
import { findPackage, packageEntry } from './package-entry.ts';

/** An adapter, found: a file, or a command that speaks the line protocol. */
export interface FoundGate {
  /** As the user typed it. */
  readonly typed: string;
  /** The file; null for a command. */
  readonly url: URL | null;
  /** Whether it is one of the bench's own controls, or the reference gate. */
  readonly own: 'control' | 'reference' | null;
}

const EXTENSIONS = ['.mjs', '.js', '.mts', '.ts'];
const CODE = /\.[cm]?[jt]s$/;
const ENDINGS = 'an adapter ends in .mjs, .js, .mts or .ts';
const CONTROLS = new Set(['allow-all', 'deny-egress', 'deny-all']);
const REFERENCE = 'exact';

/** The controls that every report begins with: a figure means little without the useless gate that reaches it. */
export const IN_EVERY_REPORT: readonly string[] = ['allow-all', 'deny-egress'];

/**
 * Looks an adapter up: a path, then a name in the bench's adapters folder, then a package that the caller's folder can import.
 * @throws {BenchError} `gate` when nothing is found, with near names
 */
export function lookUpGate(typed: string, cwd: string, adapters: string): FoundGate {
  if (typed === '') throw new BenchError('gate', 'an adapter name is empty');
  const path = resolve(cwd, typed);
  const there = look(path);
  if (there?.isFile() && CODE.test(path)) return foundAt(typed, path, adapters);
  if (there?.isDirectory() && existsSync(join(path, 'package.json')))
    return foundAt(typed, packageEntry(path, typed, undefined), adapters);
  const file = findByName(typed, adapters) ?? findPackage(typed, cwd);
  if (file !== undefined) return foundAt(typed, file, adapters);
  throw new BenchError('gate', `${typed}: ${whyNot(typed, path)}${suggest(typed, candidates(typed, cwd, adapters))}`);
}

/** Links are followed, as an `import` does: what counts is the file's own name and folder. */
function foundAt(typed: string, file: string, adapters: string): FoundGate {
  const real = realpathSync(file);
  if (!CODE.test(real)) throw new BenchError('gate', `${typed}: leads to ${real}; ${ENDINGS}`);
  return { typed, url: pathToFileURL(real), own: ownKind(real, adapters) };
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function whyNot(typed: string, path: string): string {
  try {
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there === undefined) return looksLikePath(typed) ? 'no such file' : 'no adapter, file or package of that name';
    if (there.isSymbolicLink() && !existsSync(path)) return 'is a link to a file that does not exist';
    if (statSync(path).isDirectory()) return "is a folder without a package.json; name the adapter's file";
    return CODE.test(path) ? 'is no regular file' : `is no adapter: ${ENDINGS}`;
  } catch (error) {
    return `cannot be looked at (${messageOf(error)})`;
  }
}

/**
 * Looks every name up, and tells every fault.
 * @throws {BenchError} `gate` with a line for each name that nothing was found for
 */
export function lookUpGates(names: readonly string[], cwd: string, adapters: string): FoundGate[] {
  const faults: string[] = [];
  const found = names.flatMap((typed) => {
    try {
      return [lookUpGate(typed, cwd, adapters)];
    } catch (error) {
      if (!(error instanceof BenchError)) throw error;
      faults.push(error.message);
      return [];
    }
  });
  if (faults.length > 0) throw new BenchError('gate', faults.join('\n'));
  return found;
}

/** Commands that speak the line protocol, as gates. */
export function commandGates(commands: readonly string[] | undefined): FoundGate[] {
  return (commands ?? []).map((typed) => ({ typed, url: null, own: null }));
}

function ownKind(file: string, adapters: string): FoundGate['own'] {
  if (dirname(file) !== resolve(adapters)) return null;
  const name = basename(file, '.mjs');
  if (name === REFERENCE) return 'reference';
  return CONTROLS.has(name) ? 'control' : null;
}

function looksLikePath(typed: string): boolean {
  return (
    /^[./\\]|[/\\]/.test(typed.replace(/^@[^/]+\//, '')) || EXTENSIONS.some((extension) => typed.endsWith(extension))
  );
}

function findByName(name: string, adapters: string): string | undefined {
  if (!/^[\w.-]+$/.test(name)) return undefined;
  return EXTENSIONS.map((extension) => join(adapters, name + extension)).find((file) => existsSync(file));
}

/** What could have been meant: adapters by name, and the files beside the path that was typed. */
function candidates(typed: string, cwd: string, adapters: string): string[] {
  const named = list(adapters).map((file) => basename(file).replace(/\.\w+$/, ''));
  const folder = dirname(typed);
  const beside = list(resolve(cwd, folder)).map((file) =>
    folder === '.' && !typed.startsWith('./') ? file : `${folder}/${file}`,
  );
  return [...named, ...beside];
}

function list(folder: string): string[] {
  try {
    const named = readdirSync(folder).filter((file) => EXTENSIONS.some((extension) => file.endsWith(extension)));
    // Neither folders nor links to nothing, which may be what was typed.
    return named.filter((file) => look(join(folder, file))?.isFile());
  } catch {
    return [];
  }
}
