import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type Batch, CHECK, createBatch } from '../src/batch.ts';
import { loadCorpus, type Corpus } from '../src/corpus.ts';
import { openGate, type OpenGate } from '../src/gate.ts';
import { ADAPTERS_FOLDER, CORPUS_FILES } from '../src/paths.ts';
import { batchFor, createPlan, type PlanOptions } from '../src/plan.ts';
import { count, FIGURES, score } from '../src/score.ts';
import type { Action, Effect, Origin, PolicySpec, Rule, Tier } from '../src/types.ts';
import { ROOT } from './command.ts';

const limits = { timeoutMs: 5000, memoryMb: 512 };
const open = (path: string): Promise<OpenGate> =>
  openGate(pathToFileURL(path), path, { limits, onOutput: (text) => process.stderr.write(text) });
const adapter = (name: string): Promise<OpenGate> => open(`${ADAPTERS_FOLDER}${name}.mjs`);
const fixture = (name: string): Promise<OpenGate> => open(`${ROOT}test/fixtures/gates/${name}.mjs`);

const corpus: Corpus = loadCorpus(CORPUS_FILES);
const DEFAULTS: PlanOptions = { order: 'after', untrusted: 'measured', seed: 1 };

async function figures(gate: OpenGate, tier: Tier, options: Partial<PlanOptions> = {}, of: Corpus = corpus) {
  const plan = createPlan(of, of.suites, { ...DEFAULTS, ...options });
  const batch = batchFor(plan, tier);
  const { verdicts, errors } = await gate.replay(batch);
  assert.equal(errors, 0);
  const outcomes = score(plan, batch, verdicts);
  return FIGURES.map((figure) => count(outcomes[figure]).k);
}

let exact: OpenGate;
before(async () => {
  exact = await adapter('exact');
});
after(() => exact.close());

test('the published figures come out, to the last pair', async () => {
  const known: [string, Tier, number[]][] = [
    ['allow-all', 'effect', [0, 0, 609, 2600]],
    ['allow-all', 'origin', [0, 0, 609, 2600]],
    ['deny-egress', 'effect', [609, 723, 228, 1028]],
    ['deny-egress', 'limits', [609, 723, 228, 1028]],
    ['deny-all', 'target', [609, 1105, 0, 0]],
    ['exact', 'effect', [377, 441, 609, 1652]],
    ['exact', 'tool', [524, 858, 609, 270]],
    ['exact', 'target', [601, 997, 609, 214]],
  ];
  for (const [name, tier, expected] of known) {
    const gate = await adapter(name);
    assert.deepEqual(await figures(gate, tier), expected, `${name}, ${tier}`);
    await gate.close();
  }
});

test('exact keeps every own task at the tiers built from the task, and tightening never costs attacks stopped nor adds generality', async () => {
  const rows: number[][] = [];
  for (const tier of ['effect', 'tool', 'target', 'limits'] as const)
    rows.push((await figures(exact, tier)) as number[]);
  assert.deepEqual(
    rows.map((row) => row[2]),
    [609, 609, 609, 609],
  );
  for (let tier = 1; tier < rows.length; tier++) {
    assert.ok(rows[tier]![0]! >= rows[tier - 1]![0]!);
    assert.ok(rows[tier]![3]! <= rows[tier - 1]![3]!);
  }
});

test('neither the order of sessions nor that of tasks changes a figure of a stateless gate', async () => {
  const turned: Corpus = {
    ...corpus,
    suites: corpus.suites.toReversed().map((suite) => ({
      ...suite,
      userTasks: suite.userTasks.toReversed(),
      injectionTasks: suite.injectionTasks.toReversed(),
    })),
  };
  for (const tier of ['tool', 'target', 'limits', 'origin'] as const) {
    const expected = await figures(exact, tier);
    assert.deepEqual(await figures(exact, tier, { seed: 77 }), expected);
    assert.deepEqual(await figures(exact, tier, {}, turned), expected);
  }
});

test('a gate that reads only target agrees with one that reads targets wherever no call has several', async () => {
  const minimal = await fixture('minimal');
  const plan = createPlan(corpus, corpus.suites, DEFAULTS);
  const batch = batchFor(plan, 'target');
  const [one, other] = [(await minimal.replay(batch)).verdicts, (await exact.replay(batch)).verdicts];
  let several = 0;
  one.forEach((verdict, check) => {
    if (batch.actions[batch.steps[check]!]!.targets.length > 1) several++;
    else assert.equal(verdict, other[check]);
  });
  assert.ok(several > 0);
  await minimal.close();
});

