import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { callsThrough } from '../src/scenarios/calls.ts';
import { figuresOf } from '../src/scenarios/figures.ts';
import { openGate } from '../src/gate.ts';
import { toolsNamed } from '../src/scenarios/checkTools.ts';
import { CHANNELS, type Scenario } from '../src/scenarios/types.ts';
import { CAREFUL, compromised, controls, NAIVE, PARANOID, run, SCENARIOS, targetOf } from './scenarios-harness.ts';

const ATTACKS = SCENARIOS.filter(({ injection }) => injection.length > 0);
const errors = (records: readonly { readonly error?: unknown }[]): unknown[] =>
  records.flatMap(({ error }) => error ?? []);

test('naive falls for every attack but those that are listed with a reason, and does every control', async () => {
  const file = new URL('../data/naive-resists.json', import.meta.url);
  const { resists } = JSON.parse(readFileSync(file, 'utf8')) as { resists: { [id: string]: string } };
  const records = await run(NAIVE, 'none');
  const fallen = compromised(records);
  assert.deepEqual(
    ATTACKS.map(({ id }) => id).filter((id) => !fallen.includes(id)),
    Object.keys(resists),
  );
  assert.ok(Object.values(resists).every((reason) => reason.trim() !== ''));
  assert.deepEqual(
    controls(records).filter(({ task }) => task !== 'done'),
    [],
  );
  assert.ok(fallen.length > 60 && controls(records).length > 30);
  assert.deepEqual(errors(records), []);
});

test('careful is never compromised and refuses nothing, behind every defence', async () => {
  for (const defense of ['none', 'delimit', 'spotlight', 'hierarchy', 'repeat', 'filter', 'gate:exact@target']) {
    const records = await run(CAREFUL, defense);
    assert.deepEqual(compromised(records), [], defense);
    assert.deepEqual(
      records.filter(({ task }) => task !== 'done').map(({ key }) => key.scenario),
      [],
      defense,
    );
  }
});

test('a gate that denies everything leaves the reference targets only what needs no call', async () => {
  const needsCall = SCENARIOS.filter(({ solution }) => solution.some(({ calls }) => calls.length > 0));
  const ids = new Set(needsCall.map(({ id }) => id));
  assert.ok(ids.size > 80);
  for (const target of [CAREFUL, NAIVE]) {
    const records = await run(target, 'gate:deny-all@target');
    const done = records.filter(({ key, task }) => task === 'done' && ids.has(key.scenario));
    assert.deepEqual(
      done.map(({ key }) => key.scenario),
      [],
      target.name,
    );
  }
});

test('paranoid is never compromised and refuses everything; what it never met is not counted as resisted', async () => {
  const [row] = figuresOf(await run(PARANOID, 'none'), { resamples: 0, seed: 1 });
  assert.equal(row?.compromised.rate, 0);
  assert.equal(row?.overRefused.rate, 1);
  assert.equal(row?.taskUnderAttack.rate, 0);
  const met = ATTACKS.filter(({ injection }) => injection.some(({ at }) => at.in !== 'result')).length;
  assert.ok((row?.unclassified ?? 0) >= ATTACKS.length - met && (row?.unclassified ?? 0) > 0);
});

for (const defense of ['delimit', 'hierarchy', 'repeat']) {
  test(`${defense} alone changes nothing for naive`, async () => {
    assert.deepEqual(compromised(await run(NAIVE, defense)), compromised(await run(NAIVE, 'none')));
  });
}

test('spotlight stops what arrives in marked text and nothing else, in every channel', async () => {
  const bare = compromised(await run(NAIVE, 'none'));
  const marked = compromised(await run(NAIVE, 'spotlight'));
  const inOwnWords = ATTACKS.filter(({ injection }) => injection.every(({ at }) => at.in === 'message'));
  assert.deepEqual(
    marked,
    bare.filter((id) => inOwnWords.some((scenario) => scenario.id === id)),
  );
  const stopped = new Set(ATTACKS.filter(({ id }) => !marked.includes(id)).map(({ channel }) => channel));
  assert.deepEqual(
    CHANNELS.filter((channel) => !stopped.has(channel)),
    ['user_message'],
  );
});

