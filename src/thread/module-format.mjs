// A resolve hook: what is written as a module is a module. Where a package.json says "type": "commonjs" Node takes .js and .ts
// for CommonJS and refuses them when they are not; so does tsx wherever none says "module".
import { readFileSync } from 'node:fs';

/** Begins a line of a module, and none of a CommonJS file: `import fs = require()` and `import()` may stand in both. */
const MODULE_LINE =
  /^[ \t]*(?:export\s*(?:default|const|let|var|function|class|async|type|interface|[{*])|import\s*(?:[{*'"]|type\b|\w+\s*(?:,|from\b)))/m;

/**
 * @param {string} source
 * @returns {boolean} whether it is written as a module
 */
export function isModuleSource(source) {
  return MODULE_LINE.test(source);
}

/**
 * Called by Node: with a `next` that returns a promise from `module.register`, else from `module.registerHooks`.
 * @param {string} specifier
 * @param {import('node:module').ResolveHookContext} context
 * @param {(specifier: string, context: import('node:module').ResolveHookContext) => any} next
 * @returns {any}
 */
export function resolve(specifier, context, next) {
  const found = next(specifier, context);
  return found instanceof Promise ? found.then(corrected) : corrected(found);
}

/** @param {import('node:module').ResolveFnOutput} found */
function corrected(found) {
  // A query marks what tsx asks itself.
  if (!/^file:[^?]+\.[jt]s$/.test(found.url) || found.url.includes('/node_modules/')) return found;
  // Where no package.json says what it is Node leaves it open, and warns when it has to read a file twice.
  const format = found.format ?? (found.url.endsWith('.ts') ? 'commonjs-typescript' : 'commonjs');
  if (!format.startsWith('commonjs') || !isModuleSource(readFileSync(new URL(found.url), 'utf8'))) return found;
  return { ...found, format: format.replace('commonjs', 'module') };
}
