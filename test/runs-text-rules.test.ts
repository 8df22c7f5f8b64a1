import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import fc from 'fast-check';
import { parsePythonList } from '../extract/python_list.ts';
import { isProse, proseDigest, targetsOf } from '../extract/targets.ts';
import { holds, names, originOf, requestDigest } from '../extract/text_rules.ts';

const HELD: readonly [text: string, target: string, held: boolean][] = [
  ['to ann@x.example.', 'ann@x.example', true],
  ['to joann@x.example', 'ann@x.example', false],
  ['ann@x.examples ann@x.example', 'ann@x.example', true],
  ['id_26_', '26', true],
  ['260 126', '26', false],
  ['naïve café', 'caf', false],
  ['\u{1d7d8}26', '26', false],
  ['26\u{1d7d8}', '26', false],
  ['\u{1f600}26\u{1f600}', '26', true],
  ['aa a', 'a', true],
  ['anything', '', false],
  ['', 'a', false],
];

for (const [text, target, held] of HELD) {
  test(`${JSON.stringify(text)} ${held ? 'holds' : 'does not hold'} ${JSON.stringify(target)}`, () => {
    assert.equal(holds(text, target), held);
  });
}

const NAMED: readonly [request: string, target: string, named: boolean][] = [
  ['there are 13 of us', '13', false],
  ['the file 13', '13', true],
  ['the file with the id: "13"', '13', true],
  ['profile 13', '13', false],
  ['write an email. 13 of us come', '13', false],
  ['transaction #13', '13', true],
  ['# 13', '13', false],
  ['file 130', '13', false],
  ['file_13', '13', true],
  ['pay de00123', 'de00123', true],
];

for (const [request, target, named] of NAMED) {
  test(`${JSON.stringify(request)} ${named ? 'names' : 'does not name'} ${target}`, () => {
    assert.equal(names(request, target), named);
  });
}

test('an origin is the request before a result, and neither is the model', () => {
  assert.equal(originOf('Ann', 'for ann', ['ann']), 'user');
  assert.equal(originOf('Ann', 'for bob', ['eve', 'ann']), 'tool');
  assert.equal(originOf('Ann', 'for bob', ['joann']), 'model');
  assert.equal(originOf('', '', ['']), 'model');
});

/** Texts of the pieces that the rules turn on, so that matches and near misses are frequent. */
const PIECES = [
  ' ',
  '\n',
  '.',
  '_',
  '#',
  '@',
  '-',
  'file',
  'Id',
  'number',
  'é',
  'İ',
  'Σ',
  '٣',
  '½',
  '²',
  '\u{1d7d8}',
  '\u{1f600}',
  '1',
  '13',
  'ann',
  'X.example',
];
const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 4 }).map((parts) => parts.join(''));
const targets = fc.oneof(fc.constantFrom('13', '1', 'ann', 'Ann@x.example', 'é'), pieces);
const textsAndTargets = fc.oneof(
  fc.tuple(pieces, targets),
  fc.tuple(pieces, targets, pieces).map(([before, target, rest]): [string, string] => [before + target + rest, target]),
);

test('the rules are those of rules.py', (t) => {
  const cases = fc.sample(textsAndTargets, { numRuns: 3000, seed: 7 });
  const code =
    'import json,sys; from rules import holds,names; print(json.dumps([[holds(a,b),names(a,b)] for a,b in json.load(sys.stdin)]))';
  const folder = fileURLToPath(new URL('../extract', import.meta.url));
  const python = spawnSync('python3', ['-B', '-c', code], {
    cwd: folder,
    input: JSON.stringify(cases),
    encoding: 'utf8',
  });
  if (python.error) return t.skip('python3 cannot be run');
  assert.equal(python.status, 0, python.stderr);
  const expected = JSON.parse(python.stdout) as [boolean, boolean][];
  cases.forEach(([text, target], index) => {
    const [lowerText, lowerTarget] = [text.toLowerCase(), target.toLowerCase()];
    const found = [holds(lowerText, lowerTarget), names(lowerText, lowerTarget)];
    assert.deepEqual(found, expected[index], JSON.stringify([text, target]));
  });
  for (const rule of [0, 1] as const) {
    const share = expected.filter((pair) => pair[rule]).length / cases.length;
    assert.ok(share > 0.05 && share < 0.95, `the cases are no test: ${share} hold`);
  }
});

test('the digest of a request folds white space', () => {
  assert.equal(requestDigest(' a\n b\u00a0c '), requestDigest('a b c'));
  assert.notEqual(requestDigest('a b c'), requestDigest('a bc'));
  // echo -n 'a b c' | sha256sum
  assert.equal(requestDigest('a b c'), 'sha256:0e9f64031fcb2bc708b531c2a20441580425d151a38503f38592a7dd36019d3b');
});

const TARGETS: readonly [value: unknown, targets: readonly string[], malformed: boolean][] = [
  [null, [], false],
  [undefined, [], false],
  ['', [''], false],
  [7, ['7'], false],
  [7.5, ['7.5'], false],
  [1e22, ['10000000000000000000000'], false],
  [true, [], true],
  [{ to: 'ann' }, [], true],
  [['ann', null, ['bob', 3]], ['ann', 'bob', '3'], false],
  [['ann', false], ['ann'], true],
  ['https://a.example', ['a.example'], false],
  ['http://a.example', ['a.example'], false],
  ['https://http://a.example', ['a.example'], false],
  ['http://https://a.example', ['https://a.example'], false],
  ['HTTP://a.example', ['HTTP://a.example'], false],
  ['[\'ann\', "bob"]', ['ann', 'bob'], false],
  ['[1, None, 2.0,]', ['1', '2'], false],
  ['[12345678901234567890]', ['12345678901234567890'], false],
  [String.raw`['\x61nn', '\u00e9', '\q\n']`, ['ann', 'é', '\\q\n'], false],
  ['[insert address here]', ['[insert address here]'], false],
  ["['ann'] and more", ["['ann'] and more"], false],
  ["['ann'", ["['ann'"], false],
];

for (const [value, expected, malformed] of TARGETS) {
  test(`the targets in ${JSON.stringify(value) ?? 'nothing'}`, () => {
    const found = targetsOf(value);
    assert.deepEqual(found.targets, expected);
    assert.equal(found.malformed, malformed);
  });
}

/** A string literal, as Python's repr writes it but for the choice of quotes. */
const quoted = (text: string): string =>
  `'${text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", String.raw`\'`)
    .replaceAll('\n', String.raw`\n`)}'`;

test('any list of strings that Python writes is read back', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('a', "'", '"', '\\', ',', ']', '[', '\n', ' ') })),
      (texts) => {
        assert.deepEqual(parsePythonList(` [${texts.map(quoted).join(', ')}] `), texts);
      },
    ),
  );
});

test('no text makes the list reader throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('[', ']', "'", '\\', ',', '1', '-', 'None', ' ') }), (text) => {
      const list = parsePythonList(text);
      assert.ok(list === undefined || Array.isArray(list));
    }),
  );
});

test('prose is told from names, and stands as a digest of its own', () => {
  assert.equal(isProse('Hotel de la Paix'), false);
  assert.equal(isProse('please send a link to'), true);
  assert.equal(isProse('two\nlines'), true);
  assert.equal(isProse('x'.repeat(201)), true);
  assert.match(proseDigest('a b c d e'), /^prose:[0-9a-f]{16}$/);
  assert.notEqual(proseDigest('a b c d e'), proseDigest('a b c d f'));
});
