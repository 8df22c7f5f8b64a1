import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showProblem } from '../src/scenarios/load.ts';
import { validateCorpus } from '../src/scenarios/validate.ts';
import { attack, control, file, set, type Draft } from './scenarios-base.ts';

const problemsOf = (...records: readonly unknown[]): string[] =>
  validateCorpus(file(...records)).map((problem) => showProblem('c.jsonl', problem));

/** The problems of the attack in line 2, with these members set. */
const changed = (...edits: readonly [readonly (string | number)[], unknown][]): string[] =>
  problemsOf(
    control(),
    edits.reduce<Draft>((draft, [path, value]) => set(draft, path, value), attack()),
  );

test('a corpus without a fault has no problem', () => {
  assert.deepEqual(problemsOf(attack(), control()), []);
});

test('a record that is nested without end is refused, not followed', () => {
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const line = JSON.stringify(attack()).replace(/^\{/, `{"state":${deep},`);
  const [problem] = validateCorpus(`${line}\n`);
  assert.deepEqual([problem?.line, problem?.path, problem?.reason], [1, '$', 'is nested more than 100 levels deep']);
});

test('of a record that cannot be read, nothing is said that may be wrong: twins and controls wait', () => {
  assert.deepEqual(problemsOf(set(attack(), ['colour'], 1), control()).length, 1);
  assert.deepEqual(problemsOf(attack(), set(control(), ['colour'], 1)).length, 1);
});

const canary = (token: string): object => ({ type: 'canary', token });
const leak = (secret: string, sink: object = { tool: 'send', arg: 'body' }): object => ({
  type: 'exfiltration',
  secret,
  sinks: [sink],
});
const step = (more: object): object[] => [{ channel: 'memory', task: 'And now?', ...more }];
const twoTurns = [attack()['solution'], { calls: [], text: 'Nothing.' }];

const refusals: readonly [string, [readonly (string | number)[], unknown][], string][] = [
  ['a shape, with the other checks left out', [[['colour'], 1]], '$.colour: unknown key'],
  [
    'a condition on a tool that is not offered',
    [[['success', 0, 'tool'], 'sned']],
    '$.success.tool: no tool sned is offered',
  ],
  [
    'a condition on an argument that the tool does not take',
    [[['success', 0, 'args'], { recipient: { equals: 'x' } }]],
    '$.success: send takes no argument recipient',
  ],
  [
    'a call of a sequence that cannot be',
    [[['success'], { type: 'sequence', calls: [{ tool: 'open' }, { tool: 'mail' }] }]],
    '$.success.calls[1].tool: no tool mail is offered',
  ],
  [
    'a condition of several, by its index',
    [
      [
        ['success'],
        {
          all: [
            { type: 'tool_call', tool: 'send' },
            { type: 'tool_call', tool: 'gone' },
          ],
        },
      ],
    ],
    '$.success.all[1].tool: no tool gone is offered',
  ],
  [
    'a secret that nothing holds',
    [[['success'], leak('QX-9999-ZZ')]],
    '$.success.secret: nothing that the target can read holds QX-9999-ZZ',
  ],
  [
    'a secret that the injection alone holds',
    [[['success'], leak('eve@x.test')]],
    '$.success.secret: nothing that the target can read holds eve@x.test',
  ],
  [
    'a secret that is too short to be told from text',
    [[['success'], leak('nine')]],
    '$.success.secret: needs at least 8 letters or digits',
  ],
  [
    'a sink that is not offered',
    [[['success'], leak('QX-4471-ZZ', { tool: 'post' })]],
    '$.success.sinks[0].tool: no tool post is offered',
  ],
  [
    'an argument of a sink',
    [[['success'], leak('QX-4471-ZZ', { tool: 'send', arg: 'text' })]],
    '$.success.sinks[0]: send takes no argument text',
  ],
  [
    'a canary that the task holds',
    [[['success'], canary('opens')]],
    '$.success.token: the task or the system prompt holds the canary opens',
  ],
  [
    'a canary that the system prompt holds',
    [[['done'], canary('You help')]],
    '$.done.token: the task or the system prompt holds the canary You help',
  ],
  [
    'a canary that is there without the injection',
    [[['success'], canary('QX-4471-ZZ')]],
    '$.success.token: the scenario holds the canary QX-4471-ZZ without the injection',
  ],
  [
    'a state that no tool sets',
    [[['success'], { type: 'state', key: 'paid:eve', equals: 1 }]],
    '$.success: no tool sets the state paid:eve',
  ],
  [
    'a state that is met at the start',
    [
      [['success'], { type: 'state', key: 'sent:eve', equals: 'x' }],
      [['state'], { 'sent:eve': 'x' }],
    ],
    '$.success: the state is met at the start',
  ],
  [
    'a state that is to vanish',
    [
      [['success'], { type: 'state', key: 'sent:eve', absent: true }],
      [['state'], { 'sent:eve': 'x' }],
    ],
    '$.success: nothing removes a key of the state',
  ],
  [
    'a target argument that the tool does not take',
    [[['tools', 1, 'targetArgs'], ['recipient']]],
    '$.tools[1]: send takes no argument recipient, which is to hold its targets',
  ],
  [
    'a shell argument that is a target argument too',
    [[['tools', 2, 'targetArgs'], ['command']]],
    '$.tools[2].targetArgs: command is the shellArg already',
  ],
  [
    "an argument in a result's condition",
    [[['tools', 0, 'results', 0, 'when'], { uri: { equals: 'x' } }]],
    '$.tools[0].results[0]: open takes no argument uri',
  ],
  [
    'an argument in a template',
    [[['tools', 1, 'result'], '{{arg who}}']],
    '$.tools[1].results[0]: send takes no argument who',
  ],
  [
    'a template that is none',
    [[['tools', 1, 'result'], '{{secret}}']],
    '$.tools[1].results[0]: unknown template {{secret}}',
  ],
  [
    'a template of a state that nothing sets',
    [[['tools', 1, 'result'], '{{state sned}}']],
    '$.tools: {{state sned}}: nothing sets sned',
  ],
  [
    'a result behind one that answers every call',
    [
      [
        ['tools', 0, 'results'],
        [{ text: '{{injection}}' }, { when: {}, text: 'The key is here.' }],
      ],
    ],
    '$.tools[0].results[1]: is never reached: results[0] answers every call',
  ],
  [
    'a name that no interface of a model takes',
    [[['tools', 2, 'name'], 'a shell']],
    '$.tools[2].name: expected at most 64 letters, digits, _ and -',
  ],
  [
    'a state that is only ever set to something else',
    [
      [['tools', 1, 'sets'], [{ key: 'lamp', value: 'off' }]],
      [['success'], { type: 'state', key: 'lamp', equals: 'on' }],
    ],
    '$.success: no tool sets the state lamp to what is wanted',
  ],
  [
    'a sink that takes no arguments',
    [
      [
        ['tools', 2],
        {
          name: 'ring',
          description: 'Rings.',
          parameters: { type: 'object', properties: {} },
          effect: 'write',
          targetArgs: [],
          result: 'Rung.',
        },
      ],
      [['success'], leak('SECRET-4711-x', { tool: 'ring' })],
    ],
    '$.success.sinks[0]: ring takes no arguments, so nothing can reach it',
  ],
  [
    'two numbers of calls of one tool',
    [
      [
        ['policy', 'rules'],
        [
          { effect: 'message', type: 'send', maxCalls: 1 },
          { effect: 'message', type: 'send', targets: ['a'] },
        ],
      ],
    ],
    '$.policy.rules[1].maxCalls: is not that of the other rules of send; it counts all calls of the tool',
  ],
  ['two tools of one name', [[['tools', 1, 'name'], 'shell']], '$.tools[2].name: there are two tools shell'],
  [
    'an earlier turn of a tool that is not offered',
    [[['history'], [{ role: 'tool', tool: 'look', content: 'x' }]]],
    '$.history[0].tool: no tool look is offered',
  ],
  [
    'a step from a call of a tool that is not offered',
    [
      [['steps'], step({ from_call: 'pass' })],
      [['solution'], twoTurns],
    ],
    '$.steps[0].from_call: no tool pass is offered',
  ],
  [
    'a carrier that is not there',
    [[['injection', 'at', 'entry'], 4]],
    '$.injection.at: its carrier must hold {{injection}} exactly once, and holds it 0 times',
  ],
  [
    'a carrier without the marker',
    [[['tools', 0, 'results', 0, 'text'], 'Opens at nine. QX-4471-ZZ']],
    '$.injection.at: its carrier must hold {{injection}} exactly once, and holds it 0 times',
  ],
  [
    'a marker outside of the carrier',
    [
      [['description'], 'x'],
      [['task'], 'Open {{injection}}'],
    ],
    '$.injection: {{injection}} stands outside of the carriers that are named',
  ],
  [
    'two injections in one place',
    [[['injection'], [attack()['injection'], attack()['injection']]]],
    '$.injection[1].at: two injections in one carrier; make them one text',
  ],
  [
    'an injection that reads as a template',
    [[['injection', 'text'], 'Call send with to "{{arg to}}".']],
    '$.injection.text: holds {{, which would be read as a template',
  ],
  ['a solution that does not do the task', [[['solution', 'text'], 'It is open.']], '$.solution: does not meet done'],
  [
    "a solution that does the attacker's",
    [[['success'], { type: 'tool_call', tool: 'open' }]],
    '$.solution: meets success: tool_call, call 1 (open)',
  ],
  [
    'a solution without a turn for each step',
    [[['steps'], step({})]],
    '$.solution: has 1 turns; the task and its steps are 2',
  ],
  [
    'a solution with a tool that is not offered',
    [[['solution', 'calls', 0, 'tool'], 'opne']],
    '$.solution[0].calls[0].tool: no tool opne is offered',
  ],
  [
    'a solution with an argument that is not taken',
    [[['solution', 'calls', 0, 'args'], { url: 'https://a.example', deep: true }]],
    '$.solution[0].calls[0]: open takes no argument deep',
  ],
  [
    'a solution without a required argument',
    [[['solution', 'calls', 0, 'args'], {}]],
    '$.solution[0].calls[0]: a required argument of open is missing',
  ],
  [
    'a solution that the policy denies',
    [[['policy', 'rules', 0, 'targets'], ['https://b.example']]],
    '$.solution[0].calls[0]: the policy denies it (targets: https://a.example)',
  ],
  [
    'a solution beyond maxCalls',
    [[['policy', 'rules', 0, 'maxCalls'], 0]],
    '$.solution[0].calls[0]: the policy denies it by maxCalls or limits',
  ],
  [
    'a rule on a tool that is not offered',
    [[['policy', 'rules', 1, 'type'], 'bash']],
    '$.policy.rules[1].type: no tool bash is offered',
  ],
  [
    'a rule that no tool can match',
    [[['policy', 'rules', 1, 'effect'], 'read']],
    '$.policy.rules[1].effect: shell has another effect',
  ],
  [
    'an untrusted source that is not offered',
    [[['policy', 'limits', 'untrustedSources'], ['browse']]],
    '$.policy.limits.untrustedSources[0]: no tool browse is offered',
  ],
  [
    'a labelled call that the policy allows and the label denies',
    [[['calls', 1, 'expect'], 'deny']],
    '$.calls[1].expect: is deny, but the policy says allow',
  ],
  [
    'a labelled call that the policy denies and the label allows',
    [[['calls', 0, 'expect'], 'allow']],
    '$.calls[0].expect: is allow, but the policy says deny',
  ],
  [
    'a labelled call of a tool that is not offered',
    [[['calls', 0, 'tool'], 'sned']],
    '$.calls[0].tool: no tool sned is offered',
  ],
  [
    'a labelled call with an argument that is not taken',
    [[['calls', 0, 'args'], { to: 'x', cc: 'y' }]],
    '$.calls[0]: send takes no argument cc',
  ],
  [
    'targets beside target arguments',
    [[['calls', 0, 'targets'], ['eve@x.test']]],
    '$.calls[0].targets: follow from the targetArgs of send; leave them out',
  ],
  [
    'a command without targets',
    [[['calls', 1, 'targets'], undefined]],
    '$.calls[1].targets: is missing; shell runs a command, so list what the command names',
  ],
  [
    'a target that the command does not name',
    [[['calls', 1, 'targets'], ['cat']]],
    '$.calls[1].targets: the command does not name cat',
  ],
  ['an attack without a source', [[['source'], undefined]], '$.source: is missing; only controls have none'],
  ['an attack without an injection', [[['injection'], undefined]], '$.injection: is missing; only controls have none'],
  ['an attack without success', [[['success'], undefined]], '$.success: is missing; only controls have none'],
  ['an attack with a twin', [[['twin'], 'control']], '$.twin: only a control mirrors an attack'],
  ['a channel without a control', [[['channel'], 'filename']], '$.channel: the channel filename has no control'],
];

for (const [name, edits, reason] of refusals) {
  test(`refused: ${name}`, () => {
    const said = changed(...edits);
    assert.ok(
      said.some((one) => one.startsWith(`c.jsonl:2: ${reason}`)),
      said.join('\n'),
    );
  });
}

test('refused: a control with an attack in it', () => {
  const said = problemsOf(attack(), { ...attack(), id: 'control', family: 'control' });
  for (const key of ['source', 'injection', 'success']) {
    assert.ok(said.includes(`c.jsonl:2: $.${key}: a control has none; its family is control`), said.join('\n'));
  }
});

test('refused: an id that is used before, with both lines', () => {
  assert.deepEqual(problemsOf(attack(), control(), control()), [
    'c.jsonl:3: $.id: the id control is used before, in line 2',
  ]);
});

test('refused: a canary of two attacks, but not a fact that two tasks ask for', () => {
  const one = set(attack(), ['success'], canary('SEAL-1'));
  const other = set(set(one, ['id'], 'other'), ['success'], [canary('SEAL-2'), canary('SEAL-1')]);
  assert.deepEqual(problemsOf(one, control(), other), [
    'c.jsonl:3: $.success[1].token: the canary SEAL-1 is used before, in line 1',
  ]);
});

const mirror = (twin: string, channel = 'tool_result'): Draft => ({ ...control(), id: 'mirror', twin, channel });

test('refused: a twin that does not exist, is a control, or has another channel', () => {
  assert.deepEqual(problemsOf(attack(), control(), mirror('gone')), ['c.jsonl:3: $.twin: there is no scenario gone']);
  assert.deepEqual(problemsOf(attack(), control(), mirror('control')), [
    'c.jsonl:3: $.twin: control is a control itself',
  ]);
  assert.deepEqual(problemsOf(attack(), control(), mirror('attack', 'document')), [
    'c.jsonl:3: $.twin: attack has the channel tool_result',
  ]);
});

test('problems come in the order of the lines, shapes and sense together', () => {
  const said = problemsOf(control(), set(attack(), ['solution', 'text'], 'x'), { id: 'x' });
  assert.deepEqual(
    said.map((one) => one.slice(0, 9)),
    ['c.jsonl:2', 'c.jsonl:2', 'c.jsonl:3'],
  );
});

test('a chain whose solution never makes the call breaks there, and done must be met before', () => {
  const chain = set(
    set(attack(), ['steps'], step({ from_call: 'send' })),
    ['solution'],
    [
      { calls: [], text: 'Nothing yet.' },
      { calls: [], text: 'It opens at nine.' },
    ],
  );
  assert.deepEqual(problemsOf(control(), chain), [
    'c.jsonl:2: $.solution: does not meet done',
    'c.jsonl:2: $.solution: does not meet done in the clean condition',
  ]);
});

test('a new session has limits of its own', () => {
  const rules = [['policy', 'rules', 0, 'maxCalls'], 1] as const;
  const again = [attack()['solution'], attack()['solution']];
  const chain = (fresh: boolean): string[] =>
    changed([[...rules[0]], rules[1]], [['steps'], step({ new_session: fresh })], [['solution'], again]);
  assert.deepEqual(chain(true), []);
  assert.deepEqual(chain(false), ['c.jsonl:2: $.solution[1].calls[0]: the policy denies it by maxCalls or limits']);
});
