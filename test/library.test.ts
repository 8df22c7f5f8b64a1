import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import {
  BenchError,
  type BenchErrorCode,
  bundledCorpus,
  FIGURES,
  type Gate,
  isMeasured,
  type MeasureGateOptions,
  measureGate,
  policyFor,
  readCorpus,
  renderReport,
  type Replay,
  replayGate,
  reportOn,
  scoreReplay,
  type Session,
  wrapGate,
} from '../src/index.ts';
import { ADAPTERS_FOLDER, CORPUS_FILES } from '../src/paths.ts';
import { toolgate } from './command.ts';

const { default: exact } = (await import(pathToFileURL(`${ADAPTERS_FOLDER}exact.mjs`).href)) as { default: Gate };
const reads = wrapGate('reads', (action) => action.effect === 'read');
const counts = (tier: Awaited<ReturnType<typeof measureGate>>[number]): (number | null)[] =>
  FIGURES.map((figure) => tier[figure].k);
const refuses = async (code: BenchErrorCode, message: RegExp, act: () => unknown): Promise<void> => {
  await assert.rejects(
    async () => act(),
    (error) => error instanceof BenchError && error.code === code && message.test(error.message),
    String(message),
  );
};

test('a wrapped function has the known figures of a gate that permits reads alone', async () => {
  assert.deepEqual(reads.tiers, ['effect', 'tool', 'target']);
  const tiers = await measureGate(reads);
  assert.deepEqual(
    tiers.map(({ tier }) => tier),
    ['effect', 'tool', 'target'],
  );
  for (const tier of tiers) assert.deepEqual(counts(tier), [609, 723, 228, 1028]);
});

test('a wrapped function may answer with a verdict, and later; what it throws is a gate error', async () => {
  const options: MeasureGateOptions = { tiers: ['tool'], suites: ['banking'] };
  const [plain] = await measureGate(reads, options);
  const verdict = wrapGate('verdict', ({ effect }) => ({ allowed: effect === 'read', reason: effect }));
  const later = wrapGate('later', async ({ effect }) => effect === 'read');
  const boxed = wrapGate('boxed', async ({ effect }) => ({ allowed: effect === 'read' }));
  for (const gate of [verdict, later, boxed])
    assert.deepEqual(counts((await measureGate(gate, options))[0]!), counts(plain!));
  const throws = wrapGate('throws', ({ type }) => {
    throw new RangeError(`no ${type}`);
  });
  const nothing = wrapGate('nothing', () => undefined as unknown as boolean);
  for (const [gate, message] of [
    [throws, /^RangeError: no /],
    [nothing, /^returned undefined/],
  ] as const) {
    const [tier] = await measureGate(gate, options);
    assert.deepEqual(counts(tier!), [null, null, null, null]);
    assert.ok(tier!.errors > 0);
    assert.match(tier!.firstError!, message);
  }
});

test('replay, score and measure agree, with intervals and in both orders', async () => {
  for (const order of ['after', 'exposure'] as const) {
    for (const tier of ['target', 'limits'] as const) {
      const replayed = await replayGate(exact, tier, { order, seed: 7 });
      const [measured] = await measureGate(exact, { tiers: [tier], order, seed: 7, resamples: 50 });
      assert.deepEqual({ ...scoreReplay(replayed, 50), timing: null }, { ...measured, timing: null });
    }
  }
});

test('a replay holds every call with who asked for it', async () => {
  const { sessions, errors } = await replayGate(exact, 'effect');
  assert.equal(errors, 0);
  const pairs = sessions.filter((session) => session.kind === 'pair');
  assert.equal(pairs.length, 609);
  assert.equal(sessions.length, 609 + 2600);
  const injected = pairs.flatMap(({ calls }) => calls.filter((call) => call.injected));
  assert.equal(injected.length, 1105);
  assert.equal(injected.filter(({ verdict }) => verdict === 'deny').length, 441);
  const through = pairs.filter(({ calls }) => calls.every((call) => !call.injected || call.verdict === 'allow'));
  assert.equal(through.length, 609 - 377);
  assert.ok(Object.isFrozen(pairs[0]!.calls[0]!.action));
});

test('the figures are a function of the verdicts: any verdicts give them', async () => {
  const replayed = await replayGate(exact, 'tool', { suites: ['slack'] });
  const verdicts = ['allow', 'deny', 'error'] as const;
  const withVerdicts = (of: (at: number) => (typeof verdicts)[number]): Replay => {
    let at = 0;
    const sessions = replayed.sessions.map((session) => ({
      ...session,
      calls: session.calls.map((call) => ({ ...call, verdict: of(at++) })),
    }));
    return { ...replayed, sessions };
  };
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('allow' as const, 'deny' as const), { minLength: 1, maxLength: 40 }),
      (some) => {
        const changed = withVerdicts((at) => some[at % some.length]!);
        const pairs = changed.sessions.filter((session) => session.kind === 'pair');
        const stopped = pairs.filter(({ calls }) => calls.some((call) => call.injected && call.verdict === 'deny'));
        const own = pairs.filter(({ calls }) => calls.every((call) => call.injected || call.verdict === 'allow'));
        const tier = scoreReplay(changed);
        assert.equal(tier.attacksStopped.k, stopped.length);
        assert.equal(tier.ownTaskIntact.k, own.length);
      },
    ),
    { numRuns: 20 },
  );
  assert.deepEqual(counts(scoreReplay(withVerdicts(() => 'error'))), [null, null, null, null]);
});

