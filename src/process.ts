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
  process.exitCode = await main(process.argv.slice(2), {
    stdout: process.stdout,
    stderr: process.stderr,
    cwd: process.cwd(),
    env: process.env,
    signal: interruption.signal,
  });
  process.removeAllListeners('SIGINT').removeAllListeners('SIGTERM');
}
