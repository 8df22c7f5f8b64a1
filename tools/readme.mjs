// Puts what a command really prints into the README: `node tools/readme.mjs`, or with --check to see whether it is up to date.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = `${root}README.md`;
const before = readFileSync(file, 'utf8');
const printed = execFileSync(process.execPath, ['run.mjs'], { cwd: root, encoding: 'utf8' });
const block = /(<!-- generated: node tools\/readme\.mjs -->\n```text\n)[^`]*(```\n<!-- end -->)/;
if (!block.test(before)) throw new Error('README.md has no generated block');
const after = before.replace(block, (_, open, close) => `${open}$ node run.mjs\n${printed}${close}`);
if (!process.argv.includes('--check')) writeFileSync(file, after);
else if (after !== before) {
  process.stderr.write('README.md is not what the program prints; run: node tools/readme.mjs\n');
  process.exitCode = 1;
}
