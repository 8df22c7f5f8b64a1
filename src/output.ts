import { accessSync, constants, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BenchError, messageOf } from './errors.ts';
import { complain, type Io } from './io.ts';

/**
 * Finds out before anything is measured whether `--out` can be written.
 * @throws {BenchError} `usage`, saying what stands in the way
 */
export function checkOut(io: Io, out: string | undefined): void {
  if (out === undefined) return;
  if (out === '') throw new BenchError('usage', '--out: the file name is empty');
  const path = resolve(io.cwd, out);
  const folder = dirname(path);
  const kind = statSync(path, { throwIfNoEntry: false });
  if (kind?.isDirectory()) throw new BenchError('usage', `--out ${out}: is a folder; name a file`);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new BenchError('usage', `--out ${out}: the folder ${dirname(out)} does not exist; make it first`);
  }
  try {
    accessSync(folder, constants.W_OK);
    if (kind !== undefined) accessSync(path, constants.W_OK);
  } catch (error) {
    throw new BenchError(
      'usage',
      `--out ${out}: cannot be written (${messageOf(error)}); name a file in a folder of your own`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Prints a report, or writes it beside `--out` and renames it, so that an older file is whole until the new one is. A
 * report that cannot be written is printed, so that it is not lost.
 * @returns whether it arrived where it was wanted
 */
export function deliver(io: Io, text: string, out: string | undefined): boolean {
  if (out === undefined) {
    io.stdout.write(text);
    return true;
  }
  const named = resolve(io.cwd, out);
  const kind = statSync(named, { throwIfNoEntry: false });
  // A link is followed; a device or a pipe is written to, never replaced.
  const path = kind === undefined ? named : realpathSync(named);
  const beside = `${path}.${process.pid}.tmp`;
  try {
    if (kind !== undefined && !kind.isFile()) {
      writeFileSync(named, text);
      return true;
    }
    writeFileSync(beside, text, kind === undefined ? {} : { mode: kind.mode });
    renameSync(beside, path);
    return true;
  } catch (error) {
    rmSync(beside, { force: true });
    complain(io, `--out ${out}: cannot be written (${messageOf(error)}); the report follows on standard output`);
    io.stdout.write(text);
    return false;
  }
}
