import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BenchError, messageOf } from './errors.ts';

/**
 * The file that an `import` from the caller's folder would find for a package's name: of the package that the folder lies in
 * (if it names itself and has `exports`), or of the nearest node_modules that has it.
 * @returns undefined when there is no such package
 * @throws {BenchError} `gate` when there is one, without such an entry
 */
export function findPackage(specifier: string, cwd: string): string | undefined {
  const parts = /^((?:@[a-z\d-~][\w.~-]*\/)?[a-z\d-~][\w.~-]*)(?:\/(.+))?$/i.exec(specifier);
  if (parts === null) return undefined;
  const [, name = '', inner] = parts;
  const itself = nearestPackage(cwd);
  if (itself !== undefined && isNamed(itself, name)) return packageEntry(itself, specifier, inner);
  for (let folder = cwd; ; folder = dirname(folder)) {
    const root = join(folder, 'node_modules', name);
    if (existsSync(join(root, 'package.json'))) return packageEntry(root, specifier, inner);
    if (dirname(folder) === folder) return undefined;
  }
}

/**
 * The entry of the package in a folder.
 * @param typed the package as the user named it, for messages
 * @param inner what stands after the package's name; undefined: the package itself
 * @throws {BenchError} `gate` when it has no such entry, or its package.json cannot be read
 */
export function packageEntry(root: string, typed: string, inner: string | undefined): string {
  const { exports, main } = readManifest(root, typed);
  const entries =
    exports !== undefined
      ? [exported(exports, inner === undefined ? '.' : `./${inner}`)]
      : inner !== undefined
        ? [inner]
        : legacyMains(main);
  for (const entry of entries) {
    const file = entry === undefined ? undefined : join(root, entry);
    if (file !== undefined && statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
  }
  const [entry] = entries;
  throw new BenchError(
    'gate',
    `${typed}: the package has no such entry${entry === undefined ? '' : ` (${entry})`}; name the adapter's file`,
  );
}

interface Manifest {
  readonly name?: unknown;
  readonly exports?: unknown;
  readonly main?: unknown;
}

function readManifest(root: string, typed: string): Manifest {
  try {
    return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest | null) ?? {};
  } catch (error) {
    throw new BenchError('gate', `${typed}: its package.json cannot be read (${messageOf(error)})`, { cause: error });
  }
}

function nearestPackage(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

function isNamed(root: string, name: string): boolean {
  try {
    const manifest = readManifest(root, name);
    return manifest.name === name && manifest.exports !== undefined;
  } catch {
    return false;
  }
}

/** Where Node looks without `exports`, in its order (https://nodejs.org/api/esm.html, LEGACY_MAIN_RESOLVE), but for what is no code. */
function legacyMains(main: unknown): string[] {
  const named = typeof main === 'string' ? [main, `${main}.js`, `${main}/index.js`] : [];
  return [...named, 'index.js'];
}

/** The target of `path` in a package's `exports`, for the conditions of an `import` in Node. */
function exported(exports: unknown, path: string): string | undefined {
  const isMap =
    typeof exports === 'object' && exports !== null && Object.keys(exports).some((key) => key.startsWith('.'));
  if (!isMap) return path === '.' ? conditional(exports) : undefined;
  const map = exports as Record<string, unknown>;
  if (Object.hasOwn(map, path)) return conditional(map[path]);
  for (const [pattern, target] of Object.entries(map)) {
    const [before = '', after] = pattern.split('*');
    if (after === undefined || !path.startsWith(before) || !path.endsWith(after)) continue;
    const between = path.slice(before.length, path.length - after.length);
    return conditional(target)?.replaceAll('*', between);
  }
  return undefined;
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
