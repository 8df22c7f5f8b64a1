import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import {
  countTasks,
  type CorpusHeader,
  type GroundTruthAction,
  loadAnyCorpus,
  loadCorpus,
  type Suite,
} from '../src/corpus.ts';
import { BenchError } from '../src/errors.ts';
import { formatGroundTruth, parseGroundTruth } from '../src/ground-truth.ts';
import { CORPUS_FILES } from '../src/paths.ts';
import { decodeText } from '../src/text-file.ts';
import { parseToolTable, targetCounts } from '../src/tools-table.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-corpus-'));
after(() => rmSync(folder, { recursive: true }));

const text = readFileSync(CORPUS_FILES.groundTruth, 'utf8');
const lines = text.split('\n').slice(0, -1);
const encoder = new TextEncoder();
const tools = parseToolTable(decodeText(readFileSync(CORPUS_FILES.tools), 'tools.json'));

const SHOWN = { groundTruth: 'gt.jsonl', tools: 'tools.json' };

/** Reads a file with these bytes as `validate FILE` does. */
function loadBytes(bytes: Uint8Array | string, load = loadAnyCorpus): ReturnType<typeof loadCorpus> {
  const file = join(folder, 'gt.jsonl');
  writeFileSync(file, bytes);
  return load({ ...CORPUS_FILES, groundTruth: file }, SHOWN);
}

const refused = (bytes: Uint8Array | string, message: RegExp): void =>
  assert.throws(
    () => loadBytes(bytes),
    (error) => error instanceof BenchError && error.code === 'input' && message.test(error.message),
  );

/** The corpus with one line (counted from 1) changed. */
const withLine = (number: number, change: (line: string) => string): string =>
  lines.map((line, index) => `${index + 1 === number ? change(line) : line}\n`).join('');

test('the corpus is AgentDojo v1.1.2: 97 tasks, 27 goals, 629 pairs, 20 of them excluded', () => {
  const corpus = loadCorpus(CORPUS_FILES);
  assert.deepEqual(countTasks(corpus.suites), { userTasks: 97, injectionTasks: 27, pairs: 629, excludedPairs: 20 });
  assert.deepEqual(
    corpus.suites.map(({ name, userTasks, injectionTasks }) => [name, userTasks.length, injectionTasks.length]),
    [
      ['workspace', 40, 6],
      ['travel', 20, 7],
      ['banking', 16, 9],
      ['slack', 21, 5],
    ],
  );
  assert.equal(corpus.header.untrustedSources.length, 16);
  assert.equal(corpus.tools.size, 69);
  const used = corpus.suites.flatMap((s) =>
    [...s.userTasks, ...s.injectionTasks].flatMap((t) => t.actions.map((a) => a.type)),
  );
  assert.equal(new Set(used).size, 56);
});

test('a damaged file is refused with its line', () => {
  refused('', /^gt\.jsonl: the file is empty$/);
  refused('\n', /^gt\.jsonl:1: empty line$/);
  refused(text.slice(0, -20), /^gt\.jsonl:125: the last line has no end; the file seems to be cut short$/);
  refused(`\ufeff${text}`, /^gt\.jsonl:1: starts with a byte order mark/);
  refused(text.replaceAll('\n', '\r\n'), /^gt\.jsonl:1: ends with CR LF/);
  refused(Uint8Array.of(0xff, 0xfe, 10), /^gt\.jsonl: not UTF-8$/);
  refused(
    withLine(3, (line) => line.slice(0, 40)),
    /^gt\.jsonl:3: not JSON: /,
  );
  refused(
    withLine(3, () => '[]'),
    /^gt\.jsonl:3: expected an object, found \[\]$/,
  );
  refused(
    `${lines.slice(0, -1).join('\n')}\n`,
    /^gt\.jsonl: the file holds 123 tasks, not 124; slack\/injection_task_5 is missing$/,
  );
});

test('a raw U+2028 inside a string does not end its line', () => {
  const other = withLine(1, (line) => line.replace('"agentdojo"', '"other"'));
  const changed = other.replace('"id":"user_task_1"', '"id":"user\u2028task"');
  assert.equal(loadBytes(changed).suites[0]?.userTasks[1]?.id, 'user\u2028task');
});

/** The one line with a digest of its request. */
const REQUEST_LINE = 1 + lines.findIndex((line) => line.includes('"request"'));

