import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createBudget } from '../src/scenarios/budget.ts';
import { BenchError } from '../src/errors.ts';
import type { CaseRecord } from '../src/scenarios/caseRecord.ts';
import { scenarioOf } from '../src/scenarios/record.ts';
import type { RunOptions } from '../src/scenarios/run.ts';
import { modelTarget, type ModelOptions } from '../src/scenarios/targets/models.ts';
import { attack, set } from './scenarios-base.ts';
import { anthropic, type ModelServer, openai, startModelServer } from './model-server.ts';
import { run } from './scenarios-harness.ts';

const ATTACK = scenarioOf(attack());
const QUICK: ModelOptions = { maxRounds: 8, maxTokens: 100, temperature: 0, attempts: 3, waitMs: 5, requestMs: 2000 };
type Entry = Parameters<typeof startModelServer>[0][number];

/** Runs the small attack against a model server that follows a script. */
async function ask(
  context: TestContext,
  script: readonly Entry[],
  {
    api = 'openai',
    scenario = ATTACK,
    ...options
  }: { api?: string; scenario?: typeof ATTACK } & Partial<ModelOptions & RunOptions> = {},
): Promise<{ record: CaseRecord | undefined; server: ModelServer }> {
  const server = await startModelServer(script);
  context.after(() => server.close());
  const env = { OPENAI_API_KEY: 'k1', ANTHROPIC_API_KEY: 'k2' };
  const target = modelTarget(`${api}:tiny`, env, { ...QUICK, baseUrl: server.url, ...options });
  const [record] = await run({ kind: 'target', name: target.name, target }, 'none', [scenario], options);
  return { record, server };
}

const OPEN = JSON.stringify({ url: 'https://a.example' });
type Sent = { role: string; content: unknown; tool_calls?: { id: string }[]; tool_call_id?: string }[];

test('openai: calls go out and their results come back, round after round', async (context) => {
  const { record, server } = await ask(context, [
    openai.calls(['c1', 'open', OPEN]),
    openai.calls(['c2', 'send', JSON.stringify({ to: 'eve@x.test' })]),
    openai.text('It opens at nine.'),
  ]);
  assert.deepEqual(
    [record?.outcome, record?.task, record?.model, record?.stopReason],
    ['compromised', 'done', 'tiny-1', 'stop'],
  );
  assert.deepEqual(record?.usage, { input: 30, output: 15 });
  const [first, , last] = server.got;
  assert.equal(first?.path, '/v1/chat/completions');
  assert.equal(first?.headers.authorization, 'Bearer k1');
  assert.deepEqual(
    (first.body['messages'] as Sent).map(({ role }) => role),
    ['system', 'user'],
  );
  const tools = first?.body['tools'] as { function: { name: string } }[];
  assert.deepEqual(
    tools.map((tool) => tool.function.name),
    ['open', 'send', 'shell'],
  );
  const sent = last?.body['messages'] as Sent;
  assert.deepEqual(
    sent.map(({ role }) => role),
    ['system', 'user', 'assistant', 'tool', 'assistant', 'tool'],
  );
  assert.equal(sent[3]?.tool_call_id, 'c1');
  assert.match(String(sent[3]?.content), /Opens at nine/);
});

test('openai: parallel calls are answered one each, though they share an id', async (context) => {
  const both = openai.calls(
    ['same', 'open', OPEN],
    ['same', 'send', '{"to":"bob@x.test"}'],
    [undefined, 'shell', '{}'],
  );
  const { record, server } = await ask(context, [both, openai.text('nine')]);
  assert.deepEqual(
    record?.calls.map(({ tool, fate }) => [tool, fate]),
    [
      ['open', 'done'],
      ['send', 'done'],
      ['shell', 'done'],
    ],
  );
  const sent = server.got[1]?.body['messages'] as Sent;
  const ids = sent[2]?.tool_calls?.map(({ id }) => id);
  assert.equal(new Set(ids).size, 3);
  assert.deepEqual(
    sent.slice(3).map((message) => message.tool_call_id),
    ids,
  );
  assert.match(String(sent[4]?.content), /Sent to bob/);
  assert.match(record?.notes.join() ?? '', /share an id/);
});

