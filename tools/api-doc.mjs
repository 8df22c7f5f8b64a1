// Writes docs/api.md from the declarations that the package ships: `node tools/api-doc.mjs`, or with --check to see whether it is up to date.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * An exported name, as its declaration has it.
 * @typedef {object} Exported
 * @property {string} name
 * @property {boolean} type whether it is a type alone
 * @property {string} doc the doc comment's text; empty when there is none
 * @property {string} declaration without doc comment, `export` and `declare`
 */

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Everything that src/index.ts exports, in its order.
 * @returns {Exported[]}
 */
export function exportedNames() {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-api-'));
  try {
    const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
    const options = ['--emitDeclarationOnly', '--outDir', folder];
    execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json'), ...options]);
    const index = readFileSync(join(folder, 'index.d.ts'), 'utf8');
    return [...index.matchAll(/^export (type )?\{([^}]*)\} from '\.\/(.*)\.ts';$/gm)].flatMap(
      ([, type, names = '', module]) => {
        const source = readFileSync(join(folder, `${module}.d.ts`), 'utf8');
        return names.split(',').flatMap((part) => {
          const name = part.trim();
          return name === '' ? [] : [{ name, type: type !== undefined, ...declarationOf(source, name) }];
        });
      },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {string} source of a declaration file
 * @param {string} name
 */
function declarationOf(source, name) {
  const start = new RegExp(
    `(?:/\\*\\*((?:(?!\\*/)[^])*)\\*/\\n)?export (?:declare )?((?:function|const|class|interface|type) ${name}\\b[^]*)`,
  );
  const found = start.exec(source);
  if (found?.[2] === undefined) throw new Error(`no declaration of ${name}`);
  const [, comment = '', rest] = found;
  const end =
    rest.startsWith('interface') || rest.startsWith('class') ? rest.indexOf('\n}') + 2 : rest.indexOf(';\n') + 1;
  const doc = comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join('\n')
    .trim();
  return { doc, declaration: rest.slice(0, end) };
}

/**
 * The text above the tags of a doc comment, on one line.
 * @param {string} doc
 */
function prose(doc) {
  return doc.split(/^@/m)[0]?.replace(/\s+/g, ' ').trim() ?? '';
}

/**
 * What a doc comment says of errors and parameters, a list item each.
 * @param {string} doc
 */
function tags(doc) {
  return doc
    .split(/^(?=@)/m)
    .filter((part) => part.startsWith('@'))
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .map((part) =>
      part
        .replace(/^@throws \{(\w+)\}/, '- Throws `$1`:')
        .replace(/^@param (\w+)/, '- `$1`:')
        .replace(/^@returns/, '- Returns'),
    );
}

/** @param {Exported} exported */
function section({ name, doc, declaration }) {
  const listed = tags(doc);
  return [
    `### \`${name}\``,
    prose(doc),
    ...(listed.length === 0 ? [] : [listed.join('\n')]),
    `\`\`\`ts\n${declaration}\n\`\`\``,
  ].join('\n\n');
}

/** @returns {string} */
export function apiDoc() {
  const names = exportedNames();
  const anchor = (/** @type {string} */ name) => name.toLowerCase();
  const list = names
    .filter(({ type }) => !type)
    .map(({ name, doc }) => `| [\`${name}\`](#${anchor(name)}) | ${prose(doc).split(/(?<=\.) /)[0]} |`);
  const intro = readFileSync(join(root, 'tools/api-intro.md'), 'utf8');
  return `${[
    `<!-- Written by \`npm run docs:api\` from tools/api-intro.md and the doc comments; do not edit by hand. -->`,
    intro.trim(),
    `## Values\n\n| name | what |\n|---|---|\n${list.join('\n')}`,
    ...names.filter(({ type }) => !type).map(section),
    '## Types',
    ...names.filter(({ type }) => type).map(section),
  ].join('\n\n')}\n`;
}

function main() {
  const file = join(root, 'docs/api.md');
  const text = apiDoc();
  if (!process.argv.includes('--check')) return writeFileSync(file, text);
  if (readFileSync(file, 'utf8') === text) return;
  process.stderr.write('docs/api.md is not what the declarations say; run: npm run docs:api\n');
  process.exitCode = 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main();
