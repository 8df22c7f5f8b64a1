#!/usr/bin/env node
import { existsSync, readFileSync, writeSync } from 'node:fs';

/** The help as the build leaves it: whoever asks for nothing else gets it without another module, or a stream, being loaded. */
const help = new URL('help.txt', import.meta.url);
const [first = '', ...others] = process.argv.slice(2);
const asked = ['--help', '-h'].includes(first) && others.length === 0;
if (!asked || !existsSync(help) || !printed(readFileSync(help))) await (await import('./process.ts')).runProcess();

/** False when nothing could be written: a stream may yet be able to, or tells why not. */
function printed(text: Uint8Array): boolean {
  let written = 0;
  try {
    while (written < text.length) written += writeSync(1, text, written);
  } catch {
    if (written > 0) process.stdout.on('error', () => {}).write(text.subarray(written));
  }
  return written > 0;
}