test('what a line says is held against the contract and the tools table', () => {
  const edits: [line: number, from: string | RegExp, to: string, message: RegExp][] = [
    [
      1,
      'ground-truth@1',
      'ground-truth@2',
      /^gt\.jsonl:1: \$\.schema: unknown schema "toolgate-bench\/ground-truth@2"/,
    ],
    [1, '"kind":"header"', '"kind":"user"', /^gt\.jsonl:1: \$\.kind: unknown kind "user"/],
    [
      1,
      '"userTasks":97',
      '"userTasks":96',
      /^gt\.jsonl:1: \$\.counts\.userTasks: AgentDojo's corpus has 97, found 96$/,
    ],
    [
      1,
      '"add_calendar_event_participants"',
      '"no_such_tool"',
      /^gt\.jsonl:1: \$\.untrustedSources\[0\]: tool "no_such_tool" is not in the tools table$/,
    ],
    [2, '"kind":"user"', '"kind":"usr"', /^gt\.jsonl:2: \$\.kind: unknown kind "usr" \(one of user, injection\)$/],
    [2, '"exposure":0', '"exposure":9', /^gt\.jsonl:2: \$\.exposure: no action has the index 9 \(there are 1\)$/],
    [2, '"exposure":0', '"exposure":-1', /^gt\.jsonl:2: \$\.exposure: expected a whole number, 0 or more, found -1$/],
    [2, '"exposure":0', '"exposur":0', /^gt\.jsonl:2: the key "exposure" is missing$/],
    [2, '"exposure":0', '"exposure":0,"x":1', /^gt\.jsonl:2: unknown key "x"$/],
    [2, '"effect":"read"', '"effect":"look"', /^gt\.jsonl:2: \$\.actions\[0\]\.effect: unknown effect "look"/],
    [
      2,
      '"effect":"read"',
      '"effect":"write"',
      /^gt\.jsonl:2: \$\.actions\[0\]\.effect: "write", but the tools table says "read"$/,
    ],
    [
      2,
      '"search_calendar_events"',
      '"search_calendar_event"',
      /^gt\.jsonl:2: \$\.actions\[0\]\.type: tool "search_calendar_event" is not in the tools table$/,
    ],
    [
      2,
      '"targets":[]',
      '"targets":["x"]',
      /^gt\.jsonl:2: \$\.actions\[0\]\.targets: 1 targets, but by the tools table search_calendar_events has none$/,
    ],
    [2, '"origins":[]', '"origins":["user"]', /^gt\.jsonl:2: \$\.actions\[0\]\.origins: 1 origins for 0 targets$/],
    [2, '"targets":[]', '"target":[]', /^gt\.jsonl:2: \$\.actions\[0\]: the key "targets" is missing$/],
    [1, '"agentdojo"', '""', /^gt\.jsonl:1: \$\.id: expected a name, found an empty string$/],
    [
      1,
      '"delete_file"',
      '"get_webpage"',
      /^gt\.jsonl:1: \$\.untrustedSources\[9\]: tool "get_webpage" is listed twice$/,
    ],
    [1, /"untrustedSources":.*]/, '"untrustedSources":[]', /^gt\.jsonl:1: \$\.untrustedSources: no tool is listed/],
    [3, '"workspace"', '""', /^gt\.jsonl:3: \$\.suite: expected a name, found an empty string$/],
    [3, '"user_task_1"', '""', /^gt\.jsonl:3: \$\.id: expected a name, found an empty string$/],
    [
      4,
      '"exposure":1',
      '"exposure":0',
      /^gt\.jsonl:4: \$\.exposure: action 0 calls "get_current_day", which is not in "untrustedSources"$/,
    ],
    [
      3,
      '"named":[]',
      '"named":["nobody"]',
      /^gt\.jsonl:3: \$\.named\[0\]: "nobody" is no target of the suite workspace$/,
    ],
    [3, '"named":[]', '"named":["5","13"]', /^gt\.jsonl:3: \$\.named\[1\]: "13" is not in order, or twice$/],
    [3, '"named":[]', '"named":["13","13"]', /^gt\.jsonl:3: \$\.named\[1\]: "13" is not in order, or twice$/],
    // A target of another suite.
    [
      3,
      '"named":[]',
      '"named":["Alice"]',
      /^gt\.jsonl:3: \$\.named\[0\]: "Alice" is no target of the suite workspace$/,
    ],
    [
      6,
      '"named":["sarah.connor@gmail.com"]',
      '"named":[]',
      /^gt\.jsonl:6: \$\.actions\[2\]\.origins\[0\]: "user", but "sarah\.connor@gmail\.com" is not in the task's "named"$/,
    ],
    [
      6,
      '"origins":["user"]',
      '"origins":["tool"]',
      /^gt\.jsonl:6: \$\.actions\[2\]\.origins\[0\]: "tool", but "sarah\.connor@gmail\.com" is in the task's "named"$/,
    ],
    [
      125,
      '"origins":["tool"',
      '"origins":["user"',
      /^gt\.jsonl:125: \$\.actions\[0\]\.origins\[0\]: "user", but no user names the target of an injected action$/,
    ],
    [
      REQUEST_LINE,
      '"request":"sha256:',
      '"request":"sha256:x',
      /^gt\.jsonl:\d+: \$\.request: expected a SHA-256 digest, found "sha256:x/,
    ],
    [3, '"user_task_1"', '"user_task_0"', /^gt\.jsonl:3: \$\.id: duplicate id "user_task_0" \(first on line 2\)$/],
    [3, '"named":[]', '"named":[1]', /^gt\.jsonl:3: \$\.named\[0\]: expected a string, found 1$/],
    [3, '"named":[]', '"named":{}', /^gt\.jsonl:3: \$\.named: expected an array, found \{\}$/],
  ];
  for (const [line, from, to, message] of edits) {
    assert.notEqual(lines[line - 1]?.replace(from, to), lines[line - 1], `${line}: ${String(from)}`);
    refused(
      withLine(line, (one) => one.replace(from, to)),
      message,
    );
  }
});

