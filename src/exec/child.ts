import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/** A command under a shell, in a process group of its own, that is spoken to in lines. */
export interface Child {
  /**
   * Resolves once, with why the command is gone: its exit status, a signal, or that it could not be started. What a process
   * that it left behind may still write is waited for, but not for long.
   */
  readonly gone: Promise<string>;
  send(text: string): void;
  /** The last lines of its standard error, each cut to a length that fits into a message. */
  lastWords(): string;
  /** Ends its input, then the whole group: by SIGTERM, and by SIGKILL if that is not heeded. */
  end(): Promise<void>;
  /** Ends the whole group by SIGKILL. */
  kill(): void;
}

export interface ChildEvents {
  readonly onLine: (line: string) => void;
  readonly onFlood: () => void;
  /** Whole lines. */
  readonly onStderr: (text: string) => void;
}

/** Longer lines than this are no answers, but a flood; of standard error they are passed on in pieces. */
const LONGEST_LINE = 1_000_000;
const LONGEST_WORDS = 300;
const PATIENCE_MS = 500;

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) killGroup(child);
});

export function startChild(command: string, { onLine, onFlood, onStderr }: ChildEvents): Child {
  const child = spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  alive.add(child);
  const gone = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`could not be started: ${error.message}`));
    const ended = (code: number | null, signal: string | null): void =>
      resolve(signal === null ? `ended with status ${code}` : `was ended by ${signal}`);
    child.on('close', ended);
    // Processes that it leaves behind may hold its output open for ever.
    child.on('exit', (code, signal) => void setTimeout(ended, PATIENCE_MS, code, signal).unref());
  });
  void gone.then(() => alive.delete(child));
  readLines(child.stdout, onLine, onFlood);
  const lastWords = readStderr(child.stderr, onStderr);
  child.stdin.on('error', () => {});
  return {
    gone,
    send: (text) => void child.stdin.write(text),
    lastWords,
    kill() {
      killGroup(child);
      setTimeout(letGo, PATIENCE_MS, child).unref();
    },
    async end() {
      child.stdin.end();
      if (!(await within(gone, PATIENCE_MS))) {
        killGroup(child, 'SIGTERM');
        await within(gone, PATIENCE_MS);
      }
      killGroup(child);
      await within(gone, PATIENCE_MS);
      letGo(child);
    },
  };
}

/** @returns what the last lines were, the one under way included */
function readStderr(stream: Readable, onLines: (text: string) => void): () => string {
  let words: string[] = [];
  let rest = '';
  const hear = (lines: readonly string[]): void => {
    if (lines.length === 0) return;
    onLines(`${lines.join('\n')}\n`);
    words = [...words, ...lines.filter((line) => line.trim() !== '')].slice(-3);
  };
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) {
      lines.push(rest);
      rest = '';
    }
    hear(lines);
  });
  stream.on('close', () => {
    if (rest !== '') hear([rest]);
    rest = '';
  });
  const cut = (line: string): string => (line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS - 3)}...` : line);
  return () => (rest.trim() === '' ? words : [...words, rest].slice(-3)).map(cut).join(' | ');
}

/** A process that left the group may hold the pipes open; they must not keep the bench from ending. */
function letGo(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
  child.unref();
}

function readLines(stream: Readable, onLine: (line: string) => void, onFlood: () => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    if (rest.length > LONGEST_LINE) {
      stream.removeAllListeners('data').resume();
      onFlood();
    }
  });
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}

async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const done = await Promise.race([promise.then(() => true as const), late]);
  clearTimeout(timer);
  return done;
}
