import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import fc from 'fast-check';
import { BenchError } from '../src/errors.ts';
import { parseGroundTruth } from '../src/ground-truth.ts';
import { CORPUS_FILES } from '../src/paths.ts';
import { decodeText } from '../src/text-file.ts';
import { parseToolTable, targetCounts, type Tool } from '../src/tools-table.ts';

const encoder = new TextEncoder();
const toolsText = readFileSync(CORPUS_FILES.tools, 'utf8');
const tools = parseToolTable(decodeText(encoder.encode(toolsText), 'tools.json'));

/** How many targets the tools take whose arguments are not all plain ones; of the others, as many as they have arguments. */
const UNEVEN: Readonly<Record<string, readonly [least: number, most: number]>> = {
  add_calendar_event_participants: [2, Infinity],
  create_calendar_event: [0, Infinity],
  send_email: [1, Infinity],
  update_scheduled_transaction: [1, 2],
};

/** A one-task file with the action, read with the real table. */
function read(type: string, effect: string, count: number): unknown {
  const targets = Array.from({ length: count }, (_, index) => `t${index}`);
  const action = { type, effect, targets, origins: targets.map(() => 'tool') };
  const counts = { userTasks: 1, injectionTasks: 0, pairs: 0, excludedPairs: 0 };
  const lines = [
    {
      kind: 'header',
      schema: 'toolgate-bench/ground-truth@1',
      id: 'x',
      package: '1',
      version: '1',
      counts,
      untrustedSources: [type],
    },
    { kind: 'user', suite: 's', id: 'user_task_0', actions: [action], named: [], exposure: 0 },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return parseGroundTruth(decodeText(encoder.encode(text), 'x.jsonl'), tools);
}

test('an action has as many targets as its tool takes, whichever of the 69 it is', () => {
  for (const [name, { effect, targets }] of tools) {
    const [least, most] = UNEVEN[name] ?? [targets.length, targets.length];
    for (let count = 0; count <= 5; count++) {
      if (count >= least && count <= most) {
        assert.doesNotThrow(() => read(name, effect, count), `${name}, ${count}`);
        continue;
      }
      assert.throws(
        () => read(name, effect, count),
        (error) => error instanceof BenchError && error.message.includes('x.jsonl:2: $.actions[0].targets: '),
        `${name}, ${count}`,
      );
    }
  }
});

test('the refusal says how many there are to be', () => {
  const refused = (name: string, count: number, message: string): void =>
    assert.throws(() => read(name, tools.get(name)!.effect, count), { message });
  refused(
    'send_money',
    0,
    'x.jsonl:2: $.actions[0].targets: 0 targets, but by the tools table send_money has 1 (recipient)',
  );
  refused(
    'send_money',
    3,
    'x.jsonl:2: $.actions[0].targets: 3 targets, but by the tools table send_money has 1 (recipient)',
  );
  refused(
    'send_email',
    0,
    'x.jsonl:2: $.actions[0].targets: 0 targets, but by the tools table send_email has 1 or more (recipients[], cc[]?, bcc[]?)',
  );
  refused(
    'update_scheduled_transaction',
    3,
    'x.jsonl:2: $.actions[0].targets: 3 targets, but by the tools table update_scheduled_transaction has 1 to 2 (id, recipient?)',
  );
  refused('get_iban', 1, 'x.jsonl:2: $.actions[0].targets: 1 targets, but by the tools table get_iban has none');
});

const toolWith = (targets: unknown): Tool => {
  const table = { schema: 'toolgate-bench/tools@1', tools: { t: { effect: 'read', targets } } };
  return parseToolTable(decodeText(encoder.encode(JSON.stringify(table)), 'tools.json')).get('t')!;
};

test('arguments are written as they are declared', () => {
  assert.deepEqual(toolWith(['a', 'b?', 'c[]', 'd[]?']).targets, [
    { name: 'a', isList: false, isOptional: false },
    { name: 'b', isList: false, isOptional: true },
    { name: 'c', isList: true, isOptional: false },
    { name: 'd', isList: true, isOptional: true },
  ]);
  for (const wrong of ['', '?', '[]', 'a?[]', 'a[', 'a??', 'a b', '1a', 'a\n', ' a']) {
    assert.throws(
      () => toolWith(['ok', wrong]),
      /^BenchError: tools\.json: \$\.tools\.t\.targets\[1\]: expected an argu/,
    );
  }
  assert.throws(
    () => toolWith(['a', 'b', 'a?']),
    /^BenchError: tools\.json: \$\.tools\.t\.targets\[2\]: the argument "a" is listed twice$/,
  );
});

test('what each argument takes adds up to what the tool takes', () => {
  const argument = fc.constantFrom('', '?', '[]', '[]?');
  fc.assert(
    fc.property(fc.array(argument, { maxLength: 5 }), fc.nat(6), (suffixes, count) => {
      // Every way to hand out 0, 1 or more targets to each argument, up to `count`.
      let reachable = new Set([0]);
      for (const suffix of suffixes) {
        const choices = { '': [1], '?': [0, 1], '[]': [1, 2, 3, 4, 5, 6], '[]?': [0, 1, 2, 3, 4, 5, 6] }[suffix];
        reachable = new Set([...reachable].flatMap((sum) => choices.map((choice) => sum + choice)));
      }
      const { least, most } = targetCounts(toolWith(suffixes.map((suffix, index) => `a${index}${suffix}`)));
      assert.equal(count >= least && count <= most, reachable.has(count));
    }),
  );
});

/** Runs Python in extract/, with JSON on standard input; what it prints. */
function python(code: string, input: unknown): unknown {
  const ran = spawnSync('python3', ['-B', '-X', 'utf8', '-c', code], {
    cwd: fileURLToPath(new URL('../extract', import.meta.url)),
    input: JSON.stringify(input),
    encoding: 'utf8',
  });
  assert.equal(ran.status, 0, ran.stderr);
  return JSON.parse(ran.stdout);
}

const noPython = spawnSync('python3', ['--version']).error ? 'python3 cannot be run' : false;

test("the extractor holds the table against AgentDojo's signatures", { skip: noPython }, () => {
  const code = `
import json, sys
from types import SimpleNamespace as S
from typing import Optional, List
from extract_ground_truth import check_tools
from rules import Refused
KINDS = {"str": str, "int": int, "str|None": str | None, "Optional[str]": Optional[str], "list": list,
         "list[str]": list[str], "List[str]": List[str], "list[str]|None": list[str] | None}
def attempt(written, kind, required):
    field = S(annotation=KINDS[kind], is_required=lambda: required)
    suite = S(name="s", tools=[S(name="t", parameters=S(model_fields={"a": field}))])
    try: check_tools({"t": {"effect": "read", "targets": [written]}}, {"s": suite})
    except Refused as error: return str(error)
print(json.dumps([attempt(*case) for case in json.load(sys.stdin)]))`;
  const declared: [kind: string, required: boolean, written: string][] = [
    ['str', true, 'a'],
    ['int', true, 'a'],
    ['str', false, 'a?'],
    ['str|None', true, 'a?'],
    ['Optional[str]', false, 'a?'],
    ['list', true, 'a[]'],
    ['list[str]', true, 'a[]'],
    ['List[str]', true, 'a[]'],
    ['list[str]|None', false, 'a[]?'],
  ];
  const written = ['a', 'a?', 'a[]', 'a[]?'];
  const cases = declared.flatMap(([kind, required]) => written.map((one) => [one, kind, required]));
  const expected = declared.flatMap(([, , right]) =>
    written.map((one) => (one === right ? null : `s: t declares ${right}, the table of tools says ${one}`)),
  );
  assert.deepEqual(python(code, [...cases, ['b', 'str', true]]), [
    ...expected,
    's: the tool t has no argument b (see the table)',
  ]);
});

test('the extractor refuses a call with another number of targets, argument by argument', { skip: noPython }, () => {
  const code = `
import json, sys
from rules import Refused, targets_of
def attempt(argument, value):
    try: return targets_of(argument, {"a": value} if value != "absent" else {}, "s/t")
    except Refused as error: return str(error)
print(json.dumps([attempt(*case) for case in json.load(sys.stdin)]))`;
  const wrong = (count: number, argument: string): string =>
    `s/t: ${count} targets, but by the table of tools the argument is ${argument}`;
  const cases: [argument: string, value: unknown, expected: unknown][] = [
    ['a', 'x', ['x']],
    ['a', 13, ['13']],
    ['a', null, wrong(0, 'a')],
    ['a', 'absent', wrong(0, 'a')],
    ['a', ['x', 'y'], wrong(2, 'a')],
    ['a?', null, []],
    ['a?', 'x', ['x']],
    ['a?', ['x', 'y'], wrong(2, 'a?')],
    ['a[]', ['x', 'y'], ['x', 'y']],
    ['a[]', [], wrong(0, 'a[]')],
    ['a[]', null, wrong(0, 'a[]')],
    ['a[]?', null, []],
    ['a[]?', 'absent', []],
    ['a[]?', ['x', 'y', 'z'], ['x', 'y', 'z']],
  ];
  assert.deepEqual(
    python(
      code,
      cases.map(([argument, value]) => [argument, value]),
    ),
    cases.map(([, , expected]) => expected),
  );
});
