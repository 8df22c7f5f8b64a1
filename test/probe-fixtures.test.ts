import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadCorpus } from '../src/corpus.ts';
import { ADAPTERS_FOLDER, CORPUS_FILES } from '../src/paths.ts';
import { type HonestyFlag, isTrusted, type ProbeReport } from '../src/probe/findings.ts';
import { createProbePlan, probeGate } from '../src/probe/probe-gate.ts';
import type { ProbeClass } from '../src/probe/types.ts';

const corpus = loadCorpus(CORPUS_FILES);
const plan = createProbePlan(corpus, 1);
const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'toolgate-probe-'));
after(() => rmSync(work, { recursive: true }));
process.env['TOOLGATE_TEST_MEMORY'] = join(work, 'memory');

async function reportOn(file: string, timeoutMs = 2000, seeded = plan): Promise<ProbeReport> {
  const found = { typed: file, url: pathToFileURL(file), own: null } as const;
  const { report } = await probeGate(seeded, found, { limits: { timeoutMs, memoryMb: 512 }, onOutput: () => {} });
  return report;
}

const probed = new Map<string, Promise<ProbeReport>>();
/** A wrong gate's report, made once. */
function unfaithful(name: string): Promise<ProbeReport> {
  const known = probed.get(name);
  if (known !== undefined) return known;
  const report = reportOn(join(fixtures, 'unfaithful', `${name}.mjs`), name === 'hangs' ? 200 : 2000);
  probed.set(name, report);
  return report;
}

type Found = 'leaks' | 'lenient' | 'refused' | 'errors';
const found = (report: ProbeReport, of: ProbeClass, what: Found): number =>
  report.classes.find((one) => one.class === of)?.[what] ?? 0;
const flagsOf = (report: ProbeReport): HonestyFlag[] => [...new Set(report.flags.map(({ flag }) => flag))];

/** Every wrong gate, the class that is its own, and what the class finds. */
const UNFAITHFUL: { readonly [fixture: string]: readonly [ProbeClass, Found] } = {
  'allow-without-targets': ['no-target', 'leaks'],
  'any-recipient': ['recipients', 'leaks'],
  'any-tool-prefix': ['tool-name', 'leaks'],
  'case-insensitive': ['case', 'leaks'],
  'changes-actions': ['literal', 'errors'],
  'comma-splitting': ['recipients', 'leaks'],
  'count-before-verdict': ['denied-call', 'refused'],
  'dots-dropped': ['encoding', 'leaks'],
  'end-origins': ['origin', 'leaks'],
  'first-recipient': ['recipients', 'leaks'],
  'first-two-recipients': ['recipients', 'leaks'],
  hangs: ['line-break', 'errors'],
  'last-source': ['taint', 'leaks'],
  'module-state': ['session-state', 'refused'],
  'nfkc-folding': ['unicode', 'leaks'],
  'no-duplicates': ['literal', 'refused'],
  'no-verdict': ['foreign', 'errors'],
  'pooled-targets': ['foreign', 'leaks'],
  'reads-counted': ['taint', 'refused'],
  'renewed-budget': ['taint', 'leaks'],
  'second-says-yes': ['repeat', 'leaks'],
  separators: ['encoding', 'leaks'],
  'shared-counter': ['session-state', 'refused'],
  'starts-with': ['prefix-suffix', 'leaks'],
  'string-policy': ['breakout', 'leaks'],
  'swapped-letters': ['prefix-suffix', 'leaks'],
  'target-text': ['literal', 'refused'],
  'trailing-newline': ['line-break', 'leaks'],
  'unescaped-glob': ['pattern', 'leaks'],
};

/** Every gate that knows the bench, and the flag that is its own. */
const CHEATS: { readonly [fixture: string]: HonestyFlag } = {
  coin: 'process-dependent',
  'command-line': 'process-dependent',
  'coverage-cutter': 'position-dependent',
  'disk-memory': 'process-dependent',
  'first-action-rule': 'position-dependent',
  'hashed-literals': 'corpus-dependent',
  'literal-table': 'corpus-dependent',
  'module-memory': 'order-dependent',
  'policy-counter': 'order-dependent',
  'process-memory': 'process-dependent',
  'session-counter': 'order-dependent',
  'tail-cutter': 'position-dependent',
  'tool-name-table': 'corpus-dependent',
};

const names = (folder: string): string[] =>
  readdirSync(join(fixtures, folder))
    .map((file) => file.replace('.mjs', ''))
    .filter((name) => name !== 'matching');

test('every fixture stands in its table', () => {
  assert.deepEqual(names('unfaithful').toSorted(), Object.keys(UNFAITHFUL).toSorted());
  assert.deepEqual(names('cheats').toSorted(), Object.keys(CHEATS).toSorted());
});

