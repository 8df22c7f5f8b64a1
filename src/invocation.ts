import { relative } from 'node:path';

/** How this program was started, for commands that a person may copy. */
export function invocation(cwd: string): string {
  const script = process.argv[1] ?? 'run.mjs';
  return script.includes('node_modules') ? 'npx toolgate-bench' : `node ${shellWord(relative(cwd, script) || script)}`;
}

/** A word as a shell reads it back. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
