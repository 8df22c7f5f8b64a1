import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Block, blocksOf, DOCUMENTS, outsideBlocks, readDocument } from './docs-blocks.ts';
import { ROOT } from './command.ts';

// Every command that README.md and docs/ show is run as it stands there: what is in a block tagged sh, what follows `$ ` in one
// tagged console, whose output must be what is printed, and the commands of the README's table. Blocks with a file's name behind their
// language are that file. The blocks of a document run one after another in one folder that looks like a checkout.

/** Commands that cannot run here, each with the reason. */
const NOT_RUN: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^npm ci && node run\.mjs /, 'installs from a registry; node run.mjs stands by itself further down'],
  [/^npm test /, 'would run this test again'],
  [/^npm ci --prefix engines$/, 'installs from a registry'],
  [
    /^npm run build:opa --prefix engines$/,
    'needs a compiled opa; test/engines-opa-build.test.ts runs it where there is one',
  ],
  [/^GOBIN=\S+ go install /, 'installs from a registry'],
  [/^TOOLGATE_OPA=\S+ npm test$/, 'would run this test again'],
  [/^AUTHZEN_URL=/, 'asks a server that the reader starts; test/authzen.test.ts has one'],
];
/** Commands of gates whose libraries `npm ci --prefix engines` installs. */
const NEEDS_ENGINES = /^node run\.mjs (cedar|casl)\b/;
const HAS_ENGINES = existsSync(`${ROOT}engines/node_modules`);

/** A page whose commands the program runs that writes the page. */
const RUN_BY_ITS_WRITER = 'docs/results.md';

const LANGUAGES = ['console', 'js', 'json', 'jsonl', 'python', 'sh', 'text', 'ts', 'yaml', 'bibtex'];
const COMMAND = /^(npx|npm|node|git|uv|go|pip|python3?|bash|cd|AUTHZEN_URL=\S+) /;

const work = mkdtempSync(join(tmpdir(), 'toolgate-docs-'));
const dist = join(work, 'dist');
after(() => rmSync(work, { recursive: true }));

before(() => {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', dist], { cwd: ROOT });
  const copied = (path: string): boolean => !path.endsWith('.ts');
  cpSync(join(ROOT, 'src/thread'), join(dist, 'thread'), { recursive: true, filter: copied });
  for (const name of ['adapters', 'data', 'package.json']) symlinkSync(join(ROOT, name), join(work, name));
});

/** A folder that looks like a checkout with a build, in which a command may write. */
function checkout(document: string): string {
  const folder = join(work, document.replaceAll('/', '-'));
  mkdirSync(folder);
  for (const name of readdirSync(ROOT)) {
    if (['.git', 'dist', 'node_modules'].includes(name)) continue;
    if (['adapters', 'examples', 'package.json'].includes(name))
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    else symlinkSync(join(ROOT, name), join(folder, name));
  }
  symlinkSync(dist, join(folder, 'dist'));
  return folder;
}

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, cwd: string): Promise<Ended> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
  };
  delete env['NODE_TEST_CONTEXT'];
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}

/** On a machine with much else to do a call of a gate may wait for more than `--timeout`: the command is run again. */
async function runInPeace(command: string, cwd: string): Promise<Ended> {
  let ended = await run(command, cwd);
  for (let again = 0; again < 3 && /did not (answer|load) within/.test(ended.stdout + ended.stderr); again++) {
    ended = await run(command, cwd);
  }
  return ended;
}

/** A command with the output that is shown for it; null: none is. */
interface Shown {
  readonly command: string;
  readonly output: string | null;
}

