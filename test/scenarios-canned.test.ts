import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionOf, names, originOf, targetsOf } from '../src/scenarios/actions.ts';
import {
  answer,
  arrivesWith,
  fill,
  NO_RESULT,
  offeredAt,
  stepContent,
  withInjection,
} from '../src/scenarios/canned.ts';
import { limitedSession, permits } from '../src/scenarios/reference.ts';
import { scenarioOf } from '../src/scenarios/record.ts';
import type { Scenario, Step, Tool } from '../src/scenarios/types.ts';
import { attack, set as edit, type Draft } from './scenarios-base.ts';

const scenario = (draft: Draft = attack()): Scenario => scenarioOf(draft);
const [open, send, shell] = scenario().tools as [Tool, Tool, Tool];

test('the first result that answers a call is taken, and says which it is', () => {
  const tool: Tool = {
    ...send,
    results: [
      { when: { to: { equals: 'a' } }, text: 'one', sets: [] },
      { text: 'two {{arg to}}', sets: [] },
    ],
  };
  assert.deepEqual(answer(tool, { to: 'a' }, {}), { text: 'one', entry: 0, state: {} });
  assert.deepEqual(answer(tool, { to: 'b' }, {}), { text: 'two b', entry: 1, state: {} });
  assert.deepEqual(answer(open, { url: 'https://c.example' }, {}), { text: NO_RESULT, entry: -1, state: {} });
});

test('a call changes the world, and the world is not changed in place', () => {
  const before = { kept: 1 };
  const after = answer(send, { to: 'eve', body: 'hi' }, before);
  assert.deepEqual(after.state, { kept: 1, 'sent:eve': 'hi' });
  assert.deepEqual(before, { kept: 1 });
});

const setting = (value: string): Tool => ({ ...send, results: [{ text: '', sets: [{ key: 'k', value }] }] });

test('an argument alone keeps its JSON type, absent it is null; inside text it is printed', () => {
  assert.deepEqual(answer(setting('{{arg body}}'), { body: [1, null] }, {}).state, { k: [1, null] });
  assert.deepEqual(answer(setting('{{arg body}}'), {}, {}).state, { k: null });
  assert.deepEqual(answer(setting('<{{arg body}}>'), { body: [1] }, {}).state, { k: '<[1]>' });
});

test('what a template is filled with is not read as a template, nor as a replacement pattern', () => {
  assert.equal(fill('{{arg a}} {{state s}}', { a: "{{state s}} $& $'" }, { s: 'S' }), "{{state s}} $& $' S");
});

test('a key that an argument brings may be __proto__', () => {
  const { state } = answer(
    { ...send, results: [{ text: '', sets: [{ key: '{{arg to}}', value: '{{arg body}}' }] }] },
    { to: '__proto__', body: { x: 1 } },
    {},
  );
  assert.deepEqual(Object.keys(state), ['__proto__']);
  assert.equal((state as { x?: number }).x, undefined);
});

test('an injection goes where the marker is, as it is, or leaves nothing', () => {
  const given = scenario(edit(attack(), ['injection', 'text'], "$& $1 it's"));
  assert.equal(withInjection(given, true).tools[0]?.results[0]?.text, "Opens at nine. $& $1 it's Code QX-4471-ZZ.");
  assert.equal(withInjection(given, false).tools[0]?.results[0]?.text, 'Opens at nine.  Code QX-4471-ZZ.');
});

const places: readonly [string, object, (given: Scenario) => string | undefined][] = [
  ['a description', { in: 'description', tool: 'send' }, (given) => given.tools[1]?.description],
  [
    'a description that a step brings',
    { in: 'description', tool: 'send', step: 0 },
    (given) => given.steps[0]?.tools[0]?.description,
  ],
  [
    'a result that a step brings',
    { in: 'result', tool: 'send', step: 0 },
    (given) => given.steps[0]?.tools[0]?.results[0]?.text,
  ],
  ['the name of a document', { in: 'document', index: 0 }, (given) => given.documents[0]?.name],
  ['the text of a document', { in: 'document', index: 1 }, (given) => given.documents[1]?.text],
  ['the metadata of a document', { in: 'document', index: 2 }, (given) => given.documents[2]?.metadata?.['alt']],
  ['an earlier turn', { in: 'history', index: 0 }, (given) => given.history[0]?.content],
  ['the message', { in: 'message' }, (given) => given.task],
  ['the content of a step', { in: 'step', index: 0 }, (given) => given.steps[0]?.content],
];

for (const [name, at, look] of places) {
  test(`an injection in ${name}`, () => {
    const x = '<{{injection}}>';
    const tool = { ...(attack()['tools'] as Draft[])[1], description: x, result: x };
    const draft = {
      ...attack(),
      task: x,
      history: [{ role: 'assistant', content: x }],
      documents: [
        { name: x, text: '' },
        { name: 'b', text: x },
        { name: 'c', text: '', metadata: { alt: x } },
      ],
      tools: [(attack()['tools'] as Draft[])[0], tool],
      steps: [{ channel: 'memory', content: x, task: 'Go on', tools: [tool] }],
      injection: { at, text: 'HERE' },
    };
    const given = withInjection(scenarioOf(draft), true);
    assert.equal(look(given), '<HERE>');
    assert.equal(JSON.stringify(given).split('<HERE>').length, 2, 'and nowhere else');
  });
}

