import childProcess from 'node:child_process';
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

/** Functions of node:child_process that can hand a child the bench's standard output. */
const STARTERS = ['spawn', 'spawnSync', 'execSync', 'execFileSync', 'fork'];

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
  for (const name of STARTERS) {
    const original = /** @type {any} */ (childProcess)[name];
    Object.assign(childProcess, {
      [name]: (/** @type {any[]} */ ...given) => Reflect.apply(original, childProcess, withoutOutput(name, given)),
    });
  }
  syncBuiltinESMExports();
}

/**
 * The arguments of a call that starts a child, with standard error wherever the child would get standard output.
 * @param {string} name
 * @param {any[]} given
 */
function withoutOutput(name, given) {
  const at = given.findIndex((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
  const options = at < 0 ? {} : given[at];
  const inherits = name === 'fork' && !options.silent ? ['inherit', 'inherit', 'inherit', 'ipc'] : undefined;
  const stdio = options.stdio === 'inherit' ? ['inherit', 'inherit', 'inherit'] : (options.stdio ?? inherits);
  if (!Array.isArray(stdio)) return given;
  const changed = stdio.map((to, index) =>
    to === 1 || to === process.stdout || (to === 'inherit' && index === 1) ? 2 : to,
  );
  const bound = { ...options, stdio: changed };
  return at < 0 ? [...given, bound] : given.with(at, bound);
}
