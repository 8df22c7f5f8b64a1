import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** @param {unknown} fd */
const elsewhere = (fd) => (fd === 1 ? 2 : fd);

/**
 * Keeps what an adapter does to the process out of the process. (`process.exit` ends a thread alone, and what goes to
 * `process.stdout` arrives at the bench as a stream, both without help.)
 */
export function quarantine() {
  const kill = process.kill.bind(process);
  process.kill = (pid, signal) => {
    if (pid === process.pid || pid === process.ppid || pid <= 0)
      throw new Error('the gate tried to end the process (process.kill)');
    return kill(pid, signal);
  };
  const { writeSync, write } = fs;
  Object.assign(fs, {
    writeSync: (/** @type {any} */ fd, /** @type {any[]} */ ...rest) =>
      Reflect.apply(writeSync, fs, [elsewhere(fd), ...rest]),
    write: (/** @type {any} */ fd, /** @type {any[]} */ ...rest) => Reflect.apply(write, fs, [elsewhere(fd), ...rest]),
  });
  syncBuiltinESMExports();
}