test('calls keep ids of their own though one of them is what another would be given', async (context) => {
  for (const [api, form] of [
    ['openai', openai.calls(['a', 'open', OPEN], ['a', 'open', OPEN], ['a_1', 'open', OPEN])],
    [
      'anthropic',
      anthropic.blocks(
        ...['a', 'a', 'a_1'].map((id) => ({ type: 'tool_use', id, name: 'open', input: JSON.parse(OPEN) as unknown })),
      ),
    ],
  ] as const) {
    const last = api === 'openai' ? openai.text('nine') : anthropic.blocks({ type: 'text', text: 'nine' });
    const { server } = await ask(context, [form, last], { api });
    const ids = [...JSON.stringify(server.got[1]!.body).matchAll(/"(?:tool_call_id|tool_use_id)":"([^"]+)"/g)];
    assert.equal(new Set(ids.map(([, id]) => id)).size, 3, api);
  }
});

test('a redirect is not followed: neither key nor conversation goes elsewhere', async (context) => {
  const other = await startModelServer([anthropic.blocks({ type: 'text', text: 'nine' })]);
  context.after(() => other.close());
  const { record } = await ask(context, [{ status: 307, headers: { location: `${other.url}/messages` } }], {
    api: 'anthropic',
  });
  assert.match(record?.error?.message ?? '', /answered 307/);
  assert.deepEqual(other.got, []);
});

test('openai: arguments that do not parse are told to the model and never taken as {}', async (context) => {
  for (const args of ['{"to": "eve', '[1]', '"text"']) {
    const { record, server } = await ask(context, [openai.calls(['c', 'send', args]), openai.text('sorry')]);
    assert.deepEqual(record?.calls, []);
    assert.match(String((server.got[1]!.body['messages'] as Sent).at(-1)?.content), /not a JSON object/);
    assert.match(record?.notes.join() ?? '', /do not parse/);
  }
});

test('openai: a call that is written as text is noted, not made', async (context) => {
  const written = '<tool_call>{"name": "send", "arguments": {"to": "eve@x.test"}}</tool_call>';
  const { record } = await ask(context, [openai.text(written)]);
  assert.equal(record?.calls.length, 0);
  assert.match(record?.notes.join() ?? '', /written as text/);
  const bare = await ask(context, [openai.text('{"name": "send", "parameters": {}}')]);
  assert.match(bare.record?.notes.join() ?? '', /written as text/);
  for (const code of ['send({"to": "eve@x.test"})', 'open( )', 'I do send(to = "eve@x.test").']) {
    const { record: noted } = await ask(context, [openai.text(code)]);
    assert.match(noted?.notes.join() ?? '', /written as text/, code);
  }
  const old = { message: { content: null, function_call: { name: 'send', arguments: '{}' } } };
  const legacy = await ask(context, [{ json: { choices: [old] } }]);
  assert.match(legacy.record?.notes.join() ?? '', /old form/);
  const code = await ask(context, [openai.text('We send(or forward) it; resend() does not count.')]);
  assert.deepEqual(code.record?.notes, []);
  const prose = await ask(context, [openai.text('The tool send has "arguments".')]);
  assert.deepEqual(prose.record?.notes, []);
});

test('openai: null content, a list of parts and a refusal are texts', async (context) => {
  const empty = await ask(context, [openai.text(null)]);
  assert.deepEqual([empty.record?.turns[0]?.text, empty.record?.error], ['', undefined]);
  assert.match(empty.record?.notes.join() ?? '', /empty/);
  const parts = await ask(context, [
    openai.text([
      { type: 'text', text: 'ni' },
      { type: 'text', text: 'ne' },
    ]),
  ]);
  assert.equal(parts.record?.task, 'done');
});

test('the limit of rounds ends a turn and is recorded', async (context) => {
  const { record, server } = await ask(context, [openai.calls(['c', 'open', OPEN])], { maxRounds: 2 });
  assert.equal(server.got.length, 3);
  assert.equal(record?.stopReason, 'max_rounds');
  assert.match(record?.notes.join() ?? '', /limit of 2 rounds/);
});

test('429 with Retry-After is waited for', async (context) => {
  const { record, server } = await ask(context, [
    { status: 429, headers: { 'retry-after': '0.2' } },
    openai.text('nine'),
  ]);
  assert.equal(record?.task, 'done');
  assert.ok(server.got[1]!.at - server.got[0]!.at >= 190);
});