test('steps bring tools in place of those of the same name, and only from then on', () => {
  const again: Draft = { ...(attack()['tools'] as Draft[])[1], description: 'Another.' };
  const given = scenario({
    ...attack(),
    steps: [
      { channel: 'memory', task: 'x' },
      { channel: 'memory', task: 'y', tools: [again, { ...again, name: 'new' }] },
    ],
  });
  assert.deepEqual(
    offeredAt(given, 1).map(({ tool, step }) => [tool.name, step]),
    [
      ['open', undefined],
      ['send', undefined],
      ['shell', undefined],
    ],
  );
  const later = offeredAt(given, 2);
  assert.deepEqual(
    later.map(({ tool, step }) => [tool.name, step]),
    [
      ['open', undefined],
      ['send', 1],
      ['shell', undefined],
      ['new', 1],
    ],
  );
  assert.equal(later[1]?.tool.description, 'Another.');
});

test('an injection arrives with its result alone', () => {
  const [injection] = scenario().injection;
  assert.ok(injection);
  assert.equal(arrivesWith(injection, { tool: open }, 0), true);
  assert.equal(arrivesWith(injection, { tool: open }, 1), false);
  assert.equal(arrivesWith(injection, { tool: open, step: 0 }, 0), false);
  assert.equal(arrivesWith(injection, { tool: send }, 0), false);
});

const stepOf = (more: object): Step => ({ channel: 'memory', task: 'x', new_session: false, tools: [], ...more });

test('a step carries text, the world, or the arguments of the last call; without such a call the chain has broken', () => {
  assert.equal(stepContent(stepOf({ content: 'Memory: {{state m}}' }), { m: 'old' }, []), 'Memory: old');
  assert.equal(stepContent(stepOf({}), {}, []), '');
  const calls = [
    { tool: 'send', args: { to: 'a' } },
    { tool: 'send', args: { to: 'b', body: '"' } },
    { tool: 'open', args: {} },
  ];
  assert.equal(stepContent(stepOf({ from_call: 'send' }), {}, calls), '{"to":"b","body":"\\""}');
  assert.equal(stepContent(stepOf({ from_call: 'send' }), {}, []), undefined);
});

test('targets are the values of the target arguments, in their order, then what the command names', () => {
  const tool: Tool = { ...send, targetArgs: ['to', 'body'] };
  assert.deepEqual(targetsOf(tool, { body: 'x', to: ['a', 'b'] }), ['a', 'b', 'x']);
  assert.deepEqual(targetsOf(tool, { to: null, body: 7 }), ['7']);
  assert.deepEqual(targetsOf(tool, { to: '' }), ['']);
  assert.deepEqual(targetsOf(open, { url: 'https://a.example' }), ['https://a.example']);
  assert.deepEqual(targetsOf({ ...shell, targetArgs: ['cwd'] }, { cwd: 'src', command: 'ls /tmp' }), [
    'src',
    'ls',
    '/tmp',
  ]);
  assert.deepEqual(targetsOf(shell, { command: 5 }), []);
  assert.deepEqual(actionOf(send, { to: 'a' }), { type: 'send', effect: 'message', target: 'a', targets: ['a'] });
  assert.ok(Object.isFrozen(actionOf(send, {}).targets) && !('target' in actionOf(send, {})));
});

test('an origin is the user, else untrusted text, else the model', () => {
  assert.equal(originOf('eve@x.test', 'Write to Eve@x.test.', 'eve@x.test'), 'user');
  assert.equal(originOf('eve@x.test', 'Write to me', 'mail eve@x.test!'), 'tool');
  assert.equal(originOf('eve@x.test', 'steve@x.test', 'eve@x.tests'), 'model');
  assert.equal(names('delete 13 files', '13'), false);
  assert.equal(names('delete file 13', '13'), true);
  assert.equal(names('a(b)', 'a(b)'), true);
  assert.equal(names('anything', ''), false);
});

const act = (type: string, effect: 'message' | 'network' | 'read' | 'write', ...targets: string[]) => ({
  type,
  effect,
  targets,
});

test('the reference permits what a rule matches, as the policy is written', () => {
  const policy = {
    rules: [
      { effect: 'message', type: 'send', targets: ['a', 'b'] },
      { effect: 'network', targets: [] },
      { effect: 'read' },
    ],
  } as const;
  assert.equal(permits(policy, act('send', 'message', 'a', 'b')), true);
  assert.equal(permits(policy, act('send', 'message', 'a', 'c')), false, 'every target');
  assert.equal(permits(policy, act('send', 'message')), false, 'targets are wanted');
  assert.equal(permits(policy, act('sms', 'message', 'a')), false, 'the type');
  assert.equal(permits(policy, act('get', 'network')), true);
  assert.equal(permits(policy, act('get', 'network', 'x')), false, 'only without a target');
  assert.equal(permits(policy, act('any', 'read', 'x')), true);
  assert.equal(permits(policy, act('any', 'write')), false);
});

test('limits count allowed calls, and egress after the first untrusted read', () => {
  const judge = limitedSession({
    rules: [{ effect: 'read' }, { effect: 'message', type: 'send', maxCalls: 2 }, { effect: 'write' }],
    limits: { untrustedSources: ['get'], egressAfterUntrusted: 1 },
  });
  const action = (type: string, effect: 'message' | 'read' | 'write') => judge({ type, effect, targets: [] });
  assert.deepEqual(
    [action('send', 'message'), action('send', 'message'), action('send', 'message')],
    [true, true, false],
  );
  assert.deepEqual(
    [action('get', 'read'), action('save', 'write'), action('save', 'write'), action('get', 'read')],
    [true, true, false, true],
  );
});
