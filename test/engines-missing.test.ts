import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from './engines-support.ts';

/** Package and version line of every adapter. */
const WANTED: readonly (readonly [adapter: string, name: string, line: string])[] = [
  ['cedar', '@cedar-policy/cedar-wasm', '4'],
  ['casl', '@casl/ability', '7'],
  ['casbin', 'casbin', '5'],
  ['cel', '@marcbachmann/cel-js', '8'],
  ['json-logic', 'json-logic-engine', '5'],
  ['opa', '@open-policy-agent/opa-wasm', '1'],
  ['agent-governance', '@microsoft/agent-governance-sdk', '4'],
  ['atp-provenance', '@mondaydotcomorg/atp-provenance', '0.19'],
  ['vard', '@andersmyrmel/vard', '1'],
];

const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** A place with the adapters and no engine; each is a new one, as what was imported is not imported again. */
function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-engines-'));
  folders.push(folder);
  cpSync(join(ROOT, 'adapters'), join(folder, 'adapters'), { recursive: true });
  return folder;
}

async function failure(folder: string, adapter: string): Promise<string> {
  const error: unknown = await import(pathToFileURL(join(folder, 'adapters', `${adapter}.mjs`)).href).then(
    () => assert.fail('it was loaded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Error);
  return error.message;
}

function addPackage(folder: string, manifest: { name: string; version: string; exports?: object }): void {
  const path = join(folder, 'node_modules', manifest.name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'package.json'), JSON.stringify(manifest));
}

test('a missing engine is named with the command that installs it', async () => {
  const folder = place();
  for (const [adapter, name, line] of WANTED) {
    const expected = `${name} is not installed; install it with: npm install ${name}@${line}`;
    assert.equal(await failure(folder, adapter), expected);
  }
});

test('beside the folder of engines, the command installs all of them', async () => {
  const folder = place();
  mkdirSync(join(folder, 'engines'));
  writeFileSync(join(folder, 'engines/package.json'), '{}');
  for (const [adapter, name] of WANTED) {
    const expected = `${name} is not installed; install it with: npm ci --prefix engines`;
    assert.equal(await failure(folder, adapter), expected);
  }
});

test('an engine of another version line is refused with both versions', async () => {
  const folder = place();
  for (const [adapter, name, line] of WANTED) {
    const version = line.startsWith('0.') ? '0.20.3' : `${line}0.1.2`;
    addPackage(folder, { name, version });
    const expected = `${name} ${version} is installed, but this adapter is written for version ${line}; install it with: npm install ${name}@${line}`;
    assert.equal(await failure(folder, adapter), expected);
  }
});

test('an engine without an entry to import is refused', async () => {
  const folder = place();
  addPackage(folder, { name: 'casbin', version: '5.0.0' });
  assert.equal(await failure(folder, 'casbin'), 'casbin has no main entry to import');
});

test('an engine that is installed where the adapters are is found', async () => {
  const folder = place();
  addPackage(folder, { name: '@andersmyrmel/vard', version: '1.9.9', exports: { '.': { import: './x.mjs' } } });
  writeFileSync(
    join(folder, 'node_modules/@andersmyrmel/vard/x.mjs'),
    'export default { safe: (text) => ({ safe: !text }) };',
  );
  const { default: gate } = (await import(pathToFileURL(join(folder, 'adapters/vard.mjs')).href)) as {
    default: { engine: object };
  };
  assert.deepEqual(gate.engine, { name: '@andersmyrmel/vard', version: '1.9.9' });
});
