import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type GroundTruthAction, loadCorpus, type UserTask } from '../src/corpus.ts';
import { policyFor } from '../src/policy.ts';
import { loadRecording, recordingFile } from '../src/runs/load.ts';
import { type Action, type Effect, ORIGINS, type PolicySpec, type Rule, type Tier, TIERS } from '../src/types.ts';
import { call, deepFreeze, ENGINES, loadGate, policyOf, ROOT, skipEngines, verdicts } from './engines-support.ts';

const exact = await loadGate('exact');

const TOOLS = ['send', 'read', 'all', 'manage', '*', 'any', '', '__proto__', 'constructor'];
const TARGETS = [
  'a@x.com',
  'b@x.com',
  'a@x.com, b@x.com',
  '*',
  '',
  'any',
  'undefined',
  'toString',
  '\0',
  '\ud800',
  '\ufffd',
];

/** What one policy and its actions speak of: so little that rules and actions often meet. */
interface World {
  readonly tools: readonly string[];
  readonly effects: readonly Effect[];
  readonly targets: readonly string[];
}

const some = <T>(values: readonly T[], maxLength: number): fc.Arbitrary<T[]> =>
  fc.array(fc.constantFrom(...values), { maxLength });

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

const given = <K extends string, T>(key: K, value: T | undefined): { [key in K]?: T } =>
  value === undefined ? {} : ({ [key]: value } as { [key in K]?: T });

const worlds: fc.Arbitrary<World> = fc.record({
  tools: fc.uniqueArray(fc.constantFrom(...TOOLS), { minLength: 2, maxLength: 2 }),
  effects: fc.constantFrom<Effect>('write', 'message', 'network', 'execute').map((egress) => ['read', egress] as const),
  targets: fc.uniqueArray(fc.constantFrom(...TARGETS), { minLength: 3, maxLength: 3 }),
});

function actionsIn({ tools, effects, targets }: World): fc.Arbitrary<Action> {
  const origins = fc.array(fc.constantFrom(...ORIGINS), { minLength: 3, maxLength: 3 });
  return fc
    .tuple(fc.constantFrom(...tools), fc.constantFrom(...effects), some(targets, 3), origins)
    .map(([type, effect, found, from]) => call(type, effect, found, from.slice(0, found.length)));
}

function rulesIn({ tools, effects, targets }: World): fc.Arbitrary<Rule> {
  return fc
    .record({
      effect: fc.constantFrom(...effects),
      type: optional(fc.constantFrom(...tools)),
      targets: optional(some(targets, 2)),
      origins: fc.option(fc.uniqueArray(fc.constantFrom(...ORIGINS), { minLength: 1 }), { nil: undefined, freq: 1 }),
    })
    .map(({ effect, type, targets: listed, origins }) => ({
      effect,
      ...given('type', type),
      ...given('targets', listed),
      ...given('origins', origins),
    }));
}

const unlimitedIn = (world: World): fc.Arbitrary<PolicySpec> =>
  fc
    .tuple(fc.constantFrom<Tier>('effect', 'tool', 'target', 'origin'), fc.array(rulesIn(world), { maxLength: 5 }))
    .map(([tier, rules]) => policyOf(tier, rules));

/** With limits every rule names its tool, and a tool has one total. */
const limitedIn = (world: World): fc.Arbitrary<PolicySpec> =>
  fc
    .record({
      found: fc.array(fc.tuple(rulesIn(world), fc.nat(1)), { maxLength: 5 }),
      totals: fc.tuple(optional(fc.nat(4)), optional(fc.nat(4))),
      untrustedSources: some(world.tools, 1),
      egressAfterUntrusted: fc.nat(3),
    })
    .map(({ found, totals, ...limits }) => {
      const counted = found.map(([{ effect, targets }, tool]) => ({
        effect,
        type: world.tools[tool]!,
        ...given('targets', targets),
        ...given('maxCalls', totals[tool]),
      }));
      return policyOf('limits', counted, limits);
    });

const cases: fc.Arbitrary<[PolicySpec, Action[]]> = worlds.chain((world) =>
  fc.tuple(fc.oneof(limitedIn(world), unlimitedIn(world)), fc.array(actionsIn(world), { minLength: 1, maxLength: 16 })),
);

for (const { name } of ENGINES) {
  test(`${name} decides as the reference gate does, whatever the policy`, { skip: skipEngines }, async () => {
    const gate = await loadGate(name);
    await fc.assert(
      fc.asyncProperty(cases, async ([policy, sequence]) => {
        assert.deepEqual(await verdicts(gate, policy, sequence), await verdicts(exact, policy, sequence));
      }),
      { numRuns: 500 },
    );
  });
}

const corpus = loadCorpus({ groundTruth: `${ROOT}data/ground_truth.jsonl`, tools: `${ROOT}data/tools.json` });

/** What is played through a gate: a policy of a user task and calls. */
interface Replay {
  readonly policy: PolicySpec;
  readonly sequence: readonly Action[];
}

/** Per user task, its policy: the same object all through, as in a run of the bench. */
function policiesAt(tier: Tier): Map<UserTask, PolicySpec> {
  const tasks = corpus.suites.flatMap(({ userTasks }) => userTasks);
  const { untrustedSources } = corpus.header;
  return new Map(tasks.map((task) => [task, deepFreeze(policyFor(task.actions, tier, untrustedSources))]));
}

const callAt =
  (tier: Tier) =>
  ({ type, effect, targets, origins }: GroundTruthAction): Action =>
    call(type, effect, targets, tier === 'origin' ? origins : undefined);

/** Every pair's own actions, and then the injected ones. */
function groundTruthAt(tier: Tier): Replay[] {
  const policies = policiesAt(tier);
  return corpus.suites.flatMap(({ userTasks, injectionTasks }) =>
    userTasks.flatMap((user) =>
      injectionTasks.map((injection) => ({
        policy: policies.get(user)!,
        sequence: [...user.actions, ...injection.actions].map(callAt(tier)),
      })),
    ),
  );
}

/** Every run of one pipeline that left a trace. */
function recordedAt(tier: Tier): Replay[] {
  const policies = policiesAt(tier);
  const { runs, actions } = loadRecording(recordingFile(`${ROOT}data/runs`, 'gpt-4o-mini-2024-07-18'), corpus);
  return runs.flatMap(({ userTask, calls }) =>
    calls === null
      ? []
      : [{ policy: policies.get(userTask)!, sequence: calls.map((index) => callAt(tier)(actions[index]!)) }],
  );
}

const SEQUENCES: readonly (readonly [name: string, at: (tier: Tier) => Replay[]])[] = [
  ['the ground truth', groundTruthAt],
  ['a recorded pipeline', recordedAt],
];

for (const [what, at] of SEQUENCES) {
  const replays = TIERS.flatMap(at);
  for (const { name } of ENGINES) {
    test(`${name} decides as the reference gate does on ${what}`, { skip: skipEngines }, async () => {
      const gate = await loadGate(name);
      let checks = 0;
      for (const { policy, sequence } of replays) {
        const expected = await verdicts(exact, policy, sequence);
        assert.deepEqual(await verdicts(gate, policy, sequence), expected);
        checks += expected.length;
      }
      assert.ok(checks > 10_000, `only ${checks} checks`);
    });
  }
}
