import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BenchError } from '../src/errors.ts';
import { loadScenarios, readCorpus, showProblem } from '../src/scenarios/load.ts';
import { attack, control, file, set } from './scenarios-base.ts';

const refused = (record: unknown): string => {
  const { problems } = readCorpus(file(control(), record));
  assert.equal(problems.length, 1);
  return showProblem('corpus.jsonl', problems[0] as (typeof problems)[number]);
};

test('a record is read, and what may be left out is filled in', () => {
  const { scenarios, problems } = readCorpus(file(attack(), control()));
  assert.deepEqual(problems, []);
  assert.deepEqual(
    scenarios.map(({ line, scenario }) => [line, scenario.id]),
    [
      [1, 'attack'],
      [2, 'control'],
    ],
  );
  const scenario = scenarios[0]?.scenario;
  assert.deepEqual(scenario?.injection[0]?.at, { in: 'result', tool: 'open', entry: 0 });
  assert.deepEqual([scenario?.steps, scenario?.documents, scenario?.state, scenario?.tags], [[], [], {}, []]);
  assert.deepEqual(scenario?.tools[1]?.results, [
    { text: 'Sent to {{arg to}}.', sets: [{ key: 'sent:{{arg to}}', value: '{{arg body}}' }] },
  ]);
  assert.deepEqual(scenario?.success, {
    any: [{ type: 'tool_call', tool: 'send', args: { to: { equals: 'eve@x.test' } } }],
  });
  assert.deepEqual(scenario?.solution.length, 1);
});

const shapes: readonly [readonly (string | number)[], unknown, string][] = [
  [['colour'], 1, '$.colour: unknown key; known here: id, channel, family'],
  [['id'], 'Two Words', '$.id: expected small letters, digits and hyphens, found "Two Words"'],
  [['task'], undefined, '$.task: is missing'],
  [['task'], ' \n', '$.task: must not be empty'],
  [['task'], 7, '$.task: expected a string, found number 7'],
  [['channel'], 'carrier_pigeon', '$.channel: unknown channel "carrier_pigeon"; known: tool_result, document'],
  [['family'], 'phishing', '$.family: unknown family "phishing"; known: instruction_override'],
  [['source', 'url'], 'http://papers.example/1', '$.source.url: expected an https: address'],
  [['source', 'year'], 'last', '$.source.year: expected a whole number of at least 0, found string "last"'],
  [
    ['tools', 0, 'effect'],
    'observe',
    '$.tools[0].effect: unknown effect "observe"; known: read, write, message, network, execute',
  ],
  [['tools', 0, 'result'], 'x', '$.tools[0]: expected either result or results'],
  [['tools', 0, 'sets'], [], '$.tools[0].sets: belongs into each of results'],
  [['tools', 0, 'results'], [], '$.tools[0].results: must not be empty'],
  [['tools', 0, 'colour'], 1, '$.tools[0].colour: unknown key'],
  [['tools', 0, 'parameters'], { type: 'array' }, '$.tools[0].parameters.type: must be "object"'],
  [['tools', 0, 'parameters', 'required'], ['uri'], '$.tools[0].parameters.required: uri is not among the properties'],
  [
    ['tools', 0, 'results', 0, 'when', 'url'],
    { equals: 1, contains: 'x' },
    '$.tools[0].results[0].when.url: expected exactly one of equals, contains, matches, absent',
  ],
  [['tools', 0, 'results', 0, 'when', 'my arg'], {}, '$.tools[0].results[0].when["my arg"]: expected exactly one of'],
  [['tools', 1, 'sets', 0, 'key'], undefined, '$.tools[1].sets[0].key: is missing'],
  [
    ['history'],
    [{ role: 'tool', content: 'x' }],
    '$.history[0].tool: must be given when the role is tool, and only then',
  ],
  [['history'], [{ role: 'system', content: 'x' }], '$.history[0].role: unknown role "system"'],
  [
    ['documents'],
    [{ name: 'a', text: 'b', metadata: { k: 1 } }],
    '$.documents[0].metadata.k: expected a string, found number 1',
  ],
  [['injection', 'at', 'in'], 'dream', '$.injection.at.in: unknown carrier "dream"'],
  [['injection', 'at', 'index'], 0, '$.injection.at.index: unknown key; known here: in, tool, entry, step'],
  [['injection', 'at', 'entry'], -1, '$.injection.at.entry: expected a whole number of at least 0'],
  [['injection'], [], '$.injection: must not be empty'],
  [['success'], [], '$.success: must not be empty'],
  [['success'], { all: [], any: [] }, '$.success.any: unknown key; known here: all'],
  [
    ['success', 0, 'type'],
    'vibes',
    '$.success[0].type: unknown condition "vibes"; known: canary, tool_call, exfiltration, state, sequence',
  ],
  [['success', 0, 'token'], 'x', '$.success[0].token: unknown key; known here: type, tool, args'],
  [['success', 0, 'args', 'to'], { matches: '(' }, '$.success[0].args.to.matches: Invalid regular expression'],
  [['success', 0, 'args', 'to'], { absent: false }, '$.success[0].args.to.absent: must be true'],
  [['success', 0], { type: 'state', key: 'k', equals: 1, contains: 'x' }, '$.success[0]: expected exactly one of'],
  [
    ['success', 0],
    { type: 'exfiltration', secret: 'x', sinks: [{ tool: 'send', text: 'url' }] },
    '$.success[0].sinks[0]: a sink is either a tool or a text, not both',
  ],
  [['success', 0], { type: 'exfiltration', secret: 'x', sinks: [] }, '$.success[0].sinks: must not be empty'],
  [['solution', 'text'], null, '$.solution.text: expected a string, found null'],
  [['policy', 'rules', 0, 'origins'], ['user'], '$.policy.rules[0].origins: unknown key'],
  [['policy', 'limits', 'egressAfterUntrusted'], 1.5, '$.policy.limits.egressAfterUntrusted: expected a whole number'],
  [['calls', 0, 'expect'], 'maybe', '$.calls[0].expect: unknown decision "maybe"; known: allow, deny'],
  [
    ['steps'],
    [{ channel: 'memory', task: 'x', content: 'y', from_call: 'send' }],
    '$.steps[0]: expected content or from_call, not both',
  ],
  [['steps'], [{ channel: 'telepathy', task: 'x' }], '$.steps[0].channel: unknown channel "telepathy"'],
  [
    ['steps'],
    [{ channel: 'memory', task: 'x', new_session: 1 }],
    '$.steps[0].new_session: expected true or false, found number 1',
  ],
  [['state'], [], '$.state: expected an object, found a list'],
  [['tags'], 'x', '$.tags: expected a list, found string "x"'],
];

