import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/** A command under a shell, in a process group of its own, that is spoken to in lines. */
export interface Child {
  /** Resolves once, with why the command is gone: its exit status, a signal, or that it could not be started. */
  readonly gone: Promise<string>;
  send(text: string): void;
  /** The last lines of its standard error, for messages. */
  lastWords(): string;
  /** Ends its input, then the whole group: by SIGTERM, and by SIGKILL if that is not heeded. */
  end(): Promise<void>;
  kill(): void;
}

export interface ChildEvents {
  readonly onLine: (line: string) => void;
  readonly onFlood: () => void;
  readonly onStderr: (text: string) => void;
}

/** Longer lines than this are no answers, but a flood. */
const LONGEST_LINE = 1_000_000;
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
    child.on('close', (code, signal) =>
      resolve(signal === null ? `ended with status ${code}` : `was ended by ${signal}`),
    );
  });
  void gone.then(() => alive.delete(child));
  readLines(child.stdout, onLine, onFlood);
  const words: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    onStderr(text);
    words.push(...text.split('\n').filter((line) => line.trim() !== ''));
    words.splice(0, Math.max(0, words.length - 3));
  });
  child.stdin.on('error', () => {});
  return {
    gone,
    send: (text) => void child.stdin.write(text),
    lastWords: () => words.join(' | '),
    kill: () => killGroup(child),
    async end() {
      child.stdin.end();
      if (await within(gone, PATIENCE_MS)) return killGroup(child);
      killGroup(child, 'SIGTERM');
      await within(gone, PATIENCE_MS);
      killGroup(child);
      await within(gone, PATIENCE_MS);
    },
  };
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
