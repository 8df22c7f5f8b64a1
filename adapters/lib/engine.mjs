// @ts-check
// Finds and loads the library behind an adapter.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const ENGINES = join(HERE, '..', '..', 'engines');

/**
 * Loads a library from `engines/node_modules`, else from where the bench is run, else from where it is installed.
 * @param {string} name of the package
 * @param {string} line the versions that the adapter was written for, such as `4`; `0.19` where the major version is 0
 * @param {string} [entry] the subpath to import, as in the package's `exports`
 * @returns {Promise<{ module: any, engine: { name: string, version: string } }>}
 * @throws {Error} one line with the install command, when the package is missing or of another version line
 */
export async function importEngine(name, line, entry = '.') {
  const folder = [ENGINES, process.cwd(), HERE]
    .map((start) => findPackage(start, name))
    .find((found) => found !== null);
  if (folder === undefined) throw new Error(`${name} is not installed; ${install(name, line)}`);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!`${manifest.version}.`.startsWith(`${line}.`)) {
    throw new Error(
      `${name} ${manifest.version} is installed, but this adapter is written for version ${line}; ${install(name, line)}`,
    );
  }
  const module = await import(pathToFileURL(join(folder, entryFile(manifest, entry))).href);
  return { module, engine: { name, version: manifest.version } };
}

/**
 * @param {string} name
 * @param {string} line
 */
function install(name, line) {
  const bundled = existsSync(join(ENGINES, 'package.json'));
  return `install it with: ${bundled ? 'npm ci --prefix engines' : `npm install ${name}@${line}`}`;
}

/**
 * The nearest folder of the package from `start` upwards, as Node looks for it.
 * @param {string} start
 * @param {string} name
 * @returns {string | null}
 */
function findPackage(start, name) {
  for (let folder = start; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (folder === dirname(folder)) return null;
  }
}

/**
 * `require.resolve` refuses packages that can only be imported, and `import.meta.resolve` knows this file's folders alone.
 * @param {{ name: string, exports?: any, main?: string }} manifest
 * @param {string} entry
 * @returns {string}
 */
function entryFile(manifest, entry) {
  let target = manifest.exports?.[entry];
  while (typeof target === 'object' && target !== null) target = target.node ?? target.import ?? target.default;
  if (typeof target === 'string') return target;
  throw new Error(`${manifest.name} has no ${entry === '.' ? 'main entry' : `entry ${entry}`} to import`);
}