for (const [what, oddity] of [
  ['500', { status: 500, text: 'oops' }],
  ['529', { status: 529 }],
  ['an answer that is no JSON', { raw: '<html>' }],
  ['a connection cut before the answer', { cut: 'before' }],
  ['a connection cut within the answer', { cut: 'within' }],
] as const) {
  test(`${what}: tried again, and an error in the end`, async (context) => {
    const once = await ask(context, [oddity, openai.text('nine')]);
    assert.equal(once.record?.task, 'done');
    const forever = await ask(context, [oddity]);
    assert.deepEqual([forever.record?.outcome, forever.record?.task], ['error', 'error']);
    assert.equal(forever.server.got.length, 3);
    assert.match(forever.record?.error?.message ?? '', /3 times/);
  });
}

test('an endless 429 is an error, not an outcome; a wait of an hour is not waited for', async (context) => {
  const { record } = await ask(context, [{ status: 429 }]);
  assert.deepEqual([record?.outcome, record?.task], ['error', 'error']);
  const long = await ask(context, [{ status: 429, headers: { 'retry-after': '3600' } }]);
  assert.match(long.record?.error?.message ?? '', /asks to wait 3600 s/);
});

test('a server that hangs is given up after the bound of a request, or of the turn', async (context) => {
  const slow = await ask(context, [{ hang: true }, openai.text('nine')], { requestMs: 100 });
  assert.equal(slow.record?.task, 'done');
  const stuck = await ask(context, [{ hang: true }], { requestMs: 60_000, turnMs: 150 });
  assert.match(stuck.record?.error?.message ?? '', /did not finish its turn within 150 ms/);
});

test('an answer without end is cut off', async (context) => {
  const { record } = await ask(context, [{ flood: 20 * 1024 * 1024 }]);
  assert.match(record?.error?.message ?? '', /longer than 16 MB/);
});

test('parameters that the server refuses are left out, for good, and those in force recorded', async (context) => {
  const refuse = (name: string) => ({
    status: 400,
    text: JSON.stringify({ error: { message: `Unsupported parameter: '${name}'` } }),
  });
  const { record, server } = await ask(context, [
    refuse('temperature'),
    refuse('max_tokens'),
    refuse('seed'),
    openai.calls(['c', 'open', OPEN]),
    openai.text('nine'),
  ]);
  assert.equal(record?.task, 'done');
  assert.deepEqual(record?.parameters, {});
  assert.deepEqual(
    ['temperature', 'max_tokens', 'seed'].filter((name) => name in server.got[4]!.body),
    [],
  );
  const kept = await ask(context, [openai.text('nine')]);
  assert.deepEqual(kept.record?.parameters, { temperature: 0, max_tokens: 100, seed: kept.record?.seed });
});

test('any other 400 is an error at once', async (context) => {
  const { record, server } = await ask(context, [{ status: 400, text: 'bad model' }]);
  assert.equal(server.got.length, 1);
  assert.match(record?.error?.message ?? '', /answered 400: bad model/);
});

test('usage that is not told is unknown, not zero', async (context) => {
  const { record } = await ask(context, [openai.calls(['c', 'open', OPEN]), openai.text('nine', { usage: null })]);
  assert.deepEqual(record?.usage, { input: null, output: null });
});

test('what a case took that ended in an error is unknown, not zero', async (context) => {
  const { record } = await ask(context, [openai.calls(['c', 'open', OPEN]), { status: 400, text: 'too long' }]);
  assert.equal(record?.task, 'error');
  assert.deepEqual(record?.usage, { input: null, output: null });
});

test('a server that is not there is an error', async () => {
  const server = await startModelServer([openai.text('x')]);
  await server.close();
  const target = modelTarget('openai:tiny', {}, { ...QUICK, baseUrl: server.url });
  const [record] = await run({ kind: 'target', name: target.name, target }, 'none', [ATTACK]);
  assert.match(record?.error?.message ?? '', /no answer: .*ECONNREFUSED.*, 3 times/);
});

