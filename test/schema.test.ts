import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { HONESTY_FLAGS } from '../src/probe/findings.ts';
import { PROBE_CLASSES } from '../src/probe/types.ts';
import { ROOT, toolgate } from './command.ts';

type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false });
const schemas = new Map(
  ['report', 'probe', 'scenarios-report'].map((name) => {
    const schema = JSON.parse(readFileSync(`${ROOT}schema/${name}.schema.json`, 'utf8')) as { $id: string };
    ajv.addSchema(schema);
    return [name, schema.$id] as const;
  }),
);
const validatorOf = (name: string): ValidateFunction => ajv.getSchema(schemas.get(name)!)!;
const gates = (...names: string[]): string[] => names.map((name) => `test/fixtures/gates/${name}.mjs`);
const SUITE = ['--suite', 'banking'];

/** Real reports of every kind, and which schema is theirs. Each command runs once. */
const COMMANDS: { readonly [what: string]: readonly [schema: string, ...args: string[]] } = {
  'all tiers': ['report', 'exact', '--suite', 'slack', '--resamples', '50'],
  'without intervals, other order': ['report', '--resamples', '0', '--order', 'exposure', '--untrusted', 'all-reads'],
  'errors, a hang, a gate that does not load': [
    'report',
    ...gates('throws', 'loop-late', 'no-name', 'throws-sometimes'),
    ...SUITE,
    '--timeout=200',
    '--resamples=20',
  ],
  'an engine, and tiers that it does not offer': ['report', 'cedar', 'exact', ...SUITE, '--resamples', '20'],
  'with what --probe found': [
    'report',
    'test/fixtures/unfaithful/any-recipient.mjs',
    'test/fixtures/cheats/tail-cutter.mjs',
    ...SUITE,
    '--resamples=20',
    '--tier=target',
    '--probe',
  ],
  'recorded runs': ['report', 'runs', 'exact', 'deny-egress', ...SUITE, '--resamples', '20'],
  'recorded runs, errors, no intervals': [
    'report',
    'runs',
    ...gates('throws', 'no-name', 'throws-sometimes'),
    ...SUITE,
    '--resamples=0',
    '--tier=target',
  ],
  probe: [
    'probe',
    'probe',
    ...gates('throws', 'no-name'),
    'test/fixtures/unfaithful/hangs.mjs',
    '--seed=1',
    '--timeout=200',
  ],
  'scenarios matrix': [
    'scenarios-report',
    'scenarios',
    'matrix',
    '--targets=naive,paranoid',
    '--defenses=none,filter,gate:exact@target',
  ],
  'scenarios, few and without intervals': [
    'scenarios-report',
    'scenarios',
    'run',
    '--target=naive',
    '--channel=filename',
    '--resamples=0',
  ],
};

const made = new Map<string, Promise<Json>>();
function reportOf(what: string): Promise<Json> {
  const [, ...args] = COMMANDS[what]!;
  const known =
    made.get(what) ?? toolgate([...args, '--format', 'json']).then(({ stdout }) => JSON.parse(stdout) as Json);
  made.set(what, known);
  return known;
}

for (const [what, [name]] of Object.entries(COMMANDS)) {
  test(`real reports fit their schema: ${what}`, async () => {
    const validate = validatorOf(name);
    assert.ok(validate(await reportOf(what)), JSON.stringify(validate.errors?.slice(0, 3), null, 1));
  });
}

/** Members whose names come from outside or from the corpus: any name is a good one. */
const OPEN = /\/(tools|suites)$/;

/** Every object of a report, with its path. */
function objectsIn(value: Json, path = ''): { path: string; object: { [member: string]: Json } }[] {
  if (value === null || typeof value !== 'object') return [];
  const inner = Object.entries(value).flatMap(([name, one]) => objectsIn(one, `${path}/${name}`));
  return Array.isArray(value) ? inner : [{ path, object: value }, ...inner];
}

/** One object of each shape: the path without its numbers, and without a suite's or a tool's name. */
function shapesIn(report: Json): { path: string; object: { [member: string]: Json } }[] {
  const shapes = new Map<string, { path: string; object: { [member: string]: Json } }>();
  for (const one of objectsIn(report)) {
    const shape = one.path.replace(/\/\d+/g, '/#').replace(/\/(tools|suites)\/[^/]+/g, '/$1/*');
    if (!OPEN.test(one.path) && !shapes.has(shape)) shapes.set(shape, one);
  }
  return [...shapes.values()];
}

/** Members that may be absent, and what the schema then still knows. */
const MAY_BE_ABSENT = new Set([
  'engine',
  'clauses',
  'effect',
  'tool',
  'target',
  'limits',
  'origin',
  'probe',
  'againstNone',
]);

for (const [what, [name]] of Object.entries(COMMANDS)) {
  test(`unknown and missing members are refused everywhere: ${what}`, async () => {
    const validate = validatorOf(name);
    const report = structuredClone(await reportOf(what));
    const shapes = shapesIn(report);
    assert.ok(shapes.length > 5);
    for (const { path, object } of shapes) {
      object['unheardOf'] = 1;
      assert.equal(validate(report), false, `${path} takes a member unheard of`);
      delete object['unheardOf'];
      for (const member of Object.keys(object).filter((one) => !MAY_BE_ABSENT.has(one))) {
        // A gate that did not load says why: without that it is one without a tier, which is no fault of its shape.
        if (member === 'failed' && name === 'report') continue;
        const value = object[member]!;
        delete object[member];
        assert.equal(validate(report), false, `${path} does without ${member}`);
        object[member] = value;
      }
    }
    assert.ok(validate(report));
  });
}

test('the schema is no rubber stamp', async () => {
  const validate = validatorOf('report');
  const report = (await reportOf('all tiers')) as { command: string };
  assert.equal(report.command, 'toolgate-bench exact --suite slack --resamples 50');
  const text = JSON.stringify(report);
  const edits: readonly [RegExp, string][] = [
    [/report@1/, 'report@2'],
    [/"kind":"ground-truth"/, '"kind":"runs"'],
    [/"kind":"ground-truth"/, '"kind":"probe"'],
    [/"rate":0\.\d+/, '"rate":1.9'],
    [/"rate":0\.\d+/, '"rate":null'],
    [/"k":\d+/, '"k":null'],
    [/"k":\d+/, '"k":-1'],
    [/"k":\d+/, '"k":1.5'],
    [/"order":"after"/, '"order":"before"'],
    [/"bound":"two-sided"/, '"bound":"both"'],
    [/"tier":"effect"/, '"tier":"effects"'],
    [/"stopped":"[^"]+"/, '"stopped":"*"'],
    [/"sha256":"[0-9a-f]/, '"sha256":"g'],
  ];
  for (const [from, to] of edits) {
    const changed = text.replace(from, to);
    assert.notEqual(changed, text, String(from));
    assert.equal(validate(JSON.parse(changed)), false, `${from} to ${to}`);
  }
});

test('the schema knows every class of near miss and every flag', () => {
  const { $defs } = JSON.parse(readFileSync(`${ROOT}schema/report.schema.json`, 'utf8')) as {
    $defs: { [name: string]: { properties: { [member: string]: { enum: string[] } } } };
  };
  assert.deepEqual($defs['probeClass']?.properties['class']?.enum, PROBE_CLASSES);
  assert.deepEqual($defs['flag']?.properties['flag']?.enum, HONESTY_FLAGS);
});
