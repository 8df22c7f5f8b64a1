import { main } from './main.ts';

/** Runs the command line of this process and leaves its exit status. The one place that touches the process. */
export async function runProcess(): Promise<void> {
  const interruption = new AbortController();
  process.once('SIGINT', () => interruption.abort());
  process.once('SIGTERM', () => interruption.abort());
  // Whoever reads the report may stop reading (`| head`); that is no fault of the measurement.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`toolgate-bench: standard output cannot be written (${error.message})\n`);
    process.exit(2);
  });
  process.stderr.on('error', () => {});
  const cwd = currentFolder();
  if (cwd === null) {
    process.stderr.write('toolgate-bench: the current folder does not exist any more; change to another\n');
    process.exitCode = 2;
    return;
  }
  process.exitCode = await main(process.argv.slice(2), {
    stdout: process.stdout,
    stderr: process.stderr,
    cwd,
    env: process.env,
    signal: interruption.signal,
  });
  process.removeAllListeners('SIGINT').removeAllListeners('SIGTERM');
}

/** Null where somebody removed it since the shell went there. */
function currentFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}