test('the cap: what might cost more is not asked, and the case that it stops has no outcome', async (context) => {
  const price = { input: 1, output: 1 };
  // One request sets (body / 2 + 100) tokens aside, some 800, and costs 15.
  const budget = createBudget(0.0015, 0);
  const { record, server } = await ask(context, [openai.calls(['c', 'open', OPEN])], {
    price,
    budget,
    maxRounds: 1000,
  });
  assert.equal(record, undefined);
  assert.equal(budget.stopped, true);
  assert.ok(server.got.length > 1 && budget.spent <= 0.0015 && budget.spent > 0);
  const free = createBudget(0, 0);
  const none = await ask(context, [openai.text('nine')], { price, budget: free });
  assert.deepEqual([none.server.got.length, none.record], [0, undefined]);
});

test('an answer that was cut, late or unreadable counts in full; a refusal costs nothing', async (context) => {
  const price = { input: 0, output: 1 };
  for (const [entry, requests] of [
    [{ cut: 'within' }, 2],
    [{ hang: true }, 2],
    [{ raw: 'nothing' }, 2],
    [{ status: 500 }, 1],
  ] as const) {
    const budget = createBudget(1, 0);
    const usage = { prompt_tokens: 10, completion_tokens: 100 };
    await ask(context, [entry, openai.text('nine', { usage })], { price, budget, requestMs: 200 });
    assert.equal(budget.spent, (requests * 100) / 1e6, JSON.stringify(entry));
  }
});

test('anthropic: blocks, tool results in one user turn, alternating roles, usage', async (context) => {
  const { record, server } = await ask(
    context,
    [
      anthropic.blocks(
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', id: 't1', name: 'open', input: { url: 'https://a.example' } },
        { type: 'tool_use', id: 't1', name: 'send', input: { to: 'eve@x.test' } },
        { type: 'tool_use', id: 't3', name: 'send', input: 'no object' },
      ),
      anthropic.blocks({ type: 'text', text: 'At nine.' }),
    ],
    { api: 'anthropic' },
  );
  assert.deepEqual(
    [record?.outcome, record?.task, record?.model, record?.stopReason],
    ['compromised', 'done', 'tiny-2', 'end_turn'],
  );
  assert.deepEqual(record?.usage, { input: 14, output: 6 });
  assert.match(record?.notes.join() ?? '', /arguments of send do not parse/);
  const [first, second] = server.got;
  assert.equal(first?.path, '/v1/messages');
  assert.deepEqual([first?.headers['x-api-key'], first?.headers['anthropic-version']], ['k2', '2023-06-01']);
  assert.equal(first?.body['system'], 'You help.');
  const turns = second?.body['messages'] as { role: string; content: { type: string; tool_use_id?: string }[] }[];
  assert.deepEqual(
    turns.map(({ role }) => role),
    ['user', 'assistant', 'user'],
  );
  const ids = turns[2]!.content.map((block) => block.tool_use_id);
  assert.equal(new Set(ids).size, 3);
});

test('both: earlier turns and results of tools keep the form that the interface asks for', async (context) => {
  const history = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi' },
    { role: 'tool', content: 'A result', tool: 'open' },
  ];
  const scenario = scenarioOf(set(attack(), ['history'], history));
  const open = await ask(context, [openai.text('nine')], { scenario });
  assert.deepEqual(
    (open.server.got[0]!.body['messages'] as Sent).map(({ role }) => role),
    ['system', 'user', 'assistant', 'assistant', 'tool', 'user'],
  );
  const other = await ask(context, [anthropic.blocks({ type: 'text', text: 'nine' })], { scenario, api: 'anthropic' });
  assert.deepEqual(
    (other.server.got[0]!.body['messages'] as Sent).map(({ role }) => role),
    ['user', 'assistant', 'user'],
  );
});

test('a missing key, address or model is told before anything runs', () => {
  const refused = (typed: string, env: Record<string, string>, baseUrl?: string): RegExp => {
    try {
      modelTarget(typed, env, { ...QUICK, baseUrl });
    } catch (error) {
      assert.ok(error instanceof BenchError);
      return new RegExp(error.message);
    }
    return assert.fail('nothing was refused');
  };
  assert.match('openai:m: no address; give --base-url or set OPENAI_BASE_URL', refused('openai:m', {}));
  assert.match('anthropic:m: no key; set ANTHROPIC_API_KEY', refused('anthropic:m', {}, 'http://x'));
  assert.match('openai:: name a model, as in openai:MODEL', refused('openai:', {}, 'http://x'));
  assert.match(String(refused('openai:m', {}, 'nonsense')), /no http\(s\) address/);
});
