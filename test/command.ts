import { spawn, type SpawnOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const ROOT: string = fileURLToPath(new URL('..', import.meta.url));
const RUN = fileURLToPath(new URL('../run.mjs', import.meta.url));

/** How to start it: as `spawn` has it, and `run` for a copy's run.mjs instead of this folder's. */
export type StartOptions = SpawnOptions & { readonly run?: string };

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
  const child = spawn(process.execPath, [options.run ?? RUN, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
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
