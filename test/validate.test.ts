import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT, toolgate } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-validate-'));
after(() => rmSync(folder, { recursive: true }));

const text = readFileSync(join(ROOT, 'data/ground_truth.jsonl'), 'utf8');
const renamed = text.replace('"id":"agentdojo"', '"id":"mi\\u001bne"');
const NOT_REQUIRED = /^AgentDojo's counts were not required of it, as its id is not "agentdojo"$/m;

test('validate says whether AgentDojo is what the counts were held against', async () => {
  writeFileSync(join(folder, 'same.jsonl'), text);
  writeFileSync(join(folder, 'other.jsonl'), renamed);
  const [own, same, other] = await Promise.all([
    toolgate(['validate']),
    toolgate(['validate', 'same.jsonl'], { cwd: folder }),
    toolgate(['validate', 'other.jsonl'], { cwd: folder }),
  ]);
  assert.deepEqual([own.status, same.status, other.status], [0, 0, 0]);
  assert.doesNotMatch(own.stdout, NOT_REQUIRED);
  assert.doesNotMatch(same.stdout, NOT_REQUIRED);
  assert.match(other.stdout, NOT_REQUIRED);
  assert.match(other.stdout, /^other\.jsonl: sound: mi\\u\{1b\}ne v1\.1\.2, 97 user tasks/);
});

test('no command measures on a default file that names another id', async () => {
  const copy = join(folder, 'copy');
  mkdirSync(copy);
  for (const part of [
    'src',
    'adapters',
    'tools',
    'run.mjs',
    'package.json',
    'data/tools.json',
    'data/ground_truth.jsonl',
  ])
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir');
  writeFileSync(join(copy, 'data/ground_truth.jsonl'), renamed);
  const commands = [
    [],
    ['validate'],
    ['validate', 'data/ground_truth.jsonl'],
    ['explain', 'exact', 'slack/user_task_0'],
    ['probe', 'exact'],
    ['runs', '--list'],
  ];
  const ended = await Promise.all(commands.map((args) => toolgate(args, { cwd: copy, run: join(copy, 'run.mjs') })));
  for (const [index, { status, stdout, stderr }] of ended.entries()) {
    assert.equal(status, 2, commands[index]!.join(' '));
    assert.equal(stdout, '');
    assert.match(stderr, /data\/ground_truth\.jsonl:1: \$\.id: .* the bench measures on "agentdojo" alone/);
  }
});
