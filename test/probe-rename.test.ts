import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadCorpus } from '../src/corpus.ts';
import { CORPUS_FILES } from '../src/paths.ts';
import { formOf } from '../src/probe/literal-form.ts';
import { createRenamer, renameCorpus } from '../src/probe/rename.ts';
import { seededRandom } from '../src/random.ts';

const corpus = loadCorpus(CORPUS_FILES);
const actionsOf = ({ suites }: typeof corpus): { type: string; targets: readonly string[] }[] =>
  suites.flatMap(({ userTasks, injectionTasks }) => [...userTasks, ...injectionTasks].flatMap((task) => task.actions));

/** What is left of a text when every letter and digit is only of its kind. */
const shape = (text: string): string => text.replaceAll(/[a-z]/g, 'a').replaceAll(/[A-Z]/g, 'A').replaceAll(/\d/g, '0');

test('renaming keeps length, capitals, signs and digits, and tells different texts apart', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[A-Za-z0-9@._/ -]{3,12}$/), { maxLength: 30 }),
      fc.nat(),
      (texts, seed) => {
        const rename = createRenamer(seededRandom(seed));
        const renamed = texts.map(rename);
        assert.deepEqual(renamed.map(shape), texts.map(shape));
        assert.deepEqual(texts.map(rename), renamed);
        assert.equal(new Set(renamed).size, new Set(texts).size);
      },
    ),
  );
});

test('all ten digits are renamed one to one', () => {
  const rename = createRenamer(seededRandom(3));
  const digits = Array.from('0123456789');
  assert.deepEqual(digits.map(rename).toSorted(), digits);
});

test('a word is renamed alike wherever it stands, and what gives a literal its form stays', () => {
  const rename = createRenamer(seededRandom(1));
  const [first, second] = [rename('ann@bluesparrow.com'), rename('www.bluesparrow.com/a.docx')];
  const domain = /^[a-z]{3}@([a-z]{11})\.com$/.exec(first)?.[1];
  assert.match(second, new RegExp(String.raw`^www\.${domain}\.com/[a-z]\.docx$`));
  assert.notEqual(domain, 'bluesparrow');
  assert.equal(rename('Ann').toLowerCase(), first.slice(0, 3));
});

for (const seed of [1, 2, 3]) {
  test(`the corpus under other names, seed ${seed}: one to one, of the same form, no tool as before`, () => {
    const before = actionsOf(corpus);
    const after = actionsOf(renameCorpus(corpus, seed));
    const names = new Map<string, string>();
    before.forEach(({ type, targets }, index) => {
      const now = after[index]!;
      assert.notEqual(now.type, type);
      [type, ...targets].forEach((name, at) => {
        const other = [now.type, ...now.targets][at]!;
        assert.equal(names.get(name) ?? other, other);
        names.set(name, other);
        assert.equal(formOf(other), formOf(name), `${name} became ${other}`);
      });
    });
    assert.equal(new Set(names.values()).size, names.size);
    const renamed = renameCorpus(corpus, seed);
    assert.deepEqual(
      renamed.header.untrustedSources,
      corpus.header.untrustedSources.map((tool) => names.get(tool) ?? assert.fail(tool)),
    );
  });
}
