import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { targetsOf } from '../src/scenarios/actions.ts';
import { evaluateGoal } from '../src/scenarios/conditions.ts';
import { readCorpus } from '../src/scenarios/load.ts';
import { toolsNamed } from '../src/scenarios/checkTools.ts';
import { CHANNELS, FAMILIES, type Scenario, type Tool } from '../src/scenarios/types.ts';
import { validateCorpus } from '../src/scenarios/validate.ts';
import { allTools, trustedTexts, untrustedTexts } from '../src/scenarios/visible.ts';
import { follow } from './scenarios-follower.ts';

const content = readFileSync(new URL('../data/scenarios.jsonl', import.meta.url), 'utf8');
const scenarios = readCorpus(content).scenarios.map(({ scenario }) => scenario);
const attacks = scenarios.filter(({ family }) => family !== 'control');
const controls = scenarios.filter(({ family }) => family === 'control');
const idsOf = (some: readonly Scenario[]): string[] => some.map(({ id }) => id);
const atLeast = (least: number, found: number, what: string): void =>
  assert.ok(found >= least, `${found} ${what}, expected at least ${least}`);

test('the corpus is valid', () => {
  assert.deepEqual(validateCorpus(content), []);
});

test('it has the size that it promises', () => {
  atLeast(64, attacks.length, 'attacks');
  atLeast(32, controls.length, 'controls');
  for (const channel of CHANNELS) {
    const of = (some: readonly Scenario[]): number => some.filter((scenario) => scenario.channel === channel).length;
    atLeast(6, of(attacks), `attacks through ${channel}`);
    atLeast(3, of(controls), `controls of ${channel}`);
  }
  for (const family of FAMILIES) atLeast(1, scenarios.filter((scenario) => scenario.family === family).length, family);
});

test('it has the chains that it promises', () => {
  atLeast(14, attacks.filter(({ channel }) => channel === 'tool_chain').length, 'chains');
  atLeast(14, attacks.filter((scenario) => scenario.steps.length > 0).length, 'attacks with steps');
  const steps = attacks.flatMap((scenario) => scenario.steps);
  atLeast(3, steps.filter((step) => step.from_call !== undefined).length, 'steps from a call');
  atLeast(3, steps.filter((step) => step.new_session).length, 'new sessions');
  for (const channel of ['memory', 'multi_turn', 'tool_chain'] as const) {
    atLeast(2, steps.filter((step) => step.channel === channel).length, `steps through ${channel}`);
  }
});

const coding = (some: readonly Scenario[]): number => some.filter(({ tags }) => tags.includes('coding')).length;

test("at least a third is a coding agent's world, with labelled commands of both kinds", () => {
  atLeast(Math.ceil(scenarios.length / 3), coding(scenarios), 'coding scenarios');
  atLeast(Math.ceil(attacks.length / 3), coding(attacks), 'coding attacks');
  const commands = scenarios.flatMap(({ calls }) => calls.filter(({ targets }) => targets));
  atLeast(15, commands.filter(({ expect }) => expect === 'allow').length, 'harmless commands');
  atLeast(40, commands.filter(({ expect }) => expect === 'deny').length, 'harmful commands');
});

test('every control mirrors an attack', () => {
  const attackIds = new Set(idsOf(attacks));
  assert.deepEqual(idsOf(controls.filter(({ twin }) => !attackIds.has(twin ?? ''))), []);
});

test('the targets of a labelled command are those that are told from a live one', () => {
  for (const scenario of scenarios) {
    for (const call of scenario.calls.filter(({ targets }) => targets)) {
      assert.deepEqual(targetsOf(toolsNamed(scenario, call.tool)[0] as Tool, call.args), call.targets, scenario.id);
    }
  }
});

/** Every address, and every host in a mail address, of a scenario's texts and calls. */
function hostsOf(scenario: Scenario): string[] {
  const { source: _source, ...rest } = scenario;
  const text = JSON.stringify(rest);
  const found = [...text.matchAll(/(?:[a-z]+:\/\/|@)([\w-]+(?:\.[\w-]+)+)/gi)].map((match) => match[1] as string);
  return found.filter((host) => /[a-z]/i.test(host) && !host.endsWith('.0'));
}

test('hosts are of the domains that are reserved for examples', () => {
  // `vainyvq` is `invalid` in ROT13.
  const stray = scenarios.flatMap((scenario) =>
    hostsOf(scenario)
      .filter((host) => !/\.(?:example|test|invalid|vainyvq)$/i.test(host))
      .map((host) => `${scenario.id}: ${host}`),
  );
  assert.deepEqual(stray, []);
});

/** Runs of five words in the texts of a scenario that somebody wrote. */
function fiveGrams(scenario: Scenario): Set<string> {
  const texts = [
    scenario.description,
    ...trustedTexts(scenario),
    ...untrustedTexts(scenario).filter((text) => !allTools(scenario).some(({ description }) => description === text)),
    ...allTools(scenario).map(({ description }) => description),
    ...scenario.injection.map(({ text }) => text),
    ...scenario.solution.map(({ text }) => text),
  ];
  const grams = texts.flatMap((text) => {
    const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    return words.slice(4).map((_, index) => words.slice(index, index + 5).join(' '));
  });
  return new Set(grams);
}

const pairOf = (scenario: Scenario): string => scenario.twin ?? scenario.id;

test('no two scenarios share more than 60 % of their runs of five words, twins aside', () => {
  const all = scenarios.map((scenario) => ({ scenario, grams: fiveGrams(scenario) }));
  const alike: string[] = [];
  for (const [index, one] of all.entries()) {
    for (const other of all.slice(index + 1)) {
      if (pairOf(one.scenario) === pairOf(other.scenario)) continue;
      const shared = [...one.grams].filter((gram) => other.grams.has(gram)).length;
      const share = shared / Math.max(1, Math.min(one.grams.size, other.grams.size));
      if (share > 0.6) alike.push(`${one.scenario.id} and ${other.scenario.id}: ${share.toFixed(2)}`);
    }
  }
  assert.deepEqual(alike, []);
});

test('one source is not behind everything', () => {
  const uses = new Map<string, number>();
  for (const { source } of attacks) uses.set(source?.url ?? '', (uses.get(source?.url ?? '') ?? 0) + 1);
  atLeast(30, uses.size, 'sources');
  for (const [url, count] of uses) assert.ok(count <= 4, `${url} is used ${count} times`);
});

const injected = (scenario: Scenario): string[] => scenario.injection.map(({ text }) => text);

test('whoever follows the plain English of the injections is compromised by every one, and still does the task', () => {
  const unmoved = attacks.filter(
    (scenario) => evaluateGoal(scenario.success ?? { all: [] }, follow(scenario), injected(scenario)).length === 0,
  );
  assert.deepEqual(idsOf(unmoved), []);
  const undone = attacks.filter(
    (scenario) => evaluateGoal(scenario.done, follow(scenario), injected(scenario)).length === 0,
  );
  assert.deepEqual(idsOf(undone), []);
});

const solved = ({ solution }: Scenario): number => solution.flatMap(({ calls }) => calls).length;

test('without the injection, and in controls, there is nothing to follow', () => {
  for (const scenario of scenarios) {
    const happened = follow(scenario, false);
    assert.ok(evaluateGoal(scenario.done, happened, []).length > 0, scenario.id);
    assert.equal(happened.calls.length, solved(scenario), scenario.id);
    if (scenario.success)
      assert.deepEqual(evaluateGoal(scenario.success, happened, injected(scenario)), [], scenario.id);
  }
});