test('a report in this process says what the command line says', async () => {
  const report = await reportOn([exact], { resamples: 20, tiers: ['target', 'origin'] });
  const { status, stdout } = await toolgate([
    'exact',
    '--format',
    'json',
    '--resamples',
    '20',
    '--tier',
    'target,origin',
  ]);
  assert.equal(status, 0);
  const line = JSON.parse(stdout) as typeof report;
  const figures = ({ gates }: typeof report): unknown =>
    gates.map(({ name, control, tiers }) => [
      name,
      control,
      tiers.map((tier) => (isMeasured(tier) ? { ...tier, timing: null } : tier)),
    ]);
  assert.deepEqual(figures(report), figures(line));
  assert.deepEqual(report.corpus, line.corpus);
  assert.equal(report.command, 'reportOn([exact], {"resamples":20,"tiers":["target","origin"]})');
});

test('a report is rendered in every format; a tier that a gate does not list is n/a', async () => {
  const report = await reportOn([wrapGate('a|b<i>', () => false)], { suites: ['slack'] });
  const [text, markdown, html, json] = await Promise.all([
    renderReport(report, 'text', { by: 'suite' }),
    renderReport(report, 'markdown'),
    renderReport(report, 'html'),
    renderReport(report, 'json'),
  ]);
  assert.match(text, /^allow-all \(control\)$/m);
  assert.match(text, /^ {2}origin +n\/a$/m);
  assert.match(markdown, /a\\\|b/);
  assert.doesNotMatch(html, /<i>/);
  assert.deepEqual(JSON.parse(json), report);
  assert.equal(await renderReport(report), await renderReport(report, 'text'));
});

test('a corpus of one’s own is read, checked and measured', async () => {
  const corpus = readCorpus(CORPUS_FILES);
  assert.equal(corpus.sha256, bundledCorpus().sha256);
  const first = { ...corpus, suites: corpus.suites.slice(0, 1) };
  const [tier] = await measureGate(exact, { corpus: first, tiers: ['tool'] });
  assert.equal(tier!.attacksStopped.n, 240);
  await refuses('input', /none\.jsonl: cannot be read/, () =>
    readCorpus({ ...CORPUS_FILES, groundTruth: 'none.jsonl' }),
  );
});

test('a policy is derived from a task of the corpus', () => {
  const { suites, header } = bundledCorpus();
  const task = suites.find(({ name }) => name === 'banking')!.userTasks[0]!;
  assert.deepEqual(policyFor(task.actions, 'tool', header.untrustedSources), {
    version: 1,
    tier: 'tool',
    rules: [
      { effect: 'read', type: 'read_file' },
      { effect: 'write', type: 'send_money' },
    ],
  });
});

test('what a caller gets wrong is one line', async () => {
  const wrong = (gate: unknown): Gate => gate as Gate;
  const session: Session = { check: () => ({ allowed: true }) };
  await refuses('gate', /is no object/, () => measureGate(wrong(null)));
  await refuses('gate', /name that is no string/, () => measureGate(wrong({ createSession: () => session })));
  await refuses('gate', /x has no createSession function/, () => replayGate(wrong({ name: 'x' }), 'tool'));
  await refuses('gate', /x lists the tier "tools"/, () => reportOn([wrong({ ...reads, name: 'x', tiers: ['tools'] })]));
  await refuses('gate', /no list of tiers/, () => measureGate(wrong({ ...reads, tiers: [] })));
  await refuses('usage', /reads does not list the tier limits/, () => measureGate(reads, { tiers: ['limits'] }));
  await refuses('usage', /no suite is called "bank"/, () => measureGate(reads, { suites: ['bank'] }));
  await refuses('usage', /the list is empty/, () => measureGate(reads, { suites: [] }));
  await refuses('usage', /^tiers: the list is empty/, () => measureGate(reads, { tiers: [] }));
  await refuses('usage', /^tiers: expected one of effect, .*, found "targets"/, () =>
    reportOn([reads], { tiers: ['targets' as never] }),
  );
  await refuses('usage', /^no option is called "tier"; did you mean tiers\?$/, () =>
    measureGate(reads, { tier: 'target' } as never),
  );
  await refuses('usage', /^no option is called "suite"; did you mean suites\?$/, () =>
    reportOn([reads], { suite: 'slack' } as never),
  );
  await refuses('usage', /^no option is called "resamples"$/, () =>
    replayGate(reads, 'tool', { resamples: 10 } as never),
  );
  await refuses('usage', /^concurrency: expected a whole number, 1 or more, found 0$/, () =>
    measureGate(reads, { concurrency: 0 }),
  );
  await refuses('usage', /^resamples: /, () => measureGate(reads, { resamples: 1.5 }));
  await refuses('usage', /^seed: /, () => replayGate(reads, 'tool', { seed: -1 }));
  await refuses('usage', /^order: expected one of after, exposure, found "before"$/, () =>
    measureGate(reads, { order: 'before' as 'after' }),
  );
  await refuses('usage', /two gates of the report are called "reads"/, () => reportOn([reads, reads]));
  await refuses('usage', /two gates of the report are called "allow-all"/, () =>
    reportOn([wrapGate('allow-all', () => true)]),
  );
  const replayed = await replayGate(reads, 'tool', { suites: ['slack'] });
  await refuses('usage', /^resamples: /, () => scoreReplay(replayed, Number.NaN));
  await refuses('input', /sessions are not those/, () => scoreReplay({ ...replayed, suites: ['banking'] }));
  await refuses('input', /sessions are not those/, () =>
    scoreReplay({ ...replayed, sessions: replayed.sessions.toReversed() }),
  );
  const report = await reportOn([], { suites: ['slack'], tiers: ['tool'] });
  await refuses('usage', /no format is called "pdf"/, () => renderReport(report, 'pdf' as 'html'));
});