function commandsIn({ language, text }: Block): Shown[] {
  if (language === 'sh') {
    const joined = text.replace(/\\\n/g, ' ').split('\n');
    return joined.filter((line) => !/^\s*(#|$)/.test(line)).map((command) => ({ command, output: null }));
  }
  const parts = text.split(/^\$ /m).slice(1);
  return parts.map((part) => {
    const [command = '', ...lines] = part.split('\n');
    return { command, output: lines.join('\n').trimEnd() };
  });
}

/** Whether the output is what is shown; a line of three dots stands for any lines. */
function isShown(output: string, shown: string): boolean {
  const source = shown
    .split('\n')
    .map((line) => (line === '...' ? '(?:.*\n)*?' : `${line.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)} *\n`));
  return new RegExp(`^${source.join('')}$`).test(`${output.trimEnd()}\n`);
}

function reasonNotToRun(command: string): string | undefined {
  if (NEEDS_ENGINES.test(command)) return HAS_ENGINES ? undefined : 'engines/node_modules is missing';
  return NOT_RUN.find(([pattern]) => pattern.test(command))?.[1];
}

/** The commands of the README's table stand in code spans. */
function tableCommands(file: string): Shown[] {
  if (file !== 'README.md') return [];
  const spans = [...outsideBlocks(file).matchAll(/^\| `(node run\.mjs [^`]*)` \|/gm)];
  return spans.map(([, command]) => ({ command: command!, output: null }));
}

describe('the commands of the documents', { concurrency: 2 }, () => {
  for (const file of DOCUMENTS) {
    const blocks = blocksOf(file);
    const shows = blocks.some(({ language }) => language === 'sh' || language === 'console');
    if (!shows) continue;
    test(file, async (context) => {
      const folder = checkout(file);
      const runAll = async (shown: readonly Shown[], where: string): Promise<void> => {
        for (const { command, output } of shown) {
          const reason = reasonNotToRun(command);
          if (reason !== undefined) {
            context.diagnostic(`not run: ${command}: ${reason}`);
            continue;
          }
          const { status, stdout, stderr } = await runInPeace(command, folder);
          assert.equal(status, 0, `${where}: ${command}\n${stdout}${stderr}`);
          if (output !== null) assert.ok(isShown(stdout, output), `${where}: ${command} prints:\n${stdout}`);
        }
      };
      for (const block of blocks) {
        if (block.names !== undefined) writeFileSync(join(folder, block.names), `${block.text}\n`);
        if (block.language === 'sh' || block.language === 'console') {
          await runAll(commandsIn(block), `${file}:${block.line}`);
        }
      }
      await runAll(tableCommands(file), `${file}, table`);
    });
  }
});

test('every command stands in a block that is run', () => {
  for (const file of DOCUMENTS) {
    for (const { language, line, text } of blocksOf(file)) {
      assert.ok(LANGUAGES.includes(language), `${file}:${line}: the block has no language of ${LANGUAGES.join(', ')}`);
      if (language === 'sh' || language === 'console') {
        assert.ok(
          commandsIn({ file, line, language, names: undefined, text }).length > 0,
          `${file}:${line}: no command`,
        );
        continue;
      }
      // A usage line in a block of text is no command: it says so by its GATE, FILE or `...`.
      const commands = text.split('\n').filter((one) => COMMAND.test(one) && !/[A-Z]{3,}|\.\.\./.test(one));
      assert.deepEqual(commands, [], `${file}:${line}: tag the block sh`);
    }
    if (file === RUN_BY_ITS_WRITER) continue;
    const indented = outsideBlocks(file)
      .split('\n')
      .filter((line) => /^ {4}/.test(line) && COMMAND.test(line.trim()));
    assert.deepEqual(indented, [], `${file}: fence the commands`);
  }
});

test('the list of commands that are not run holds no other', () => {
  const commands = DOCUMENTS.flatMap((file) => blocksOf(file))
    .filter(({ language }) => language === 'sh' || language === 'console')
    .flatMap((block) => commandsIn(block).map(({ command }) => command));
  for (const [pattern] of NOT_RUN)
    assert.ok(
      commands.some((command) => pattern.test(command)),
      String(pattern),
    );
  const shown = commands.length;
  const left = commands.filter((command) => NOT_RUN.some(([pattern]) => pattern.test(command))).length;
  assert.ok(shown - left >= 20, `${left} of ${shown} commands are not run`);
});

test('the README leads to every page', () => {
  const readme = readDocument('README.md');
  for (const file of DOCUMENTS.slice(1)) assert.ok(readme.includes(`](${file}`), file);
});

test('the links of the documents lead somewhere', () => {
  for (const file of DOCUMENTS) {
    for (const [, target = ''] of outsideBlocks(file).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path = '', anchor] = target.split('#');
      const found = path === '' ? file : join(dirname(file), path);
      assert.ok(existsSync(join(ROOT, found)), `${file}: ${target}`);
      if (anchor === undefined) continue;
      const heads = [...readDocument(found).matchAll(/^#+ (.*)$/gm)].map(([, head = '']) =>
        head
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      );
      assert.ok(heads.includes(anchor), `${file}: ${target}`);
    }
  }
});
