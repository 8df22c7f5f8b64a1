import { relative } from 'node:path';
import { type CommandLine, OPTIONS, type OptionName } from './cli-options.ts';

/** How this program was started, for commands that a person may copy. */
export function invocation(cwd: string): string {
  const script = process.argv[1] ?? 'run.mjs';
  return script.includes('node_modules') ? 'npx toolgate-bench' : `node ${shellWord(relative(cwd, script) || script)}`;
}

/** A word as a shell reads it back. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Options that change where and how output appears, and nothing of a report. */
const OUTPUT_ONLY: ReadonlySet<OptionName> = new Set(['out', 'quiet', 'no-color', 'format', 'by', 'fail-under']);

/** The command that measures the same again: words and options as typed, quoted for a shell. */
export function reproducingCommand({ words, options }: CommandLine): string {
  const typed = [...options]
    .filter(([name]) => !OUTPUT_ONLY.has(name))
    .flatMap(([name, values]) =>
      values.flatMap((value) => (OPTIONS[name].value === undefined ? [`--${name}`] : [`--${name}`, shellWord(value)])),
    );
  return ['toolgate-bench', ...words.map(shellWord), ...typed].join(' ');
}
