import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Functions of node:fs that write to a descriptor, or to a file that a descriptor stands for. */
const WRITERS = [
  'write',
  'writeSync',
  'writev',
  'writevSync',
  'writeFile',
  'writeFileSync',
  'appendFile',
  'appendFileSync',
];

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
  for (const name of WRITERS) {
    const original = /** @type {any} */ (fs)[name];
    Object.assign(fs, {
      [name]: (/** @type {unknown} */ to, /** @type {any[]} */ ...rest) =>
        Reflect.apply(original, fs, [elsewhere(to), ...rest]),
    });
  }
  for (const name of ['close', 'closeSync']) {
    const original = /** @type {any} */ (fs)[name];
    Object.assign(fs, {
      [name]: (/** @type {any} */ fd, /** @type {any[]} */ ...rest) => {
        if (fd <= 2) throw new Error(`the gate tried to close the bench's own output (fs.${name})`);
        return Reflect.apply(original, fs, [fd, ...rest]);
      },
    });
  }
  syncBuiltinESMExports();
}
