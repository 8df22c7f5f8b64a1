import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { BenchError, messageOf } from '../errors.ts';
import { type CaseRecord, keyText, STORE_SCHEMA, type StoreHeader, type StoreNote } from './caseRecord.ts';
import { isCase, isHeader, isNote } from './storeShape.ts';

/** A store as it stands in its file. */
export interface StoreContent {
  readonly header: StoreHeader;
  readonly records: readonly CaseRecord[];
  readonly notes: readonly StoreNote[];
  /** Bytes up to the end of the last whole line. */
  readonly length: number;
  /** Whether a half-written line follows. */
  readonly cut: boolean;
}

/** A store that is open for writing. */
export interface Store {
  /** What was there before. */
  readonly records: readonly CaseRecord[];
  readonly spent: number;
  append(line: CaseRecord | StoreNote): void;
  close(): void;
}

function refuse(shown: string, line: number, reason: string): never {
  throw new BenchError('input', `${shown}:${line}: ${reason}`);
}

function parsedLine(text: string, shown: string, line: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Told below, as is JSON that is no object.
  }
  return refuse(shown, line, 'not a record of a store; restore the file, or begin a new one');
}

/**
 * Reads a store. A half-written last line is left out and told by `cut`; undefined: nothing whole is in the file.
 * @throws {BenchError} `input`: unreadable, no store, or a line that is none
 */
export function readStore(path: string, shown: string = path): StoreContent | undefined {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new BenchError('input', `${shown}: cannot be read (${messageOf(error)})`, { cause: error });
  }
  const whole = content.slice(0, content.lastIndexOf('\n') + 1);
  const cut = whole.length < content.length;
  const [first, ...rest] = whole.split('\n').slice(0, -1);
  if (first === undefined) {
    if (cut && !content.startsWith('{"kind":"header"'.slice(0, content.length))) refuse(shown, 1, 'not a store');
    return undefined;
  }
  const header = parsedLine(first, shown, 1);
  if (header['kind'] !== 'header' || header['schema'] !== STORE_SCHEMA) refuse(shown, 1, `no store of ${STORE_SCHEMA}`);
  if (!isHeader(header)) refuse(shown, 1, 'the header of a store lacks what it must have');
  const records: CaseRecord[] = [];
  const notes: StoreNote[] = [];
  for (const [index, text] of rest.entries()) {
    const value = parsedLine(text, shown, index + 2);
    if (isCase(value)) records.push(value as unknown as CaseRecord);
    else if (isNote(value)) notes.push(value as unknown as StoreNote);
    else refuse(shown, index + 2, 'neither a case nor a note, in all its members');
    if (value['corpus'] !== undefined && value['corpus'] !== header['corpus'])
      refuse(shown, index + 2, 'a case of another corpus than the header says');
  }
  return { header: header as unknown as StoreHeader, records, notes, length: Buffer.byteLength(whole), cut };
}

/** What a store must be of, and where warnings go. */
export interface OpenStoreOptions {
  readonly header: StoreHeader;
  readonly shown?: string;
  readonly warn: (message: string) => void;
}

/**
 * Opens a store for writing, or begins one, and holds its lock (`FILE.lock`) until it is closed.
 * @throws {BenchError} `input`: locked, not writable, of another corpus or of other parameters, or corrupt
 */
export function openStore(path: string, { header, shown = path, warn }: OpenStoreOptions): Store {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw new BenchError('input', `${shown}: is no regular file; a store has to be one`);
  }
  const release = lock(path, shown);
  try {
    const before = existsSync(path) ? readStore(path, shown) : undefined;
    if (before) requireSame(before.header, header, shown);
    const fd = openForAppend(path, shown);
    if (before?.cut) warn(`${shown}: the last line was half-written; it is dropped and its case run again`);
    ftruncateSync(fd, before?.length ?? 0);
    if (!before) writeSync(fd, `${JSON.stringify(header)}\n`);
    const lines = [...(before?.records ?? []), ...(before?.notes ?? [])];
    return {
      records: before?.records ?? [],
      spent: lines.reduce((most, { spent = 0 }) => Math.max(most, spent), 0),
      append: (line) => {
        try {
          writeSync(fd, `${JSON.stringify(line)}\n`);
        } catch (error) {
          throw new BenchError('input', `${shown}: cannot be written (${messageOf(error)})`, { cause: error });
        }
      },
      close: () => {
        closeSync(fd);
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

function openForAppend(path: string, shown: string): number {
  try {
    return openSync(path, 'a');
  } catch (error) {
    throw new BenchError('input', `${shown}: cannot be written (${messageOf(error)})`, { cause: error });
  }
}

function requireSame(found: StoreHeader, wanted: StoreHeader, shown: string): void {
  if (found.corpus !== wanted.corpus) {
    throw new BenchError('input', `${shown}: is a store of another corpus (sha256 ${found.corpus}); name another file`);
  }
  const keys = new Set([...Object.keys(found.parameters), ...Object.keys(wanted.parameters)]);
  for (const key of keys) {
    const [was, is] = [found.parameters[key], wanted.parameters[key]];
    if (isDeepStrictEqual(was, is)) continue;
    const values = `${JSON.stringify(was ?? null)}, not ${JSON.stringify(is ?? null)}`;
    throw new BenchError('input', `${shown}: its cases were run with ${key} ${values}; name another file`);
  }
}

/** Takes the lock; one whose process is gone is taken over. */
function lock(path: string, shown: string, retry = true): () => void {
  const file = `${path}.lock`;
  try {
    const fd = openSync(file, 'wx');
    writeSync(fd, String(process.pid));
    closeSync(fd);
    return () => rmSync(file, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new BenchError(
        'input',
        `${shown}: cannot be locked (${messageOf(error)}); name a file in a folder of your own`,
        {
          cause: error,
        },
      );
    }
    const holder = Number(readFileSync(file, 'utf8'));
    if (retry && Number.isInteger(holder) && holder > 0 && !isAlive(holder)) {
      rmSync(file, { force: true });
      return lock(path, shown, false);
    }
    throw new BenchError(
      'input',
      `${shown}: is in use by process ${holder}; wait for it, or remove ${shown}.lock if it is gone`,
    );
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The cases of a store by the text of their keys. An error is an end, too. */
export function finishedCases(records: readonly CaseRecord[]): Map<string, CaseRecord> {
  return new Map(records.map((record) => [keyText(record.key), record]));
}
