import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { pathToFileURL } from 'node:url';

const native = 'typescript' in process.features && Boolean(process.features.typescript);

/**
 * Makes this thread able to import an adapter that is no `.mjs`: TypeScript where Node runs none by itself, and modules that
 * their package.json calls CommonJS.
 * @param {string} url of the adapter's file, links followed
 * @returns {Promise<void>}
 * @throws {Error} with one line, when it cannot be done
 */
export async function prepareFor(url) {
  const isTypeScript = /\.[cm]?ts$/.test(new URL(url).pathname);
  const isInstalled = url.includes('/node_modules/');
  if (isTypeScript && !native) await registerTsx(url, isInstalled);
  if (isTypeScript && native && isInstalled)
    throw new Error('is TypeScript under node_modules, where Node runs none; let the package ship it as .mjs');
  await registerFormat();
}

/**
 * @param {string} url
 * @param {boolean} isInstalled whether it lies under node_modules, where a newer Node runs no TypeScript either
 */
async function registerTsx(url, isInstalled) {
  const manifest = findTsx(url);
  if (manifest === undefined) {
    throw new Error(
      isInstalled
        ? 'is TypeScript under node_modules, where Node runs none; install tsx beside the package, or let it ship the gate as .mjs'
        : `is TypeScript, which Node ${process.versions.node} does not run by itself; use Node 22.18 or newer, install tsx beside the adapter, or write it as .mjs`,
    );
  }
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8'));
  for (const api of ['./esm/api', './cjs/api']) {
    const { register } = await import(new URL(exports[api].import.default, pathToFileURL(manifest)).href);
    register();
  }
}

/**
 * The package.json of the tsx beside the adapter, or beside the bench. (What `require` resolves is not what `import` does.)
 * @param {string} url
 */
function findTsx(url) {
  for (const from of [url, import.meta.url]) {
    try {
      return nodeModule.createRequire(from).resolve('tsx/package.json');
    } catch {
      continue;
    }
  }
  return undefined;
}

let formatIsRegistered = false;

async function registerFormat() {
  if (formatIsRegistered) return;
  formatIsRegistered = true;
  const hook = new URL('./module-format.mjs', import.meta.url).href;
  if ('registerHooks' in nodeModule) /** @type {any} */ (nodeModule).registerHooks(await import(hook));
  else if ('register' in nodeModule) nodeModule.register(hook);
}
