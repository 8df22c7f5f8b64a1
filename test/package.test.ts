import assert from 'node:assert/strict';
import { execFileSync, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-package-'));
after(() => rmSync(folder, { recursive: true }));
let tarball: string;
const PACKAGE = join(folder, 'node_modules/toolgate-bench');
const tool = (file: string): string => join(ROOT, 'node_modules', file);

before(() => {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT, encoding: 'utf8' });
  tarball = join(
    folder,
    readdirSync(folder).find((file) => file.endsWith('.tgz'))!,
  );
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  execFileSync('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
});

/** The folder of a Node of that major version; null when it is not to be had here. */
function nodeFolder(major: number): string | null {
  if (process.versions.node.startsWith(`${major}.`)) return dirname(process.execPath);
  const where = ['-y', '-p', `node@${major}`, '-c', 'dirname "$(command -v node)"'];
  const { status, stdout } = spawnSync('npx', where, { encoding: 'utf8', timeout: 180_000 });
  return status === 0 ? stdout.trim() : null;
}

/** A network that leads nowhere, where the system lets one be made. */
const OFFLINE = spawnSync('unshare', ['-rn', 'true']).status === 0 ? ['unshare', '-rn'] : [];

/** Runs a program of the installed package's folder, with one Node and without a network. */
function runner(node: string, cwd: string): (command: string, ...args: string[]) => SpawnSyncReturns<string> {
  const env = { PATH: `${node}${delimiter}${process.env['PATH']}`, HOME: folder, npm_config_offline: 'true' };
  return (command, ...args) => {
    const [first = '', ...others] = [...OFFLINE, command, ...args];
    return spawnSync(first, others, { cwd, encoding: 'utf8', env });
  };
}

test('the package is small and brings nothing along', () => {
  assert.ok(statSync(tarball).size < 2.5e6, `${statSync(tarball).size} bytes`);
  assert.deepEqual(
    readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['toolgate-bench'],
  );
  assert.deepEqual(readdirSync(join(folder, 'node_modules/.bin')), ['toolgate-bench']);
});

test('what a page of the package links to is in the package', () => {
  const pages = readdirSync(PACKAGE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
  assert.ok(pages.includes('README.md') && pages.includes(join('docs', 'methodology.md')));
  let links = 0;
  for (const page of pages) {
    for (const [, path = ''] of readFileSync(join(PACKAGE, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
      assert.ok(existsSync(join(PACKAGE, dirname(page), path)), `${page}: ${path}`);
      links++;
    }
  }
  assert.ok(links > 50, `${links} links`);
});

test('publint and arethetypeswrong find nothing', () => {
  const published = spawnSync(process.execPath, [tool('publint/src/cli.js'), '--strict', tarball], {
    encoding: 'utf8',
  });
  assert.equal(published.status, 0, published.stdout);
  assert.match(published.stdout, /All good!/);
  const attw = [tool('@arethetypeswrong/cli/dist/index.js'), tarball, '--profile', 'esm-only'];
  const typed = spawnSync(process.execPath, attw, { encoding: 'utf8' });
  assert.equal(typed.status, 0, typed.stdout);
  assert.match(typed.stdout, /node16 \(from ESM\)/);
});

for (const major of [20, 22, 24]) {
  test(`the installed command and library work on Node ${major}, without a network`, (t) => {
    const node = nodeFolder(major);
    if (node === null) return t.skip(`Node ${major} is not to be had here`);
    const cwd = join(folder, `on #%41 é ${major}`);
    mkdirSync(cwd);
    const run = runner(node, cwd);
    assert.match(run('node', '--version').stdout, new RegExp(`^v${major}\\.`));
    const bench = (...args: string[]) => run('npx', 'toolgate-bench', ...args, '--tier', 'target', '--resamples', '0');

    const made = run('npx', 'toolgate-bench', 'init', 'my-gate.mjs');
    assert.equal(made.status, 0, made.stderr);
    assert.match(made.stdout, /npx toolgate-bench my-gate\.mjs/);
    const measured = bench('my-gate.mjs');
    assert.equal(measured.status, 0, measured.stderr);
    assert.match(measured.stdout, /^my-gate\n {2}target +100\.0 % +100\.0 % +0\.0 % +0\.0 % +0$/m);
    const runs = bench('runs', 'my-gate.mjs', '--pipeline', 'command-r');
    assert.equal(runs.status, 0, runs.stderr);
    assert.match(runs.stdout, /^my-gate, target$/m);
    assert.equal(run('npx', 'toolgate-bench', 'validate').status, 0);
    assert.equal(run('npx', 'toolgate-bench', 'probe', 'exact').status, 0);

    assert.equal(run('npx', 'toolgate-bench', 'init', 'typed.ts').status, 0);
    const typed = bench('typed.ts');
    if (major === 20) {
      assert.equal(typed.status, 2);
      const line =
        /^toolgate-bench: typed\.ts: is TypeScript, which Node 20\.[\d.]+ does not run by itself; use Node 22\.18 or newer, install tsx beside the adapter, or write it as \.mjs\n$/;
      assert.match(typed.stderr, line);
    } else {
      assert.deepEqual([typed.status, typed.stderr], [0, '']);
      assert.match(typed.stdout, /^typed$/m);
    }

    mkdirSync(join(cwd, 'node_modules/typed-gate'), { recursive: true });
    writeFileSync(join(cwd, 'node_modules/typed-gate/package.json'), '{"exports": "./gate.ts"}');
    writeFileSync(join(cwd, 'node_modules/typed-gate/gate.ts'), 'export default {};');
    // A newer Node would not help, and is not advised.
    assert.match(
      bench('typed-gate').stderr,
      /^toolgate-bench: typed-gate: is TypeScript under node_modules, where Node runs none; .*ship .*as \.mjs\n$/,
    );

    writeFileSync(
      join(cwd, 'five.mjs'),
      `import { measureGate } from 'toolgate-bench';
const gate = { name: 'reads', createSession: () => ({ check: (action) => ({ allowed: action.effect === 'read' }) }) };
const [tier] = await measureGate(gate, { tiers: ['target'] });
console.log(tier.attacksStopped.k, tier.attackActionsBlocked.k, tier.ownTaskIntact.k, tier.crossTaskGenerality.k, tier.errors);`,
    );
    const five = run('node', 'five.mjs');
    assert.equal(five.stdout, '609 723 228 1028 0\n', five.stderr);
  });
}

test('the package works from an odd place, and says in a line that the current folder is gone', () => {
  const odd = join(folder, 'a b#c%20é/node_modules/toolgate-bench');
  cpSync(PACKAGE, odd, { recursive: true });
  const bin = join(odd, 'dist/bin.js');
  const measured = spawnSync(process.execPath, [bin, 'exact', '--tier', 'target', '--resamples', '0'], {
    cwd: tmpdir(),
    encoding: 'utf8',
  });
  assert.deepEqual([measured.status, measured.stderr], [0, '']);
  assert.match(measured.stdout, /^exact$/m);
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"';
  const gone = spawnSync('sh', ['-c', script, process.execPath, bin, 'exact'], { cwd: folder, encoding: 'utf8' });
  assert.deepEqual(
    [gone.status, gone.stderr],
    [2, 'toolgate-bench: the current folder does not exist any more; change to another\n'],
  );
});

test('help is the same from the package as from the sources', () => {
  const fromPackage = spawnSync(process.execPath, [join(PACKAGE, 'dist/bin.js'), '--help'], { encoding: 'utf8' });
  const fromSources = spawnSync(process.execPath, [join(ROOT, 'run.mjs'), '--help'], { encoding: 'utf8' });
  assert.equal(fromPackage.status, 0);
  assert.equal(fromPackage.stdout, fromSources.stdout);
  const streamed = spawnSync(process.execPath, [join(PACKAGE, 'dist/bin.js'), '--help', '--quiet'], {
    encoding: 'utf8',
  });
  assert.equal(streamed.stdout, fromSources.stdout);
});

const TYPED = (allowed: string): string => `import type { Action, Gate, PolicySpec } from 'toolgate-bench';
const permits = (policy: PolicySpec, action: Action): boolean => policy.rules.some(({ effect }) => effect === action.effect);
const gate: Gate = {
  name: 'typed',
  createSession: (policy) => ({ check: (action) => ({ allowed: ${allowed} }) }),
};
export default gate;
`;
const COMMENTED = (allowed: string): string => `/** @import { Action, PolicySpec } from 'toolgate-bench' */
/** @type {(policy: PolicySpec, action: Action) => boolean} */
const permits = (policy, action) => policy.rules.some(({ effect }) => effect === action.effect);
/** @type {import('toolgate-bench').Gate} */
export default {
  name: 'commented',
  createSession: (policy) => ({ check: (action) => ({ allowed: ${allowed} }) }),
};
`;

/** What the compiler says of some files of the folder. */
function compile(name: string, files: readonly string[], options: object): string {
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    allowJs: true,
    checkJs: true,
    noEmit: true,
    types: [],
    ...options,
  };
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ compilerOptions, files }));
  const compiler = [tool('typescript/bin/tsc'), '-p', `${name}.json`];
  return spawnSync(process.execPath, compiler, { cwd: folder, encoding: 'utf8' }).stdout;
}

