import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BenchError, messageOf } from './errors.ts';
import { suggest } from './near.ts';

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
const CONTROLS = new Set(['allow-all', 'deny-egress', 'deny-all']);
const REFERENCE = 'exact';

/**
 * Looks an adapter up: a path, then a name in the bench's adapters folder, then a package that the caller's folder can import.
 * @throws {BenchError} `gate` when nothing is found, with near names
 */
export function lookUpGate(typed: string, cwd: string, adapters: string): FoundGate {
  if (typed === '') throw new BenchError('gate', 'an adapter name is empty');
  const path = resolve(cwd, typed);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  const named = isFolder && !existsSync(join(path, 'package.json')) ? findByName(typed, adapters) : undefined;
  if (existsSync(path) && named === undefined) {
    const entry = isFolder ? folderEntry(path, typed) : path;
    return { typed, url: pathToFileURL(entry), own: ownKind(entry, adapters) };
  }
  const file = findByName(typed, adapters) ?? findPackage(typed, cwd);
  if (file !== undefined) return { typed, url: pathToFileURL(file), own: ownKind(file, adapters) };
  const what = looksLikePath(typed) ? 'no such file' : 'no adapter, file or package of that name';
  throw new BenchError('gate', `${typed}: ${what}${suggest(typed, candidates(typed, cwd, adapters))}`);
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

/** The entry of a package in the nearest node_modules that has it, as an `import` from the caller's folder would find it. */
function findPackage(specifier: string, cwd: string): string | undefined {
  const parts = /^((?:@[a-z\d-~][\w.~-]*\/)?[a-z\d-~][\w.~-]*)(?:\/(.+))?$/i.exec(specifier);
  if (parts === null) return undefined;
  const [, name = '', inner] = parts;
  for (let folder = cwd; ; folder = dirname(folder)) {
    const root = join(folder, 'node_modules', name);
    if (existsSync(join(root, 'package.json'))) return packageEntry(root, specifier, inner);
    if (dirname(folder) === folder) return undefined;
  }
}

function folderEntry(root: string, typed: string): string {
  if (existsSync(join(root, 'package.json'))) return packageEntry(root, typed, undefined);
  throw new BenchError('gate', `${typed}: is a folder without a package.json; name the adapter's file`);
}

function packageEntry(root: string, typed: string, inner: string | undefined): string {
  let manifest: { exports?: unknown; main?: unknown };
  try {
    manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as typeof manifest;
  } catch (error) {
    throw new BenchError('gate', `${typed}: its package.json cannot be read (${messageOf(error)})`, { cause: error });
  }
  const path = inner === undefined ? '.' : `./${inner}`;
  const main = typeof manifest.main === 'string' ? manifest.main : 'index.js';
  const entry = manifest.exports === undefined ? (inner ?? main) : exported(manifest.exports, path);
  const file = entry === undefined ? undefined : join(root, entry);
  if (file !== undefined && existsSync(file) && statSync(file).isFile()) return file;
  throw new BenchError('gate', `${typed}: the package has no such entry${entry === undefined ? '' : ` (${entry})`}`);
}

/** The target of `path` in a package's `exports`, for the conditions of an `import` in Node. */
function exported(exports: unknown, path: string): string | undefined {
  const isMap =
    typeof exports === 'object' && exports !== null && Object.keys(exports).some((key) => key.startsWith('.'));
  return conditional(isMap ? (exports as Record<string, unknown>)[path] : path === '.' ? exports : undefined);
}

function conditional(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (Array.isArray(target)) return target.map(conditional).find((found) => found !== undefined);
  if (typeof target !== 'object' || target === null) return undefined;
  for (const [condition, inner] of Object.entries(target)) {
    if (!['node', 'import', 'module-sync', 'default'].includes(condition)) continue;
    const found = conditional(inner);
    if (found !== undefined) return found;
  }
  return undefined;
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
    return readdirSync(folder).filter((file) => EXTENSIONS.some((extension) => file.endsWith(extension)));
  } catch {
    return [];
  }
}
