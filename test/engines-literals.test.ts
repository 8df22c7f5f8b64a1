import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Action, Gate, PolicySpec } from '../src/types.ts';
import { call, ENGINES, loadGate, policyOf, skipEngines, verdicts } from './engines-support.ts';

/** The first and last character of every plane, and the surrogate halves, which are no characters. */
const PLANES = Array.from({ length: 17 }, (_, plane) => [plane * 0x1_00_00, plane * 0x1_00_00 + 0xff_ff]).flat();
const EDGES = [...PLANES, 0xd7_ff, 0xd8_00, 0xdb_ff, 0xdc_00, 0xdf_ff, 0xe0_00, 0xff_fd].map((code) =>
  String.fromCodePoint(code),
);

const TEXTS: readonly string[] = [
  ...new Set([
    ...EDGES,
    '',
    ' ',
    'a',
    'A',
    'a ',
    'a\n',
    'a\0',
    'a\0b',
    'a,b',
    'a, b',
    '"a"',
    "'a'",
    "a' || 'a' == 'a",
    'a" || true || "',
    "a' or tool == 'x",
    '") }; permit(principal, action, resource);',
    'a\\',
    '\\a',
    '\\"',
    '\\u0061',
    '${a}',
    '{{a}}',
    '*',
    'a*',
    '?',
    '.',
    '.*',
    '[a]',
    '(a|b)',
    '^a$',
    'any',
    'none',
    'some',
    'all',
    'manage',
    'true',
    'null',
    'undefined',
    '0',
    '-1',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '__entity',
    '{"__entity":{"type":"T","id":"a"}}',
    '\u202Ea',
    'é',
    'e\u0301',
    '\uFFFDd800',
    '\uFEFFa',
    '\r\n',
    '\u2028',
    'x'.repeat(100_000),
  ]),
];

/** Which of `TEXTS` a policy that holds one of them permits, for each. */
async function permitted(
  gate: Gate,
  policyFor: (text: string) => PolicySpec,
  actionFor: (text: string) => Action,
): Promise<string[][]> {
  const actions = TEXTS.map(actionFor);
  const found: string[][] = [];
  for (const text of TEXTS) {
    const allowed = await verdicts(gate, policyFor(text), actions);
    found.push(TEXTS.filter((_, index) => allowed[index]));
  }
  return found;
}

const alone = TEXTS.map((text) => [text]);

for (const { name } of ENGINES) {
  test(`${name} takes a target for itself and nothing else`, { skip: skipEngines }, async () => {
    const found = await permitted(
      await loadGate(name),
      (text) => policyOf('target', [{ effect: 'write', type: 'save', targets: [text] }]),
      (text) => call('save', 'write', [text]),
    );
    assert.deepEqual(found, alone);
  });

  test(`${name} takes a tool's name for itself and nothing else`, { skip: skipEngines }, async () => {
    const found = await permitted(
      await loadGate(name),
      (text) => policyOf('limits', [{ effect: 'write', type: text, maxCalls: 1 }]),
      (text) => call(text, 'write', ['a']),
    );
    assert.deepEqual(found, alone);
  });

  test(`${name} finds one target among 10,000`, { skip: skipEngines }, async () => {
    const targets = Array.from({ length: 10_000 }, (_, index) => `user${index}@example.com`);
    const policy = policyOf('target', [{ effect: 'message', type: 'send', targets }]);
    const asked = [['user9999@example.com'], ['user10000@example.com'], ['user0@example.com', 'user1@example.com']];
    const actions = asked.map((found) => call('send', 'message', found));
    assert.deepEqual(await verdicts(await loadGate(name), policy, actions), [true, false, true]);
  });

  test(`${name} does not let two rules share an action between them`, { skip: skipEngines }, async () => {
    const rule = (target: string) => ({ effect: 'message', type: 'send', targets: [target] }) as const;
    const actions = [['a'], ['b'], ['a', 'b']].map((targets) => call('send', 'message', targets));
    const policy = policyOf('target', [rule('a'), rule('b')]);
    assert.deepEqual(await verdicts(await loadGate(name), policy, actions), [true, true, false]);
  });

  test(`${name} denies everything without a rule`, { skip: skipEngines }, async () => {
    const actions = [call('', 'read'), call('', 'read', ['']), call('send', 'message', ['a'])];
    assert.ok(!(await verdicts(await loadGate(name), policyOf('target', []), actions)).includes(true));
  });
}
