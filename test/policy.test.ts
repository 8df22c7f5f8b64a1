import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createActionTable } from '../src/batch.ts';
import type { GroundTruthAction } from '../src/corpus.ts';
import { originsInPair } from '../src/plan.ts';
import { policyFor } from '../src/policy.ts';

const act = (type: string, effect: GroundTruthAction['effect'], ...targets: string[]): GroundTruthAction => ({
  type,
  effect,
  targets,
  origins: targets.map(() => 'tool'),
});

// Reads the inbox, mails two people, notes it, books a meeting with nobody, then one with somebody.
const TASK = [
  act('read_inbox', 'read'),
  act('send_email', 'message', 'a@x', 'b@x'),
  act('send_email', 'message', 'a@x'),
  act('book', 'write'),
  act('book', 'write', 'c@x'),
];

test('effect: one rule for each effect, in the order of first need', () => {
  assert.deepEqual(policyFor(TASK, 'effect', []), {
    version: 1,
    tier: 'effect',
    rules: [{ effect: 'read' }, { effect: 'message' }, { effect: 'write' }],
  });
});

test('tool: one rule for each tool', () => {
  assert.deepEqual(policyFor(TASK, 'tool', []).rules, [
    { effect: 'read', type: 'read_inbox' },
    { effect: 'message', type: 'send_email' },
    { effect: 'write', type: 'book' },
  ]);
});

test('target: every literal once; a tool with and without targets has two rules', () => {
  assert.deepEqual(policyFor(TASK, 'target', []).rules, [
    { effect: 'read', type: 'read_inbox', targets: [] },
    { effect: 'message', type: 'send_email', targets: ['a@x', 'b@x'] },
    { effect: 'write', type: 'book', targets: [] },
    { effect: 'write', type: 'book', targets: ['c@x'] },
  ]);
});

test('limits: the total of the tool on each of its rules, and the egress after the first untrusted source', () => {
  const policy = policyFor(TASK, 'limits', ['read_inbox']);
  assert.deepEqual(
    policy.rules.map((rule) => rule.maxCalls),
    [1, 2, 2, 2],
  );
  assert.deepEqual(policy.limits, { untrustedSources: ['read_inbox'], egressAfterUntrusted: 4 });
  // send_email is the source: of its own two calls the second counts, then both bookings.
  assert.equal(policyFor(TASK, 'limits', ['send_email']).limits?.egressAfterUntrusted, 3);
  assert.equal(policyFor(TASK, 'limits', ['other']).limits?.egressAfterUntrusted, 0);
});

test('origin: reads are free, egress is tied to the request; the same for every task', () => {
  const policy = policyFor(TASK, 'origin', []);
  assert.deepEqual(policy, policyFor([], 'origin', ['x']));
  assert.deepEqual(policy.rules, [
    { effect: 'read' },
    { effect: 'write', origins: ['user'] },
    { effect: 'message', origins: ['user'] },
    { effect: 'network', origins: ['user'] },
    { effect: 'execute', origins: ['user'] },
  ]);
});

test('a gate sees targets and one joined target, origins at origin alone, and equal actions as one object', () => {
  const table = createActionTable('target');
  assert.equal(table.indexOf(TASK[1]!), table.indexOf({ ...TASK[1]!, origins: ['user', 'user'] }));
  table.indexOf(TASK[0]!);
  assert.deepEqual(table.actions, [
    { type: 'send_email', effect: 'message', target: 'a@x, b@x', targets: ['a@x', 'b@x'] },
    { type: 'read_inbox', effect: 'read', targets: [] },
  ]);
  const origin = createActionTable('origin');
  assert.notEqual(origin.indexOf(TASK[1]!), origin.indexOf(TASK[1]!, ['user', 'tool']));
  assert.deepEqual(origin.actions[1]?.origins, ['user', 'tool']);
});

test("in a pair, what the user's request names has the origin user", () => {
  assert.deepEqual(originsInPair(['a', 'b'], ['tool', 'model'], ['b']), ['tool', 'user']);
});
