import { plain } from './render/table.ts';

/** What a command works with: streams, surroundings and the signal of an interruption, all handed in. */
export interface Io {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly cwd: string;
  readonly env: { readonly [name: string]: string | undefined };
  /** Fires at Ctrl-C: what is finished is still printed. */
  readonly signal: AbortSignal;
}

export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  /** Of a terminal: how many characters a line holds. */
  readonly columns?: number | undefined;
}

/** Whether colours are wanted: a terminal, no NO_COLOR, and no `--no-color`. */
export function wantsColor({ stdout, env }: Io, noColor: boolean): boolean {
  return stdout.isTTY === true && !noColor && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** One line to standard error. */
export function complain({ stderr }: Io, message: string): void {
  stderr.write(`toolgate-bench: ${plain(message)}\n`);
}
