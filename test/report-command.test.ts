import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { BenchError } from '../src/errors.ts';
import { FORMATS, loadRenderer } from '../src/render/index.ts';
import { loadRunsRenderer } from '../src/render/runs-formats.ts';
import { readAnyReport, readReport } from '../src/report-file.ts';
import { type Ended, toolgate } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-report-'));
after(() => rmSync(folder, { recursive: true }));
const at = (file: string): string => join(folder, file);
const save = (file: string, content: unknown): string => {
  writeFileSync(at(file), typeof content === 'string' ? content : JSON.stringify(content));
  return at(file);
};

const FAST = ['--suite', 'banking', '--resamples', '20'];
const MEASURED: { readonly [what: string]: readonly string[] } = {
  'ground truth, with errors, a gate that does not load and tiers that are n/a': [
    'exact',
    ...['throws-sometimes', 'no-name', 'minimal'].map((name) => `test/fixtures/gates/${name}.mjs`),
    ...FAST,
  ],
  'ground truth, the other order, with what --probe found, no intervals': [
    'test/fixtures/unfaithful/any-recipient.mjs',
    ...'--suite slack --tier target,limits --resamples 0 --order exposure --probe'.split(' '),
  ],
  'recorded runs': [
    'runs',
    'exact',
    'deny-egress',
    ...FAST,
    '--tier',
    'target',
    '--pipeline',
    'command-r,gpt-4o-2024-05-13',
  ],
};

const saved = new Map<string, Promise<{ file: string; ended: Ended }>>();
function savedReport(what: string): Promise<{ file: string; ended: Ended }> {
  const file = at(`${Object.keys(MEASURED).indexOf(what)}.json`);
  const known =
    saved.get(what) ??
    toolgate([...MEASURED[what]!, '--format', 'json', '--out', file]).then((ended) => ({ file, ended }));
  saved.set(what, known);
  return known;
}

for (const [what, args] of Object.entries(MEASURED)) {
  test(`a saved report reads as the measurement itself in every format: ${what}`, async () => {
    const { file, ended } = await savedReport(what);
    for (const format of FORMATS) {
      const rendered = await toolgate(['report', file, '--format', format]);
      assert.deepEqual([rendered.status, rendered.stderr], [0, ''], format);
      if (format === 'json') assert.equal(rendered.stdout, readFileSync(file, 'utf8'));
      else {
        const measured = await toolgate([...args, '--format', format]);
        assert.equal(measured.status, ended.status);
        assert.equal(rendered.stdout, measured.stdout, format);
      }
    }
  });
}

test('--by and --out work as they do for a measurement', async () => {
  const [what] = Object.keys(MEASURED);
  const { file } = await savedReport(what!);
  const by = await toolgate(['report', file, '--by', 'tool', '--out', at('by.txt')]);
  assert.deepEqual([by.status, by.stdout, by.stderr], [0, '', '']);
  assert.match(readFileSync(at('by.txt'), 'utf8'), /^tool +denied +allowed$/m);
});

type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/** Every member of a report, one of each shape: list indices, suites and tools beyond the first are left out. */
function membersOf(value: Json, path: readonly string[] = [], seen = new Set<string>()): (readonly string[])[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = [...path, name];
    const shape = here
      .map((step, index) =>
        /^\d+$/.test(step) || ['suites', 'tools', 'leftOut'].includes(here[index - 1]!) ? '*' : step,
      )
      .join('/');
    if (seen.has(shape) && (inner === null || typeof inner !== 'object')) return [];
    seen.add(shape);
    return [here, ...membersOf(inner, here, seen)];
  });
}

function changed(report: Json, path: readonly string[], to: Json | undefined): Json {
  const copy = structuredClone(report);
  const owner = path.slice(0, -1).reduce((inner, step) => (inner as { [member: string]: Json })[step]!, copy) as {
    [member: string]: Json;
  };
  if (to === undefined) delete owner[path.at(-1)!];
  else owner[path.at(-1)!] = to;
  return copy;
}

const WRONG: readonly (Json | undefined)[] = [undefined, null, -1, 'x', [null]];

for (const what of Object.keys(MEASURED)) {
  test(`a damaged report is refused, or it can be rendered in every format: ${what}`, async () => {
    const { file } = await savedReport(what);
    const report = JSON.parse(readFileSync(file, 'utf8')) as { gates: { tiers: Json[] }[] } & {
      [member: string]: Json;
    };
    // One tier a gate is enough: the rest are of the same shape.
    for (const gate of report.gates) gate.tiers = gate.tiers.slice(-1);
    const renderers = await Promise.all(FORMATS.map(loadRenderer));
    const runsRenderers = await Promise.all(FORMATS.map(loadRunsRenderer));
    let refused = 0;
    let tried = 0;
    for (const path of membersOf(report)) {
      for (const wrong of WRONG) {
        tried++;
        save('damaged.json', changed(report, path, wrong));
        let read: ReturnType<typeof readAnyReport>;
        try {
          read = readAnyReport(at('damaged.json'), 'damaged.json');
        } catch (error) {
          assert.ok(error instanceof BenchError, `${path.join('.')} = ${JSON.stringify(wrong)}: ${String(error)}`);
          assert.match(error.message, /^damaged\.json: /);
          refused++;
          continue;
        }
        try {
          for (const render of read.kind === 'runs'
            ? runsRenderers.map((one) => () => one(read))
            : renderers.map((one) => () => one(read, { color: false })))
            render();
        } catch (error) {
          assert.fail(`${path.join('.')} = ${JSON.stringify(wrong)}: ${String(error)}`);
        }
      }
    }
    assert.ok(refused > tried / 2, `${refused} of ${tried}`);
  });
}

test('what is no report is refused with exit status 2 and one line; so is a wrong command line', async () => {
  const { file } = await savedReport(Object.keys(MEASURED)[0]!);
  const text = readFileSync(file, 'utf8');
  const cases: readonly [string, RegExp][] = [
    [text.slice(0, 1000), /bad\.json: not JSON/],
    [text.replace('report@1', 'report@7'), /\$\.schema: "toolgate-bench\/report@7" is from a later version/],
    [text.replace('report@1', 'probe@1'), /is no report of toolgate-bench/],
    [
      text.replace('"kind": "ground-truth"', '"kind": "scenarios"'),
      /\$\.kind: unknown kind "scenarios" \(one of ground-truth, runs\)/,
    ],
    [text.replace(/"rate": [\d.]+/, '"rate": NaN'), /not JSON/],
    [text.replace(/"rate": [\d.]+/, '"rate": 1e999'), /rate: /],
  ];
  for (const [content, message] of cases) {
    assert.notEqual(content, text);
    const { status, stdout, stderr } = await toolgate(['report', save('bad.json', content)]);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, message);
    assert.equal(stderr.split('\n').length, 2);
  }
  for (const args of [[], [file, file], [file, '--tier', 'target'], [file, '--format', 'yaml'], [at('none.json')]]) {
    const { status, stdout, stderr } = await toolgate(['report', ...args]);
    assert.deepEqual([status, stdout], [2, ''], args.join(' '));
    assert.equal(stderr.split('\n').length, 2);
  }
  // A comparison is of the ground truth alone.
  const { file: runs } = await savedReport('recorded runs');
  assert.throws(() => readReport(runs, 'runs.json'), /unknown kind "runs"/);
});
