// Builds dist/ from src/: TypeScript through the compiler, what runs in a gate's thread as it is, the help as a text.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

rmSync(join(root, 'dist'), { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
cpSync(join(root, 'src/thread'), join(root, 'dist/thread'), {
  recursive: true,
  filter: (path) => !/\.m?ts$/.test(path),
});
const { helpText } = await import(pathToFileURL(join(root, 'dist/commands/help.js')).href);
writeFileSync(join(root, 'dist/help.txt'), helpText());