for (const [name, [ownClass, what]] of Object.entries(UNFAITHFUL)) {
  test(`unfaithful: ${name} is caught by ${ownClass}, and not accused of knowing the bench`, async () => {
    const report = await unfaithful(name);
    assert.ok(found(report, ownClass, what) > 0, JSON.stringify(report.classes, null, 1));
    assert.equal(isTrusted(report), false);
    // A gate that allows what it was asked before does depend on what came before.
    assert.deepEqual(flagsOf(report), name === 'second-says-yes' ? ['position-dependent'] : []);
  });
}

/** Mistakes in one way of comparing show in that class alone: the others say nothing of it. */
const ALONE: { readonly [fixture: string]: readonly ProbeClass[] } = {
  'allow-without-targets': ['no-target', 'session-state'],
  'any-recipient': ['recipients'],
  'any-tool-prefix': ['tool-name'],
  'case-insensitive': ['case', 'unicode'],
  'comma-splitting': ['recipients'],
  'count-before-verdict': ['denied-call'],
  'dots-dropped': ['encoding'],
  'end-origins': ['origin'],
  'first-recipient': ['recipients'],
  'first-two-recipients': ['recipients'],
  'last-source': ['taint'],
  'nfkc-folding': ['unicode'],
  'no-duplicates': ['literal'],
  'pooled-targets': ['foreign'],
  'reads-counted': ['taint'],
  'renewed-budget': ['taint'],
  separators: ['encoding'],
  'swapped-letters': ['prefix-suffix'],
  'trailing-newline': ['line-break'],
};

for (const [name, classes] of Object.entries(ALONE)) {
  test(`unfaithful: ${name} fails in ${classes.join(' and ')} alone`, async () => {
    const { classes: all } = await unfaithful(name);
    const failing = all.filter(({ leaks, lenient, refused, errors }) => leaks + lenient + refused + errors > 0);
    assert.deepEqual(
      failing.map((one) => one.class),
      classes,
    );
    for (const { example } of failing) assert.notEqual(example?.verdict, example?.expected);
  });
}

for (const [name, flag] of Object.entries(CHEATS)) {
  // It asks the kernel how its process was started.
  const skip = name === 'command-line' && !existsSync('/proc/self/cmdline');
  test(`cheat: ${name} is flagged ${flag}`, { skip }, async () => {
    const report = await reportOn(join(fixtures, 'cheats', `${name}.mjs`));
    const flags = flagsOf(report);
    assert.ok(flags.includes(flag), flags.join());
    // Only a gate that wavers at random, or whose memory shows everywhere, earns more than its own flag.
    if (name !== 'coin' && name !== 'module-memory') assert.deepEqual(flags, [flag]);
    assert.equal(isTrusted(report), false);
  });
}

test('cheat: disk-memory that has met the corpus before is flagged as well', async () => {
  assert.ok(existsSync(process.env['TOOLGATE_TEST_MEMORY']!), 'the first probe left its memory');
  const report = await reportOn(join(fixtures, 'cheats', 'disk-memory.mjs'), 2000, createProbePlan(corpus, 2));
  assert.ok(flagsOf(report).includes('corpus-dependent'), flagsOf(report).join());
});

for (const file of [
  join(ADAPTERS_FOLDER, 'exact.mjs'),
  ...names('correct').map((name) => join(fixtures, 'correct', `${name}.mjs`)),
]) {
  test(`correct: ${file.split('/').at(-1)} is flagged by nothing`, async (t) => {
    const began = performance.now();
    const report = await reportOn(file);
    t.diagnostic(`${report.probes} probes, everything in ${Math.round(performance.now() - began)} ms`);
    assert.ok(report.probes >= 3000);
    assert.deepEqual([report.leaks, report.lenient, report.refused, report.errors], [0, 0, 0, 0]);
    assert.deepEqual(report.flags, []);
    assert.deepEqual(report.unchecked, []);
    assert.ok(isTrusted(report));
  });
}

for (const name of ['allow-all', 'deny-egress', 'deny-all']) {
  test(`${name} is honest, and not faithful`, async () => {
    const report = await reportOn(join(ADAPTERS_FOLDER, `${name}.mjs`));
    assert.deepEqual(report.flags, []);
    assert.equal(isTrusted(report), false);
    assert.equal(report.errors, 0);
    if (name !== 'allow-all') assert.ok(found(report, 'literal', 'refused') > 0);
    if (name !== 'deny-all') assert.ok(report.leaks > 0);
    else assert.equal(report.leaks, 0);
  });
}
