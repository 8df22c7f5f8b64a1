import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ROOT } from './command.ts';

const read = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  readonly version: string;
  readonly license: string;
  readonly scripts: { readonly [name: string]: string };
};

test('CITATION.cff has the version and the licence of the package, and names AgentDojo’s paper', () => {
  const citation = read('CITATION.cff');
  assert.match(citation, new RegExp(`^version: ${manifest.version.replaceAll('.', String.raw`\.`)}$`, 'm'));
  assert.match(citation, new RegExp(`^license: ${manifest.license}$`, 'm'));
  assert.match(citation, /^preferred-citation:\n {2}type: conference-paper$/m);
  assert.match(citation, /arXiv:2406\.13352/);
  const authors = [...citation.matchAll(/family-names: (.+)$/gm)].map(([, name]) => name);
  // As the licence notice of the data has them.
  const notice = /Copyright \(c\) 2024 (.*)$/m.exec(read('data/README.md'))?.[1] ?? '';
  assert.equal(authors.length, 6);
  for (const name of authors) {
    const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '');
    assert.ok(plain(notice).includes(plain(name!)), `${name} in ${notice}`);
  }
});

test('CONTRIBUTING.md and README.md name scripts and files that exist', () => {
  for (const file of ['CONTRIBUTING.md', 'SECURITY.md', 'README.md']) {
    const text = read(file);
    for (const [, script = ''] of text.matchAll(/`?npm run ([\w:]+)/g)) {
      assert.ok(Object.hasOwn(manifest.scripts, script), `${file}: npm run ${script}`);
    }
    for (const [, path = ''] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
      assert.ok(existsSync(`${ROOT}${path}`), `${file}: ${path}`);
    }
  }
});

test('CI runs the one command that a contributor runs, with nothing left out', () => {
  const run = read('.ci/run');
  assert.match(run, /^npm run --silent check -- --all$/m);
  assert.match(run, /^export TOOLGATE_ENGINES=1$/m);
  assert.match(read('.github/workflows/ci.yml'), /run: \.ci\/run$/m);
});
