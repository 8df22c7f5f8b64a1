// What CI does, in one command: `npm run check`. A step whose tools are missing here is left out, and named before the last one;
// with --all it fails instead, which is how CI calls it. `npm run check -- WORD...`: the steps whose names hold one of the words.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {() => string | null} [lacks] what is missing here; null: nothing
 * @property {() => void | Promise<void>} run throws when the step fails
 */

const root = fileURLToPath(new URL('..', import.meta.url));
/** Fewer tests than this have not been found, whatever their outcome: Node 20 ends with 0 for a pattern that matches nothing. */
const LEAST_TESTS = 880;

/** @param {string} command */
const shell = (command) => () => void execFileSync('bash', ['-e', '-c', command], { cwd: root, stdio: 'inherit' });
const uvIsMissing = () => (spawnSync('uv', ['--version']).status === 0 ? null : 'uv (pip install uv)');
const enginesAreMissing = () =>
  existsSync(join(root, 'engines/node_modules')) ? null : 'the engines (npm ci --prefix engines)';

/** @type {readonly Step[]} */
const STEPS = [
  { name: 'lock files name no registry', run: noRegistries },
  { name: 'types', run: shell('npm run --silent typecheck') },
  { name: 'lint and format', run: shell('npm run --silent lint') },
  { name: 'unused files, exports and dependencies', run: shell('npm run --silent unused') },
  { name: 'build', run: shell('npm run --silent build') },
  { name: 'documents: README', run: shell('node tools/readme.mjs --check') },
  { name: 'documents: recorded runs', run: shell('npm run --silent results:runs -- --check') },
  { name: 'documents: scenarios', run: shell('node tools/scenarios-doc.mjs --check') },
  { name: 'documents: library', run: shell('npm run --silent docs:api -- --check') },
  { name: 'documents: figures', run: shell('npm run --silent docs:figures -- --check') },
  {
    name: 'documents: every gate',
    lacks: () => enginesAreMissing() ?? uvIsMissing(),
    run: shell('npm run --silent results -- --check'),
  },
  { name: 'ground truth, extracted again', lacks: uvIsMissing, run: extractAgain },
  { name: 'faults of AgentDojo’s checks', lacks: uvIsMissing, run: shell('uv run --quiet extract/check_oracles.py') },
  {
    name: 'main job with nothing installed, on Node 24',
    lacks: () => (node24() === null ? 'Node 24' : null),
    run: () =>
      void execFileSync(join(node24() ?? '', 'node'), ['tools/clean-run.mjs'], { cwd: root, stdio: 'inherit' }),
  },
  {
    name: 'tests on Node 24',
    lacks: () => (node24() === null ? 'Node 24' : null),
    run: () => runTests(node24() ?? ''),
  },
  { name: `tests on this Node (${process.version})`, run: () => runTests(dirname(process.execPath)) },
];

function noRegistries() {
  for (const file of ['package-lock.json', 'engines/package-lock.json']) {
    if (/"resolved"/.test(readFileSync(join(root, file), 'utf8')))
      throw new Error(`${file} says where packages came from`);
  }
}

/** The extractor's bytes are the repository's. */
function extractAgain() {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-check-'));
  try {
    const out = join(folder, 'ground_truth.jsonl');
    execFileSync('uv', ['run', '--quiet', 'extract/extract_ground_truth.py', '--out', out], {
      cwd: root,
      stdio: 'inherit',
    });
    const same = readFileSync(out).equals(readFileSync(join(root, 'data/ground_truth.jsonl')));
    if (!same) throw new Error('data/ground_truth.jsonl is not what the extractor writes');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @type {string | null | undefined} */
let foundNode24;

/** The folder of a Node 24: this one, or one that npx has or gets; null where it cannot. */
function node24() {
  if (process.version.startsWith('v24.')) return dirname(process.execPath);
  if (foundNode24 === undefined) {
    const found = spawnSync('npx', ['-y', '-p', 'node@24', '-c', 'dirname "$(command -v node)"'], { encoding: 'utf8' });
    foundNode24 = found.status === 0 ? found.stdout.trim() : null;
  }
  return foundNode24;
}

/**
 * Fails when a test fails, and when fewer ran than there must be.
 * @param {string} folder of the Node to take
 * @returns {Promise<void>}
 */
function runTests(folder) {
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH']}` };
  const child = spawn('npm', ['test'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let last = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text);
    last = (last + text).slice(-1_000_000);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => {
      const passed = Number([...last.matchAll(/^\S+ pass (\d+)$/gm)].at(-1)?.[1] ?? 0);
      if (status !== 0) reject(new Error('the tests fail'));
      else if (passed < LEAST_TESTS)
        reject(new Error(`only ${passed} tests passed; there are at least ${LEAST_TESTS}`));
      else resolve();
    });
  });
}

const words = process.argv.slice(2).filter((word) => word !== '--all');
const strict = process.argv.includes('--all');
const chosen = STEPS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen.length === 0)
  throw new Error(`no step is called so; there are: ${STEPS.map(({ name }) => name).join('; ')}`);
/** @type {string[]} */
const leftOut = [];
/** @type {string[]} */
const failed = [];
const list = (/** @type {string} */ what, /** @type {string[]} */ names) =>
  names.length === 0 ? '' : `${what}: ${names.join(', ')}\n`;
for (const { name, lacks, run } of chosen) {
  // Said before the last step, so that a whole run ends with the test runner's own summary.
  if (name === chosen.at(-1)?.name && leftOut.length + failed.length > 0)
    process.stdout.write(`\n${list('left out', leftOut)}${list('failed', failed)}`);
  const missing = lacks?.() ?? null;
  process.stdout.write(`\n== ${name}${missing === null ? '' : `: left out, for want of ${missing}`}\n`);
  if (missing !== null) {
    leftOut.push(`${name} (${missing})`);
    continue;
  }
  try {
    await run();
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
    failed.push(name);
  }
}
if (failed.length > 0 || (strict && leftOut.length > 0)) process.exitCode = 1;
