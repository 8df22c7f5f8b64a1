import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ROOT, toolgate } from './command.ts';

const schema = JSON.parse(readFileSync(`${ROOT}schema/report.schema.json`, 'utf8')) as object;
const validate = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false }).compile(
  schema,
);

async function reportOf(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await toolgate([...args, '--format', 'json']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('real reports fit the schema: whole, cut short, not loaded, without intervals', async () => {
  const bad = ['throws.mjs', 'loop-late.mjs', 'no-name.mjs', 'throws-sometimes.mjs'].map(
    (file) => `test/fixtures/gates/${file}`,
  );
  const reports = await Promise.all([
    reportOf('--suite', 'banking', '--resamples', '50'),
    reportOf('--suite', 'slack', '--resamples', '0', '--order', 'exposure', '--untrusted', 'all-reads'),
    reportOf(...bad, '--suite', 'banking', '--timeout', '200', '--resamples', '20'),
  ]);
  for (const report of reports) {
    assert.ok(validate(report), JSON.stringify(validate.errors?.slice(0, 3)));
  }
});

test('the schema is no rubber stamp', async () => {
  const report = await reportOf('exact', '--suite', 'banking', '--tier', 'target', '--resamples', '20');
  assert.equal(report['command'], 'toolgate-bench exact --suite banking --tier target --resamples 20');
  const text = JSON.stringify(report);
  const edits: [string | RegExp, string][] = [
    ['report@1', 'report@2'],
    [/"rate":0\.9/, '"rate":1.9'],
    [/"k":143/, '"k":-1'],
    [/"order":"after"/, '"order":"before"'],
    [/"bound":"two-sided"/, '"bound":"both"'],
    [/"errors":0,/, ''],
    [/"seed":1/, '"seed":1,"x":1'],
  ];
  for (const [from, to] of edits) {
    const changed = text.replace(from, to);
    assert.notEqual(changed, text, String(from));
    assert.equal(validate(JSON.parse(changed)), false, String(from));
  }
});
