import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import type { Report } from '../src/report.ts';
import { ROOT, toolgate } from './command.ts';

const hook = new URL('../src/thread/module-format.mjs', import.meta.url).href;
const { isModuleSource } = (await import(hook)) as { isModuleSource: (source: string) => boolean };
const folder = mkdtempSync(join(tmpdir(), 'toolgate-load-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const FAST = ['--suite', 'banking', '--tier', 'target', '--resamples', '0', '--format', 'json'];
const native = 'typescript' in process.features && Boolean(process.features.typescript);

const body = (name: string): string =>
  `{ name: ${JSON.stringify(name)}, createSession: () => ({ check: () => ({ allowed: true }) }) }`;
const asModule = (name: string): string => `export default ${body(name)};\n`;
const typedModule = (name: string): string =>
  `import type { Gate } from 'toolgate-bench';\nconst gate: Gate = ${body(name)};\nexport default gate;\n`;

/** Writes files into a new folder. */
function place(name: string, files: { readonly [path: string]: string }): string {
  const at = join(folder, name);
  for (const [path, text] of Object.entries({ '.': '', ...files })) {
    mkdirSync(dirname(join(at, path)), { recursive: true });
    if (path !== '.') writeFileSync(join(at, path), text);
  }
  return at;
}

/** Measures gates in one run; all of them must load. @returns their names, without the controls */
async function names(cwd: string, ...gates: string[]): Promise<string[]> {
  const { stdout, stderr, status } = await toolgate([...gates, ...FAST], { cwd });
  assert.equal(stderr, '');
  assert.equal(status, 0);
  return (JSON.parse(stdout) as Report).gates.slice(2).map((gate) => gate.name);
}

/** A line for every gate, in order, and exit status 2. */
async function refused(cwd: string, gates: readonly string[], lines: readonly RegExp[]): Promise<void> {
  const { stderr, status } = await toolgate([...gates, ...FAST], { cwd });
  assert.equal(status, 2);
  const found = stderr.trimEnd().split('\n');
  assert.equal(found.length, lines.length, stderr);
  for (const [index, line] of lines.entries()) assert.match(found[index]!, line);
}

const kinds: { readonly [name: string]: { readonly [path: string]: string } } = {
  'outside of any package': {},
  'in a package that says nothing': { 'package.json': '{}' },
  'in a package of modules': { 'package.json': '{"type": "module"}' },
  'in a package of type commonjs': { 'package.json': '{"type": "commonjs"}' },
};
for (const [kind, files] of Object.entries(kinds)) {
  test(`adapters of every ending load ${kind}, with what they import`, async () => {
    const at = place(kind, {
      ...files,
      'typed.ts': typedModule('typed'),
      'typed.mts': typedModule('typed-mts'),
      'plain.js': asModule('plain'),
      'old.cjs': `module.exports = ${body('old')};\n`,
      'helped.ts': `import { name } from './lib/helper.ts';\nexport default { ...${body('')}, name };\n`,
      'lib/helper.ts': "export const name: string = 'helped';\n",
    });
    const made = await toolgate(['init', 'begun.ts'], { cwd: at });
    assert.equal(made.status, 0, made.stderr);
    const gates = ['typed.ts', 'typed.mts', 'plain.js', 'old.cjs', 'helped.ts', 'begun.ts'];
    assert.deepEqual(await names(at, ...gates), ['typed', 'typed-mts', 'plain', 'old', 'helped', 'begun']);
  });
}

test('what is written as CommonJS stays CommonJS', async () => {
  const at = place('old', {
    'package.json': '{"type": "commonjs"}',
    'old.js': `const { name } = require('./name.js');\nmodule.exports = { ...${body('')}, name };\n`,
    'name.js': "exports.name = 'required';\n",
    'old.ts': `const name: string = 'old-typed';\nmodule.exports = { ...${body('')}, name };\n`,
  });
  assert.deepEqual(await names(at, 'old.js', 'old.ts'), ['required', 'old-typed']);
  const modules = [
    'export default {',
    '  export const a = 1',
    "import 'x'",
    'import a, { b } from "x"',
    'import type A',
  ];
  const scripts = [
    'module.exports = 1',
    "import fs = require('fs')",
    'import("x")',
    '// export default',
    'exports.a = 1',
  ];
  for (const source of modules) assert.equal(isModuleSource(source), true, source);
  for (const source of scripts) assert.equal(isModuleSource(source), false, source);
});

test('what a compiler made CommonJS of loads; a module under a CommonJS name is refused in a line', async () => {
  const compiled = `Object.defineProperty(exports, '__esModule', { value: true });\nexports.default = ${body('compiled')};\n`;
  const at = place('endings', {
    'compiled.cjs': compiled,
    'node_modules/compiled/package.json': '{"main": "lib.js"}',
    'node_modules/compiled/lib.js': compiled.replace('"compiled"', '"installed"'),
    'typed.cts': `import type { Gate } from 'toolgate-bench';\nconst gate: Gate = ${body('typed')};\nmodule.exports = gate;\n`,
    'module.cjs': asModule('module'),
    'module.cts': asModule('module'),
    'damaged.cjs': 'module.exports = {;\n',
  });
  assert.deepEqual(await names(at, 'compiled.cjs', 'compiled', 'typed.cts'), ['compiled', 'installed', 'typed']);
  await refused(
    at,
    // Node warns too.
    ['module.cjs', 'damaged.cjs', '--quiet'],
    [
      /module\.cjs: is written as a module, which Node takes no \.cjs for; name it \.mjs$/,
      /damaged\.cjs: SyntaxError: Unexpected token/,
    ],
  );
  // tsx takes it.
  if (native)
    await refused(
      at,
      ['module.cts', '--quiet'],
      [/is written as a module, which Node takes no \.cts for; name it \.mts$/],
    );
  else assert.deepEqual(await names(at, 'module.cts'), ['module']);
});

test('odd paths load, in JavaScript and TypeScript, from beside and from below', async () => {
  // tsx does not find its way in a folder whose name has a question mark.
  const odd = `a b#c%20é漢&${native ? '?' : ''}`;
  const at = place(odd, {
    'package.json': '{"type": "commonjs"}',
    'g #%41 ü.mjs': asModule('one'),
    'g #%41 ü.ts': `import { name } from './h%20%23%25.ts';\nexport default { ...${body('')}, name };\n`,
    'h #%.ts': "export const name: string = 'two';\n",
    'below/er/x': '',
  });
  assert.deepEqual(await names(at, 'g #%41 ü.mjs', './g #%41 ü.ts'), ['one', 'two']);
  assert.deepEqual(await names(join(at, 'below/er'), '../../g #%41 ü.ts', join(at, 'g #%41 ü.mjs')), ['two', 'one']);
  assert.deepEqual(await names(folder, `${odd}/g #%41 ü.ts`), ['two']);
});

test(
  'links are followed to the file that counts',
  { skip: process.platform === 'win32' && 'needs links' },
  async () => {
    const at = place('links', {
      'real.ts': typedModule('real'),
      'pack/package.json': '{"main": "lib"}',
      'pack/lib.js': '',
    });
    writeFileSync(join(at, 'pack/lib.js'), `module.exports = ${body('packed')};`);
    symlinkSync('real.ts', join(at, 'link.mjs'));
    symlinkSync('pack', join(at, 'linked-pack'));
    symlinkSync(join(ROOT, 'adapters/exact.mjs'), join(at, 'reference.mjs'));
    assert.deepEqual(await names(at, 'link.mjs', 'linked-pack', 'reference.mjs'), ['real', 'packed', 'exact']);
    symlinkSync('nowhere.mjs', join(at, 'broken.mjs'));
    symlinkSync('loop.mjs', join(at, 'loop.mjs'));
    symlinkSync('real.txt', join(at, 'text.mjs'));
    writeFileSync(join(at, 'real.txt'), '');
    await refused(
      at,
      ['broken.mjs', 'loop.mjs', 'text.mjs'],
      [
        /broken\.mjs: is a link to a file that does not exist$/,
        /loop\.mjs: .*(ELOOP|does not exist)/,
        /text\.mjs: leads to .*real\.txt; an adapter ends in \.mjs/,
      ],
    );
  },
);

test('what is no adapter is refused in one line each', async () => {
  const at = place('none', { 'notes.txt': '', 'exact-2': '', 'folder/x': '' });
  mkdirSync(join(at, 'odd.mjs'));
  await refused(
    at,
    ['notes.txt', './exact-2', 'folder', 'odd.mjs', 'x'.repeat(300), '/dev/null'],
    [
      /notes\.txt: is no adapter: an adapter ends in \.mjs, \.js, \.mts or \.ts/,
      /exact-2: is no adapter: an adapter ends in/,
      /folder: is a folder without a package\.json; name the adapter's file/,
      /odd\.mjs: is a folder without a package\.json; name the adapter's file$/,
      /x: cannot be looked at \(ENAMETOOLONG/,
      /\/dev\/null: is no adapter: an adapter ends in/,
    ],
  );
});

test("a package's name leads to the file that an import would find", async () => {
  const at = place('packages', {
    'package.json': JSON.stringify({ name: 'this-one', exports: { './gate': './src/gate.mjs' } }),
    'src/gate.mjs': asModule('itself'),
    'below/x': '',
    'node_modules/by-main/package.json': '{"main": "./lib"}',
    'node_modules/by-main/lib/index.js': `module.exports = ${body('by-main')};`,
    'node_modules/by-nothing/package.json': '{}',
    'node_modules/by-nothing/index.js': `module.exports = ${body('by-nothing')};`,
    'node_modules/@me/by-pattern/package.json': JSON.stringify({ exports: { './gates/*': './lib/*.mjs' } }),
    'node_modules/@me/by-pattern/lib/mine.mjs': asModule('by-pattern'),
    'node_modules/untyped/package.json': '{"type": "module", "exports": "./gate.ts"}',
    'node_modules/untyped/gate.ts': asModule('untyped'),
    'node_modules/damaged/package.json': '{',
    'node_modules/void/package.json': 'null',
    'node_modules/outward/package.json': '{"exports": {"require": "./x.cjs"}}',
  });
  const gates = ['this-one/gate', 'by-main', 'by-nothing', '@me/by-pattern/gates/mine'];
  assert.deepEqual(await names(join(at, 'below'), ...gates), ['itself', 'by-main', 'by-nothing', 'by-pattern']);
  await refused(
    at,
    ['damaged', 'void', 'outward', 'absent', '@me/by-pattern'],
    [
      /damaged: its package\.json cannot be read/,
      /void: the package has no such entry \(index\.js\); name the adapter's file/,
      /outward: the package has no such entry; name the adapter's file/,
      /absent: no adapter, file or package of that name/,
      /by-pattern: the package has no such entry/,
    ],
  );
  if (native)
    await refused(at, ['untyped'], [/untyped: is TypeScript under node_modules.*let the package ship it as \.mjs/]);
  else assert.deepEqual(await names(at, 'untyped'), ['untyped']);
});

test("the bench's own gates keep their names, whatever the order; of others the first", async () => {
  const at = place('twins', {
    'mine.mjs': asModule('exact'),
    'other.mjs': asModule('allow-all'),
    'third.mjs': asModule('mine'),
    'fourth.mjs': asModule('mine'),
  });
  const own =
    /: mine\.mjs: the name "exact" is used twice, and the bench's own adapters\/exact\.mjs keeps it; give this gate another$/;
  const control =
    /: other\.mjs: the name "allow-all" is used twice, and the bench's own adapters\/allow-all\.mjs keeps it/;
  await refused(at, ['mine.mjs', 'other.mjs', 'exact'], [own, control]);
  await refused(at, ['exact', 'other.mjs', 'mine.mjs'], [control, own]);
  await refused(
    at,
    ['third.mjs', 'fourth.mjs'],
    [/: fourth\.mjs: the name "mine" is used twice, and third\.mjs keeps it/],
  );
  await refused(
    at,
    ['third.mjs', './third.mjs'],
    [/: \.\/third\.mjs: is the same adapter as third\.mjs; name it once/],
  );
  const { stdout } = await toolgate(['mine.mjs', 'exact', ...FAST], { cwd: at });
  const rows = (JSON.parse(stdout) as Report).gates.map(({ name, failed }) => [name, failed === undefined]);
  assert.deepEqual(rows.slice(2), [
    ['mine.mjs', false],
    ['exact', true],
  ]);
});

test('init says in one line why it cannot write', async () => {
  const at = place('init', { 'there.ts': '' });
  const cases: [string, RegExp][] = [
    ['there.ts', /init there\.ts: exists already; name another file/],
    ['none/x.ts', /init none\/x\.ts: the folder none does not exist; make it first/],
    ['there.ts/x.mjs', /init there\.ts\/x\.mjs: cannot be written \(ENOTDIR.*\); name a file in a folder of your own/],
    ['x.json', /init x\.json: an adapter ends in/],
  ];
  for (const [file, line] of cases) {
    const { status, stderr, stdout } = await toolgate(['init', file], { cwd: at });
    assert.equal(status, 2);
    assert.match(stderr, line);
    assert.deepEqual([stderr.trimEnd().split('\n').length, stdout], [1, '']);
  }
});

/** Root writes everywhere: the command runs as nobody, if that account can reach this Node at all. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const reached = spawnSync(process.execPath, ['-e', `require('node:fs').readdirSync(${JSON.stringify(ROOT)})`], nobody);
test(
  'in a folder that cannot be written everything works but writing',
  {
    skip:
      (process.platform === 'win32' || reached.status !== 0) &&
      'needs an account without rights that reaches this Node',
  },
  async () => {
    const at = place('sealed', { 'package.json': '{"type": "commonjs"}', 'gate.ts': typedModule('sealed') });
    chmodSync(folder, 0o755);
    cpSync(join(ROOT, 'adapters/exact.mjs'), join(at, 'copy.mjs'));
    chmodSync(at, 0o555);
    const asNobody = { cwd: at, ...nobody, env: { PATH: process.env['PATH'] } };
    const measured = await toolgate(['gate.ts', 'copy.mjs', ...FAST], asNobody);
    assert.equal(measured.stderr, '');
    assert.equal(measured.status, 0);
    for (const args of [
      ['init', 'x.mjs'],
      [...FAST, '--out', 'report.json'],
    ]) {
      const { status, stderr } = await toolgate(args, asNobody);
      assert.equal(status, 2);
      assert.match(stderr, /^toolgate-bench: .*cannot be written \(EACCES.*\n$/);
    }
    chmodSync(at, 0o755);
  },
);
