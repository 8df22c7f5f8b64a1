import { spawn, type SpawnOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const ROOT: string = fileURLToPath(new URL('..', import.meta.url));
const RUN = fileURLToPath(new URL('../run.mjs', import.meta.url));

/** How to start it, beside what `spawn` has. */
export type StartOptions = SpawnOptions & {
  /** A copy's run.mjs, instead of this folder's. */
  readonly run?: string;
  /** With no right to write where file modes forbid it, whoever runs the tests. */
  readonly isUnprivileged?: boolean;
};

/**
 * The command, and the words before it, that run a program without the superuser's right to write everywhere. The
 * superuser stays itself otherwise: another user might not be able to read this folder, or the Node that runs.
 */
function unprivileged(program: string, args: readonly string[]): [program: string, args: string[]] {
  if (process.getuid?.() !== 0) return [program, [...args]];
  return ['setpriv', ['--bounding-set=-dac_override,-dac_read_search', program, ...args]];
}

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real command, as a user would, and waits for its end. */
export function toolgate(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
  const { ended } = startToolgate(args, options);
  return ended;
}

/** The same, with the process at hand. */
export function startToolgate(
  args: readonly string[],
  options: StartOptions = {},
): { readonly child: ReturnType<typeof spawn>; readonly ended: Promise<Ended> } {
  const { run = RUN, isUnprivileged = false, ...spawnOptions } = options;
  const words = [run, ...args];
  const [program, rest] = isUnprivileged ? unprivileged(process.execPath, words) : [process.execPath, words];
  const child = spawn(program, rest, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], ...spawnOptions });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
  return { child, ended };
}
