import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { BenchError } from '../src/errors.ts';
import { STORE_SCHEMA } from '../src/scenarios/caseRecord.ts';
import { render, SCENARIO_FORMATS } from '../src/scenarios/render/index.ts';
import { renderCase } from '../src/scenarios/render/transcript.ts';
import { recordedRuns } from '../src/scenarios/recordRuns.ts';
import { reportOn } from '../src/scenarios/report.ts';
import { readStore } from '../src/scenarios/store.ts';
import type { TargetResult } from '../src/scenarios/target.ts';
import { run, SCENARIOS, targetOf } from './scenarios-harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-odd-'));
after(() => rmSync(folder, { recursive: true }));
const scenario = SCENARIOS.find(({ id }) => id === 'tc-agent-handoff')!;
const target = targetOf(async ({ tools, call }) => {
  await call(tools[0]!.name, { url: 'https://data.rainfall.example/2025' });
  return { text: '812', notes: ['a note'], usage: { input: 1, output: 2 } };
});
const records = await run(target, 'filter+gate:exact@target', [scenario]);
const header = { kind: 'header', schema: STORE_SCHEMA, corpus: records[0]!.corpus, parameters: {}, command: 'c' };

/** Writes a store and puts it through all that reads stores. @returns the refusal, or undefined */
function readings(lines: readonly unknown[]): string | undefined {
  const file = join(folder, 'store.jsonl');
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  try {
    const { records: read, header: first } = readStore(file, 'store.jsonl')!;
    const report = reportOn(read, { seed: 1, resamples: 5, corpus: first.corpus, command: first.command });
    for (const format of SCENARIO_FORMATS) render(report, format, 'channel');
    for (const record of read) renderCase(record);
    recordedRuns(read, SCENARIOS, 'p');
    return undefined;
  } catch (error) {
    if (error instanceof BenchError) return error.message;
    throw error;
  }
}

/** Where a value can be put, as paths from the record. */
function pathsIn(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...members.flatMap(([key, inner]) => pathsIn(inner, [...path, key]))];
}

function withValue(record: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  const copy = (Array.isArray(record) ? [...record] : { ...(record as object) }) as Record<string | number, unknown>;
  copy[key] = withValue(copy[key], rest, value);
  return copy;
}

test('a store as it is written is read', () => {
  assert.equal(readings([header, ...records]), undefined);
});

test('whatever stands in a line of a store, it is read or refused with file and line', () => {
  const [record] = records;
  const paths = pathsIn(record);
  assert.ok(paths.length > 50);
  const value = fc.constantFrom(undefined, null, 5, true, 'x', {}, [], [null], [{}], ['x']);
  let refused = 0;
  fc.assert(
    fc.property(fc.constantFrom(...paths), value, (path, odd) => {
      const message = readings([header, withValue(record, path, odd)]);
      if (message === undefined) return;
      refused++;
      assert.match(message, /^store\.jsonl:2: /);
    }),
    { numRuns: 400 },
  );
  assert.ok(refused > 100, `${refused} were refused`);
});

test('a case of another corpus than the header says is refused', () => {
  assert.match(
    String(readings([header, { ...records[0], corpus: 'other' }])),
    /^store\.jsonl:2: a case of another corpus/,
  );
});

const ODD: readonly (readonly [string, unknown, RegExp])[] = [
  ['nothing', undefined, /something else than \{ text \}/],
  ['no text', { text: 5 }, /something else than \{ text \}/],
  ['usage', { text: '', usage: { input: 'a', output: 1 } }, /usage that is not/],
  ['usage that is no number', { text: '', usage: { input: Number.NaN, output: 1 } }, /usage that is not/],
  ['model', { text: '', model: 5 }, /model that is not text/],
  ['stop reason', { text: '', stopReason: {} }, /stopReason that is not text/],
  ['notes', { text: '', notes: 'x' }, /notes that is not a list of texts/],
  ['parameters that JSON does not keep', { text: '', parameters: { a: 1n } }, /parameters that are not a JSON object/],
];

for (const [name, result, message] of ODD) {
  test(`a target that returns odd ${name} is an error, and its store is read`, async () => {
    const odd = await run(
      targetOf(async () => result as TargetResult),
      'none',
      [scenario],
    );
    assert.match(odd[0]!.error!.message, message);
    assert.equal(odd[0]!.outcome, 'error');
    assert.equal(readings([{ ...header, corpus: odd[0]!.corpus }, ...odd]), undefined);
  });
}
