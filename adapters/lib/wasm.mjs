// @ts-check
// What engines compiled to WebAssembly need.

import { setFlagsFromString } from 'node:v8';

/**
 * Node 20 dies ("Fatal error ... unreachable code") when a call into WebAssembly that its optimizer has inlined makes the memory
 * there grow, as loading a policy does. Node 22 and 24 do not.
 */
export function keepNode20Alive() {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--no-turbo-inline-js-wasm-calls');
}

/**
 * Text for engines that take UTF-8. JavaScript strings may hold half of a surrogate pair, which UTF-8 cannot: every half
 * becomes U+FFFD there, and two different targets the same one. Different strings stay different here: a half, and U+FFFD itself,
 * become U+FFFD and four hexadecimal digits; all other text stays as it is.
 * @param {string} text
 * @returns {string}
 */
export function wellFormed(text) {
  return text.replace(/[\uFFFD\p{Surrogate}]/gu, (unit) => `\uFFFD${unit.charCodeAt(0).toString(16)}`);
}
