// @ts-check
// What engines compiled to WebAssembly need.

import { setFlagsFromString } from 'node:v8';

/**
 * Node 20 dies in its deoptimizer ("Fatal error ... unreachable code") after some thousand of Cedar's policies, in a call into
 * WebAssembly that its optimizer has inlined; without such inlining it does not. Not seen on Node 22 and 24.
 */
export function avoidInlinedCalls() {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--no-turbo-inline-js-wasm-calls');
}

/**
 * Text for engines that take UTF-8. JavaScript strings may hold half of a surrogate pair, which UTF-8 cannot: these engines refuse
 * the whole call. Here a half, and U+FFFD itself, become U+FFFD and four hexadecimal digits, so that different strings stay
 * different; all other text stays as it is.
 * @param {string} text
 * @returns {string}
 */
export function wellFormed(text) {
  return text.replace(/[\uFFFD\p{Surrogate}]/gu, (unit) => `\uFFFD${unit.charCodeAt(0).toString(16)}`);
}
