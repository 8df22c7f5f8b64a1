// Runs the README's main job where nothing is installed: on the tracked files alone, in a folder of their own, with the Node that
// runs this. Needs a Node that strips types (22.18 or newer), which is the promise that is checked.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'toolgate-clean-'));
try {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const file of files) cpSync(join(root, file), join(folder, file));
  const printed = execFileSync(process.execPath, ['run.mjs'], { cwd: folder, encoding: 'utf8' });
  if (!readFileSync(join(root, 'README.md'), 'utf8').includes(`$ node run.mjs\n${printed}\`\`\``))
    throw new Error('without node_modules, run.mjs does not print what the README shows');
  process.stdout.write(`${process.version}: run.mjs prints the table of the README, with nothing installed\n`);
} finally {
  rmSync(folder, { recursive: true });
}