test("what is called AgentDojo's corpus is AgentDojo's, task for task", () => {
  const edits: [line: number, from: string | RegExp, to: string, message: RegExp][] = [
    [1, '"0.1.35"', '"0.1.34"', /^gt\.jsonl:1: \$\.package: AgentDojo's corpus is of "0\.1\.35", found "0\.1\.34"$/],
    [1, '"v1.1.2"', '"v1.2"', /^gt\.jsonl:1: \$\.version: AgentDojo's corpus is of "v1\.1\.2", found "v1\.2"$/],
    [
      1,
      '"userTasks":97',
      '"userTasks":96',
      /^gt\.jsonl:1: \$\.counts\.userTasks: AgentDojo's corpus has 97, found 96$/,
    ],
    [1, '"get_channels",', '', /^gt\.jsonl:1: \$\.untrustedSources: AgentDojo's corpus has 16, found 15$/],
    [
      3,
      '"user_task_1"',
      '"user_task_01"',
      /^gt\.jsonl:3: \$\.id: "user_task_01", but AgentDojo's corpus has workspace\/user_task_1 on this line$/,
    ],
    [
      42,
      '"injection_task_0"',
      '"user_task_40"',
      /^gt\.jsonl:42: \$\.id: "user_task_40", but AgentDojo's corpus has workspace\/injection_task_0 on this line$/,
    ],
    [
      48,
      '"travel"',
      '"journeys"',
      /^gt\.jsonl:48: \$\.suite: "journeys", but AgentDojo's corpus has travel\/user_task_0 on this line$/,
    ],
    [
      125,
      /$/,
      `\n${lines[1]!.replace('user_task_0', 'user_task_97')}`,
      /^gt\.jsonl:126: AgentDojo's corpus ends before, with 124 tasks$/,
    ],
    [125, /"actions":.*]/, '"actions":[]', /^gt\.jsonl:1: \$\.counts\.excludedPairs: the file holds 41, not 20$/],
  ];
  for (const [line, from, to, message] of edits) {
    const changed = withLine(line, (one) => one.replace(from, to));
    assert.notEqual(changed, text, `${line}: ${String(from)}`);
    refused(changed, message);
  }
  const swapped = [lines[0], lines[2], lines[1], ...lines.slice(3)].map((line) => `${line}\n`).join('');
  refused(
    swapped,
    /^gt\.jsonl:2: \$\.id: "user_task_1", but AgentDojo's corpus has workspace\/user_task_0 on this line$/,
  );
});

test('another corpus is sound by its own counts, and is never taken for the one that the bench measures on', () => {
  const fewer = [lines[0]!.replace('"agentdojo"', '"mine"').replace(/"counts":\{.*?\}/, ''), ...lines.slice(1, 42)];
  const withCounts = (counts: object): string =>
    [fewer[0]!.replace(',,', `,"counts":${JSON.stringify(counts)},`), ...fewer.slice(1)]
      .map((one) => `${one}\n`)
      .join('');
  const mine = withCounts({ userTasks: 40, injectionTasks: 1, pairs: 40, excludedPairs: 0 });
  assert.deepEqual(countTasks(loadBytes(mine).suites), {
    userTasks: 40,
    injectionTasks: 1,
    pairs: 40,
    excludedPairs: 0,
  });
  refused(
    withCounts({ userTasks: 40, injectionTasks: 2, pairs: 40, excludedPairs: 0 }),
    /^gt\.jsonl:1: \$\.counts\.injectionTasks: the file holds 1, not 2$/,
  );
  const message = `gt.jsonl:1: $.id: "mine", but the bench measures on "agentdojo" alone (validate checks others)`;
  assert.throws(() => loadBytes(mine, loadCorpus), { name: 'BenchError', code: 'input', message });
});

test('the tools table is checked too', () => {
  const table = (value: unknown) => () =>
    parseToolTable(decodeText(encoder.encode(JSON.stringify(value)), 'tools.json'));
  const schema = 'toolgate-bench/tools@1';
  assert.throws(table({ schema, tools: {} }), /tools\.json: \$\.tools: no tool is listed/);
  assert.throws(table({ schema: 'x', tools: {} }), /tools\.json: \$\.schema: unknown schema "x"/);
  assert.throws(
    table({ schema, tools: { a: { effect: 'no', targets: [] } } }),
    /\$\.tools\.a\.effect: unknown effect "no"/,
  );
  assert.throws(
    table({ schema, tools: { 'a-b': { effect: 'read', targets: [1] } } }),
    /\$\.tools\["a-b"\]\.targets\[0\]: expected a string/,
  );
  assert.throws(
    () => parseToolTable(decodeText(encoder.encode('{'), 'tools.json')),
    /^BenchError: tools\.json: not JSON/,
  );
});

test('an unreadable file is one line', () => {
  assert.throws(
    () => loadCorpus({ ...CORPUS_FILES, groundTruth: join(folder, 'none.jsonl') }),
    /none\.jsonl: cannot be read \(ENOENT/,
  );
});

const anyTarget = fc.tuple(fc.string({ unit: 'grapheme' }), fc.constantFrom('user', 'tool', 'model'));
const anyAction: fc.Arbitrary<GroundTruthAction> = fc.constantFrom(...tools).chain(([type, tool]) => {
  const { least, most } = targetCounts(tool);
  return fc.array(anyTarget, { minLength: least, maxLength: Math.min(most, least + 4) }).map((targets) => ({
    type,
    effect: tool.effect,
    targets: targets.map(([target]) => target),
    origins: targets.map(([, origin]) => origin),
  }));
});

/** Origins and `named` as the extractor makes them agree: `user` for what the request names, and never when injected. */
const asInjected = (actions: GroundTruthAction[]): GroundTruthAction[] =>
  actions.map((action) => ({
    ...action,
    origins: action.origins.map((origin) => (origin === 'user' ? 'tool' : origin)),
  }));
function asUsers(actions: GroundTruthAction[]): { actions: GroundTruthAction[]; named: string[] } {
  const named = new Set(actions.flatMap(({ targets, origins }) => targets.filter((_, at) => origins[at] === 'user')));
  return {
    actions: actions.map((action) => ({
      ...action,
      origins: action.origins.map((origin, at) => (named.has(action.targets[at]!) ? 'user' : origin)),
    })),
    named: [...named].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  };
}

const anySuite = (name: string): fc.Arbitrary<Suite> =>
  fc.record(
    {
      name: fc.constant(name),
      userTasks: fc
        .array(fc.array(anyAction, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })
        .map((tasks) =>
          tasks.map((actions, index) => ({
            suite: name,
            id: `user_task_${index}`,
            ...asUsers(actions),
            exposure: actions.length - 1,
          })),
        ),
      injectionTasks: fc
        .array(fc.array(anyAction, { maxLength: 3 }), { maxLength: 3 })
        .map((tasks) =>
          tasks.map((actions, index) => ({ suite: name, id: `injection_task_${index}`, actions: asInjected(actions) })),
        ),
    },
    { noNullPrototype: true },
  );

test('any corpus comes back as it was written', () => {
  fc.assert(
    fc.property(fc.tuple(anySuite('a'), anySuite('b')), (suites) => {
      const header: CorpusHeader = {
        id: 'other',
        package: '1',
        version: 'v1',
        counts: countTasks(suites),
        untrustedSources: [...tools.keys()],
      };
      const written = formatGroundTruth(header, suites);
      const read = parseGroundTruth(decodeText(encoder.encode(written), 'x'), tools);
      assert.deepEqual(read, { header, suites });
      assert.equal(formatGroundTruth(read.header, read.suites), written);
    }),
    { numRuns: 60 },
  );
});

test('no bytes make the loader fail in another way than by refusing', () => {
  const survives = (bytes: Uint8Array): void => {
    try {
      parseGroundTruth(decodeText(bytes, 'x'), tools);
    } catch (error) {
      assert.ok(error instanceof BenchError, String(error));
      assert.doesNotMatch(error.message, /\n/);
    }
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), survives));
  const original = encoder.encode(
    lines
      .slice(0, 12)
      .map((line) => `${line}\n`)
      .join(''),
  );
  fc.assert(
    fc.property(fc.nat(original.length - 1), fc.integer({ min: 0, max: 255 }), fc.nat(3), (at, byte, cut) => {
      const bytes = original.slice();
      bytes[at] = byte;
      survives(cut === 0 ? bytes.subarray(0, at) : bytes);
    }),
    { numRuns: 500 },
  );
});