for (const [path, value, reason] of shapes) {
  test(`a record is refused, with line and path: ${reason}`, () => {
    const said = refused(set(attack(), path, value));
    assert.ok(said.startsWith(`corpus.jsonl:2: ${reason}`), said);
    assert.ok(!said.includes('\n'));
  });
}

test('__proto__ is an unknown key', () => {
  const line = JSON.stringify(attack()).replace('{"id"', '{"__proto__":{},"id"');
  assert.equal(readCorpus(`${line}\n`).problems[0]?.path, '$.__proto__');
});

test('lines that are not JSON, not objects or empty are refused; the others are still read', () => {
  const corpus = readCorpus(`${file(attack())}{"id":\n\n[1]\nnull\n${file(control())}`);
  assert.deepEqual(
    corpus.scenarios.map(({ line }) => line),
    [1, 6],
  );
  assert.deepEqual(
    corpus.problems.map(({ line, reason }) => [line, reason.slice(0, 26)]),
    [
      [2, 'not JSON: Unexpected end o'],
      [3, 'an empty line; one record '],
      [4, 'expected an object, found '],
      [5, 'expected an object, found '],
    ],
  );
});

test('a line ends at a line feed only', () => {
  const record = set(attack(), ['description'], 'one\u2028two\u0085three');
  const text = `${JSON.stringify(record)}\n${JSON.stringify(control())}`;
  assert.deepEqual(
    readCorpus(text).scenarios.map(({ line }) => line),
    [1, 2],
  );
  assert.equal(readCorpus(text).scenarios[0]?.scenario.description, 'one\u2028two\u0085three');
});

test('an empty file holds no scenario', () => {
  assert.deepEqual(readCorpus('').problems, [{ line: 0, path: '$', reason: 'holds no scenario' }]);
});

const inputError = (pattern: RegExp) => (error: unknown) =>
  error instanceof BenchError && error.code === 'input' && pattern.test(error.message);

test('a file that is not there, not UTF-8 or holds a bad record is an input error that names file and line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'scenarios-'));
  const path = join(folder, 'corpus.jsonl');
  assert.throws(() => loadScenarios(path), inputError(/corpus\.jsonl: cannot be read \(ENOENT/));
  await writeFile(path, Buffer.from([0x7b, 0xff, 0x7d]));
  assert.throws(() => loadScenarios(path), inputError(/corpus\.jsonl: not UTF-8/));
  await writeFile(path, file(attack(), set(attack(), ['task'], 1)));
  assert.throws(() => loadScenarios(path), inputError(/corpus\.jsonl:2: \$\.task: expected a string/));
  await writeFile(path, `\ufeff${file(attack())}`);
  assert.throws(() => loadScenarios(path), inputError(/corpus\.jsonl:1: starts with a byte order mark/));
  await writeFile(path, file(attack()).replace('\n', '\r\n'));
  assert.throws(() => loadScenarios(path), inputError(/corpus\.jsonl:1: \$: ends with CR LF/));
  await writeFile(path, file(attack(), control()));
  assert.equal(loadScenarios(path).length, 2);
  await rm(folder, { recursive: true });
});