// An oracle of its own for what a policy permits: it shares no code with the bench or its reference gate.
function oracle(policy: PolicySpec, actions: readonly Action[]): boolean[] {
  const done: Action[] = [];
  return actions.map((action) => {
    const fits = policy.rules.filter(
      (r) =>
        r.effect === action.effect &&
        (!('type' in r) || r.type === action.type) &&
        (!('targets' in r) ||
          (action.targets.length === 0
            ? r.targets?.length === 0
            : !action.targets.some((t) => r.targets!.indexOf(t) < 0))) &&
        (!('origins' in r) || (action.targets.length > 0 && !action.origins!.some((o) => r.origins!.indexOf(o) < 0))),
    );
    let permitted = fits.length > 0;
    if (policy.tier === 'limits') {
      const max = fits[0]?.maxCalls;
      if (max !== undefined && done.filter((past) => past.type === action.type).length + 1 > max) permitted = false;
      const first = done.findIndex((past) => policy.limits!.untrustedSources.includes(past.type));
      const since = first < 0 ? [] : done.slice(first + 1).filter((past) => past.effect !== 'read');
      if (first >= 0 && action.effect !== 'read' && since.length + 1 > policy.limits!.egressAfterUntrusted)
        permitted = false;
    }
    if (permitted) done.push(action);
    return permitted;
  });
}

const TYPES = ['look', 'send', 'pay', '__proto__'];
const TARGETS = ['a', 'b', 'A', '', '*', 'a, b', 'constructor'];
const EFFECT_OF: Record<string, Effect> = { look: 'read', send: 'message', pay: 'write', ['__proto__']: 'execute' };
const effectOf = (type: string): Effect => (type === '__proto__' ? 'execute' : EFFECT_OF[type]!);
const origins = fc.constantFrom<Origin>('user', 'tool', 'model');
const anyAction = (withOrigins: boolean): fc.Arbitrary<Action> =>
  fc
    .tuple(fc.constantFrom(...TYPES), fc.array(fc.tuple(fc.constantFrom(...TARGETS), origins), { maxLength: 3 }))
    .map(([type, targets]) => ({
      type,
      effect: effectOf(type),
      ...(targets.length > 0 && { target: targets.map(([target]) => target).join(', ') }),
      targets: targets.map(([target]) => target),
      ...(withOrigins && { origins: targets.map(([, origin]) => origin) }),
    }));
const anyPolicy = fc.constantFrom<Tier>('effect', 'tool', 'target', 'limits', 'origin').chain((tier) => {
  const caps = fc.record(Object.fromEntries(TYPES.map((_, index) => [`cap${index}`, fc.nat(3)])));
  const rule = fc.record({
    type: fc.constantFrom(...TYPES),
    targets: fc.array(fc.constantFrom(...TARGETS), { maxLength: 3 }),
    some: fc.array(origins),
  });
  return fc
    .tuple(caps, fc.array(rule, { maxLength: 5 }), fc.subarray(TYPES), fc.nat(2))
    .map(([cap, rules, sources, egress]): PolicySpec => ({
      version: 1,
      tier,
      rules: rules.map(({ type, targets, some }): Rule => {
        const effect = effectOf(type);
        if (tier === 'effect') return { effect };
        if (tier === 'tool') return { effect, type };
        if (tier === 'origin') return some.length === 0 ? { effect } : { effect, origins: some };
        return { effect, type, targets, ...(tier === 'limits' && { maxCalls: cap[`cap${TYPES.indexOf(type)}`]! }) };
      }),
      ...(tier === 'limits' && { limits: { untrustedSources: sources, egressAfterUntrusted: egress } }),
    }));
});
const anySession = anyPolicy.chain((policy) =>
  fc.record({
    policy: fc.constant(policy),
    actions: fc.array(anyAction(policy.tier === 'origin'), { minLength: 1, maxLength: 8 }),
  }),
);

test('the reference gate decides as the oracle does, on random policies and sequences', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anySession, { minLength: 40, maxLength: 60 }), async (sessions) => {
      const actions = sessions.flatMap((session) => session.actions);
      let at = 0;
      const batch: Batch = createBatch(
        sessions.map((session) => session.policy),
        actions,
        sessions.map((session, policy) => ({ policy, steps: session.actions.map(() => at++) })),
      );
      const { verdicts } = await exact.replay(batch);
      const expected = sessions.flatMap((session) => oracle(session.policy, session.actions));
      assert.deepEqual(
        [...verdicts],
        expected.map((allowed) => (allowed ? CHECK.allow : CHECK.deny)),
      );
    }),
    { numRuns: 60 },
  );
});

test('sessions of an asynchronous gate come out alike at any concurrency', async () => {
  const gate = await fixture('async-exact');
  const batch = batchFor(createPlan(corpus, corpus.suites.slice(2, 3), DEFAULTS), 'limits');
  const expected = (await exact.replay(batch)).verdicts;
  for (const concurrency of [1, 7, 5000])
    assert.deepEqual((await gate.replay(batch, { concurrency })).verdicts, expected);
  await gate.close();
});

test('reasons and errors of every check come back when asked for', async () => {
  const batch = batchFor(createPlan(corpus, corpus.suites.slice(2, 3), DEFAULTS), 'target');
  const { notes, verdicts } = await exact.replay(batch, { detail: true });
  verdicts.forEach((verdict, check) => assert.equal(notes[check], verdict === CHECK.deny ? 'no rule matches' : null));
});