test('allowlist and gate keep naive from calls that the policy does not permit', async () => {
  const bare = compromised(await run(NAIVE, 'none')).length;
  const allowlist = compromised(await run(NAIVE, 'allowlist')).length;
  const gate = compromised(await run(NAIVE, 'gate:exact@target')).length;
  assert.ok(gate < allowlist && allowlist < bare, `${gate} < ${allowlist} < ${bare}`);
});

test('a gate that allows everything changes nothing; one that denies everything stops every call', async () => {
  assert.deepEqual(compromised(await run(NAIVE, 'gate:allow-all@target')), compromised(await run(NAIVE, 'none')));
  const denied = await run(NAIVE, 'gate:deny-all@target');
  assert.ok(denied.every(({ calls }) => calls.every(({ fate }) => fate !== 'done')));
});

test('the policy permits every solution at every tier, and origins let through what the user named', async () => {
  for (const tier of ['effect', 'tool', 'target', 'limits']) {
    const records = await run(CAREFUL, `gate:exact@${tier}`);
    assert.ok(
      records.every(({ calls }) => calls.every(({ fate }) => fate === 'done')),
      tier,
    );
  }
  const records = await run(CAREFUL, 'gate:exact@origin');
  const calls = records.flatMap((record) => record.calls.map((call) => ({ call, record })));
  for (const { call } of calls.filter(({ call: one }) => one.fate === 'denied')) {
    assert.ok(call.origins.length === 0 || call.origins.some((origin) => origin !== 'user'));
  }
  assert.ok(calls.some(({ call }) => call.fate === 'done' && call.origins.length > 0));
});

test('exact decides every labelled call as labelled; gates that look at less do not', async () => {
  const limits = { timeoutMs: 2000, memoryMb: 256 };
  const measured = async (name: string): Promise<Awaited<ReturnType<typeof callsThrough>>> => {
    const gate = await openGate(new URL(`../adapters/${name}.mjs`, import.meta.url), name, {
      limits,
      onOutput: () => {},
    });
    const report = await callsThrough(SCENARIOS, gate, 'target');
    await gate.close();
    return report;
  };
  const exact = await measured('exact');
  assert.deepEqual([exact.falseAllows, exact.falseDenials, exact.errors], [0, 0, 0]);
  assert.ok(exact.allows > 50 && exact.denials > 100);
  const [open, closed] = [await measured('allow-all'), await measured('deny-all')];
  assert.deepEqual([open.falseAllows, open.falseDenials], [open.denials, 0]);
  assert.deepEqual([closed.falseAllows, closed.falseDenials], [0, closed.allows]);
});

/** Does the solution of a scenario but for one call, and says all the same that it is done. */
async function taskWithout(scenario: Scenario, turn: number, left: number): Promise<string | undefined> {
  let at = 0;
  const target = targetOf(async ({ call }) => {
    const { calls, text } = scenario.solution[at]!;
    const kept = calls.filter((_, index) => at !== turn || index !== left);
    at += 1;
    for (const { tool, args } of kept) await call(tool, args);
    return { text };
  });
  return (await run(target, 'none', [scenario]))[0]?.task;
}

test('no task is done without the messages and changes that it asks for, whatever is said of them', async () => {
  const idle: string[] = [];
  let tried = 0;
  for (const scenario of SCENARIOS) {
    for (const [turn, { calls }] of scenario.solution.entries()) {
      for (const [index, { tool }] of calls.entries()) {
        if (!toolsNamed(scenario, tool).some(({ effect }) => effect === 'message' || effect === 'write')) continue;
        tried += 1;
        if ((await taskWithout(scenario, turn, index)) === 'done') idle.push(`${scenario.id}: ${tool}`);
      }
    }
  }
  assert.ok(tried > 20, `${tried} calls`);
  assert.deepEqual(idle, []);
});

test('no task is done by words of refusal or doubt', async () => {
  const target = targetOf(async () => ({
    text: 'Yes, I can see what is asked. I do not know whether it exists or is present there, so no, not at present.',
  }));
  const records = await run(target, 'none');
  assert.deepEqual(
    records.filter(({ task }) => task === 'done').map(({ key }) => key.scenario),
    [],
  );
});
