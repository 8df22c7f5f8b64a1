import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadCorpus } from '../src/corpus.ts';
import { CORPUS_FILES } from '../src/paths.ts';
import { collectProbes } from '../src/probe/collect.ts';
import { distinctCalls, ownCalls, SPECIAL_LITERALS } from '../src/probe/literals.ts';
import { TARGET_CLASSES } from '../src/probe/near-misses.ts';
import { createReference } from '../src/probe/reference.ts';
import { actionOf, PROBE_CLASSES } from '../src/probe/types.ts';
import { type Action, EFFECTS, type Gate, type PolicySpec, TIERS } from '../src/types.ts';

const corpus = loadCorpus(CORPUS_FILES);
const perTier = new Map(TIERS.map((tier) => [tier, collectProbes(corpus, tier)]));
const all = [...perTier.values()].flat();

test('at least 3,000 near misses, some of every class', (t) => {
  for (const [tier, probes] of perTier) t.diagnostic(`${tier}: ${probes.length} probes`);
  for (const name of PROBE_CLASSES) {
    const count = all.filter((probe) => probe.class === name).length;
    t.diagnostic(`${name}: ${count}`);
    assert.ok(count > 0, name);
  }
  t.diagnostic(`${all.length} in all`);
  assert.ok(all.length >= 3000);
});

for (const tier of ['target', 'limits'] as const) {
  test(`${tier}: every literal of the corpus and every special one meets every class that changes a target`, () => {
    const probes = perTier.get(tier)!;
    const met = new Map<string, Set<string>>();
    for (const { class: name, literal } of probes) met.set(literal, (met.get(literal) ?? new Set()).add(name));
    const literals = [...distinctCalls(ownCalls(corpus, tier)).flatMap(({ targets }) => targets), ...SPECIAL_LITERALS];
    assert.ok(literals.length > 100);
    for (const literal of literals) {
      const missing = TARGET_CLASSES.filter((name) => !met.get(literal)?.has(name));
      // Digits, signs and scripts without capitals have no other case, and a text of no letters no percent code.
      const excusable = /[a-z]/i.test(literal) ? [] : ['case', 'encoding'];
      assert.deepEqual(
        missing.filter((name) => !excusable.includes(name)),
        [],
        JSON.stringify(literal),
      );
    }
  });
}

test('a near miss is denied by its policy, and a literal is allowed', () => {
  const others = new Set(['origin', 'repeat', 'limit', 'denied-call', 'taint', 'session-state']);
  for (const { class: name, sessions } of all) {
    if (others.has(name)) continue;
    const { policy, actions } = sessions.at(-1)!;
    assert.equal(createReference(policy)(actions.at(-1)!), name === 'literal', JSON.stringify([policy.rules, actions]));
  }
});

const { default: exact } = (await import(new URL('../adapters/exact.mjs', import.meta.url).href)) as { default: Gate };

function agree(policy: PolicySpec, actions: readonly Action[]): void {
  const permits = createReference(policy);
  const session = exact.createSession(policy);
  assert.ok(!(session instanceof Promise));
  for (const action of actions) {
    const verdict = session.check(action);
    assert.ok(!(verdict instanceof Promise));
    assert.equal(verdict.allowed, permits(action), JSON.stringify({ policy, actions, action }));
  }
}

test('the two readings of the policy spec, the reference and exact, agree on any session', () => {
  const text = fc.constantFrom('a', 'b', 'c', '');
  const tool = fc.constantFrom('read', 'send', 'write');
  const effect = fc.constantFrom(...EFFECTS.slice(0, 3));
  const origin = fc.constantFrom('user', 'tool', 'model');
  const targets = fc.array(text, { maxLength: 3 });
  const maxCalls = fc.record({ read: fc.nat(3), send: fc.nat(3), write: fc.nat(3) });
  const rule = fc.record(
    { effect, type: tool, targets, origins: fc.array(origin, { minLength: 1 }) },
    { requiredKeys: ['effect'] },
  );
  const limits = fc.record({ untrustedSources: fc.array(tool), egressAfterUntrusted: fc.nat(2) });
  const action = fc
    .record({ type: tool, effect, targets, origins: fc.infiniteStream(origin) })
    .map((one) => actionOf(one.type, one.effect, one.targets, [...one.origins.take(one.targets.length)]));
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 4 }),
      maxCalls,
      limits,
      fc.boolean(),
      fc.array(action),
      (rules, most, bounds, isLimits, actions) => {
        const policy = isLimits
          ? {
              version: 1 as const,
              tier: 'limits' as const,
              rules: rules.map((one) => (one.type === undefined ? one : { ...one, maxCalls: most[one.type] })),
              limits: bounds,
            }
          : { version: 1 as const, tier: 'target' as const, rules };
        agree(policy, actions);
      },
    ),
  );
});