test("an author's gate is checked against the package's types, in TypeScript and in JavaScript", () => {
  for (const [name, allowed] of [
    ['good', 'permits(policy, action)'],
    ['bad', "permits(policy, action) ? 'yes' : 'no'"],
  ] as const) {
    writeFileSync(join(folder, `${name}-typed.ts`), TYPED(allowed));
    writeFileSync(join(folder, `${name}-commented.mjs`), COMMENTED(allowed));
  }
  assert.equal(compile('good', ['good-typed.ts', 'good-commented.mjs'], {}), '');
  const faults = compile('bad', ['bad-typed.ts', 'bad-commented.mjs'], {});
  assert.match(faults, /^bad-typed\.ts\(5,.*Type 'string' is not assignable to type 'boolean'/m);
  assert.match(faults, /^bad-commented\.mjs\(7,.*Type 'string' is not assignable to type 'boolean'/m);
});

test('the adapters of the package find their types in it, and so does a copy of one beside it', () => {
  cpSync(join(PACKAGE, 'adapters/exact.mjs'), join(folder, 'copied.mjs'));
  // The compiler looks at no JavaScript under node_modules.
  cpSync(PACKAGE, join(folder, 'unpacked'), { recursive: true });
  const shipped = readdirSync(join(PACKAGE, 'adapters')).filter((file) => file.endsWith('.mjs'));
  assert.ok(shipped.length >= 4);
  const files = ['copied.mjs', ...shipped.map((file) => `unpacked/adapters/${file}`)];
  assert.equal(compile('adapters', files, { types: ['node'], typeRoots: [tool('@types')], skipLibCheck: true }), '');
  // An import in a comment that leads nowhere is `any`, and no fault.
  for (const file of readdirSync(join(PACKAGE, 'adapters'), { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.mjs'))
      assert.doesNotMatch(readFileSync(join(PACKAGE, 'adapters', file), 'utf8'), /src\//, file);
  }
});

test('the example of an own test passes against the package', () => {
  cpSync(join(ROOT, 'examples/node-test'), folder, { recursive: true });
  const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', 'gate.test.mjs'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^# pass 2$/m);
});
