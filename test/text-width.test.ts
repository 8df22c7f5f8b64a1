import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { commandLines, wrap } from '../src/render/table.ts';
import { ROOT, toolgate } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-width-'));
after(() => rmSync(folder, { recursive: true }));

const LONG = 'a-gate-with-a-name-that-nobody-would-want-to-read-out-loud-in-front-of-an-audience-at-all';
const FOLDER = "it's a folder of gates whose name takes its time";
mkdirSync(join(folder, FOLDER));
const gate = (file: string, check: string): string => {
  const path = join(folder, FOLDER, file);
  writeFileSync(
    path,
    `export default { name: '${LONG}', tiers: ['tool', 'target'], createSession: () => ({ ${check} }) };`,
  );
  return path;
};
const ALLOWS = gate('allows.mjs', 'check: () => ({ allowed: true })');
const THROWS = gate('throws.mjs', `check() { throw new Error('${'x'.repeat(200)} for no reason '.repeat(3)}'); }`);
const widthOf = (line: string): number => Array.from(line).length;

/** What the words hold that are longer than a line: they stand alone then. */
const LONG_WORDS = [FOLDER.slice(5), 'a remark that is here for its length'];

/** The command under the table, as a shell would read it: lines that end with a backslash go on. */
const commandsIn = (stdout: string): string[] =>
  [...stdout.matchAll(/^ {2}(node .* explain (?:.*\\\n)*.*)$/gm)].map(([, command]) => command!);

const RUNS: readonly (readonly string[])[] = [
  [],
  ['--order', 'exposure'],
  ['--order', 'exposure', '--untrusted', 'all-reads', '--tier', 'limits'],
  ['--by', 'tool', '--suite', 'travel,workspace'],
  ['--by', 'suite', '--order', 'exposure', '--resamples', '20'],
  [ALLOWS, '--by', 'suite', '--tier', 'target'],
  [ALLOWS, '--order', 'exposure', '--untrusted', 'all-reads', '--by', 'tool', '--suite', 'slack'],
  [THROWS, '--by', 'tool', '--suite', 'travel', '--tier', 'tool'],
  ['--exec', "python3 'examples/python/exact_gate.py' # and a remark that is here for its length", '--suite', 'slack'],
];

for (const options of RUNS) {
  const shown = options.map((option) => (relative(folder, option).startsWith('..') ? option : 'GATE')).join(' ');
  test(`no line of the report is wider than 80 columns: ${shown || 'no option'}`, async () => {
    const resamples = options.includes('--resamples') ? [] : ['--resamples', '0'];
    const { stdout, stderr } = await toolgate([...options, ...resamples]);
    assert.notEqual(stdout, '', stderr);
    for (const line of stdout.split('\n')) {
      const isWholeWord =
        /^ +(?:--exec )?(?:'.*|[^ ]+)(?: \\)?$/.test(line) && LONG_WORDS.some((one) => line.includes(one));
      assert.ok(widthOf(line) <= 80 || isWholeWord, `${widthOf(line)}: ${line}`);
    }
  });
}

test('the command under the table shows an attack that got through, however long it is', async () => {
  for (const options of [
    ['exact', '--order', 'exposure', '--tier', 'limits'],
    [ALLOWS, '--order', 'exposure', '--untrusted', 'all-reads', '--tier', 'target', '--suite', 'slack'],
    ['--exec', 'python3 examples/python/exact_gate.py', '--tier', 'target', '--suite', 'slack'],
  ]) {
    const { stdout } = await toolgate([...options, '--resamples', '0']);
    const [command] = commandsIn(stdout);
    assert.ok(command, stdout);
    assert.ok(command.includes(' \\\n'), command);
    const { status, stdout: shown, stderr } = spawnSync('sh', ['-c', command], { cwd: ROOT, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.match(shown, /attack not stopped: every injected action was allowed/);
  }
});

const word = fc.oneof(
  fc.stringMatching(/^[a-z./]{1,30}$/),
  fc.stringMatching(/^--[a-z]{1,12}$/),
  fc.stringMatching(/^'[a-z \\"-]{0,40}'$/),
  fc.stringMatching(/^'[a-z ]{0,9}'\\''[a-z ]{0,9}'$/),
  fc.constant('x'.repeat(120)),
);

test('a command is the same when its lines are joined, and is broken between words only', () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), fc.constantFrom('', '  '), (words, indent) => {
      const command = words.join(' ');
      const lines = commandLines(command, 80, indent);
      assert.equal(
        lines
          .join('\n')
          .replace(/ \\\n */g, ' ')
          .slice(indent.length),
        command,
      );
      if (widthOf(indent + command) <= 80) assert.equal(lines.length, 1);
      for (const line of lines) {
        if (widthOf(line) <= 80) continue;
        const parts = words.filter((one) => line.includes(one));
        assert.ok(
          parts.some((one) => widthOf(one) > 30),
          line,
        );
      }
    }),
  );
});

test('wrapped text keeps its words, and no line is wider than it may be', () => {
  const text = fc.array(
    fc.oneof(fc.string({ minLength: 1, maxLength: 12 }), fc.string({ minLength: 60, maxLength: 200 })),
  );
  fc.assert(
    fc.property(text, fc.constantFrom('', '  '), (words, indent) => {
      const lines = wrap(words.join(' '), 40, indent);
      for (const line of lines) assert.ok(widthOf(line) <= 40, line);
      assert.equal(lines.join('').replaceAll(' ', ''), words.join('').replaceAll(' ', ''));
    }),
  );
});
