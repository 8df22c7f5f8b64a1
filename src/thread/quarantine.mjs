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

/** Standard output by one of its names. */
const STDOUT_PATH = new RegExp(`^(?:/dev/stdout|/dev/fd/1|/proc/(?:self|thread-self|${process.pid})/fd/1)$`);

/** @param {unknown} to */
const isOutput = (to) => to === 1 || (typeof to === 'string' && STDOUT_PATH.test(to));

/** @param {unknown} to */
const elsewhere = (to) => (isOutput(to) ? 2 : to);

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
  // A stream opens what it writes to by these, too. Appended to: standard error may be a file that holds something already.
  for (const name of ['open', 'openSync']) {
    const original = /** @type {any} */ (fs)[name];
    Object.assign(fs, {
      [name]: (/** @type {unknown} */ path, /** @type {any[]} */ ...rest) =>
        isOutput(path)
          ? Reflect.apply(original, fs, ['/dev/stderr', 'a', ...rest.filter((one) => typeof one === 'function')])
          : Reflect.apply(original, fs, [path, ...rest]),
    });
  }
  for (const name of ['open', 'writeFile', 'appendFile']) {
    const original = /** @type {any} */ (fs.promises)[name];
    Object.assign(fs.promises, {
      [name]: (/** @type {unknown} */ to, /** @type {any[]} */ ...rest) =>
        isOutput(to)
          ? Reflect.apply(original, fs.promises, [
              '/dev/stderr',
              ...(name === 'open' ? ['a'] : [rest[0], { flag: 'a' }]),
            ])
          : Reflect.apply(original, fs.promises, [to, ...rest]),
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
