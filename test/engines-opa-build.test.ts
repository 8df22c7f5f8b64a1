import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './engines-support.ts';

const opa = process.env['TOOLGATE_OPA'];
const skip = opa === undefined && 'TOOLGATE_OPA does not name an opa program of the version in engines/package.json';

test('gate.wasm is what gate.rego compiles to', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-opa-'));
  try {
    const bundle = join(folder, 'bundle.tar.gz');
    const build = ['build', '-t', 'wasm', '-e', 'toolgate/allow', '-o', bundle, '../adapters/opa/gate.rego'];
    execFileSync(opa!, build, { cwd: resolve(ROOT, 'engines') }); // the path of the source is part of the result
    const built = execFileSync('tar', ['-xzOf', bundle, '/policy.wasm'], { maxBuffer: 2 ** 24, stdio: 'pipe' });
    assert.ok(built.equals(readFileSync(resolve(ROOT, 'adapters/opa/gate.wasm'))));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
