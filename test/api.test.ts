import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from './command.ts';

interface Exported {
  readonly name: string;
  readonly type: boolean;
  readonly doc: string;
  readonly declaration: string;
}

const { apiDoc, exportedNames } = (await import(pathToFileURL(`${ROOT}tools/api-doc.mjs`).href)) as {
  apiDoc: () => string;
  exportedNames: () => Exported[];
};
const page = readFileSync(`${ROOT}docs/api.md`, 'utf8');
const exported = exportedNames();
const sections = [...page.matchAll(/^### `(\w+)`\n\n(.+)\n[^]*?```ts\n([^]*?)\n```$/gm)];

test('docs/api.md is what the declarations say', () => {
  assert.equal(page, apiDoc(), 'docs/api.md is not up to date; run: npm run docs:api');
});

test('docs/api.md lists every export, and nothing else', async () => {
  const values = Object.keys(await import('../src/index.ts'));
  assert.ok(values.length > 10);
  assert.deepEqual(
    exported
      .filter(({ type }) => !type)
      .map(({ name }) => name)
      .toSorted(),
    values.toSorted(),
  );
  assert.deepEqual(
    sections.map(([, name]) => name),
    exported.map(({ name }) => name),
  );
  assert.equal(new Set(exported.map(({ name }) => name)).size, exported.length);
  // What index.ts exports in another form than the script knows would be missed.
  const index = readFileSync(`${ROOT}src/index.ts`, 'utf8');
  assert.doesNotMatch(index.replace(/^export (type )?\{[^}]*\} from '[^']+';$/gm, ''), /^(export|import)/m);
});

test('every export has a meaning and a signature', () => {
  for (const [, name, meaning, signature] of sections) {
    assert.match(meaning!, /^[A-Z`].*[.;:]/, name);
    assert.match(signature!, new RegExp(`^(function|const|class|interface|type) ${name}\\b`), name);
  }
});

test('every function says what it throws, every member of a type what it is', () => {
  const functions = exported.filter(({ declaration }) => declaration.startsWith('function'));
  assert.ok(functions.length >= 8);
  for (const { name, doc } of functions) assert.match(doc, /@throws|Never throws/, name);
  for (const { name, declaration } of exported) {
    if (!/^(interface|class)/.test(declaration)) continue;
    const lines = declaration.split('\n');
    lines.forEach((line, at) => {
      if (!/^ {4}(readonly )?\w+\??[:(]/.test(line) || /^ {4}constructor/.test(line)) return;
      assert.match(lines[at - 1]!, /\*\/$/, `${name}: ${line.trim()} has no doc comment`);
    });
  }
});
