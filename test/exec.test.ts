import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { openExecGate } from '../src/exec/exec-gate.ts';
import { isMeasured, type Report } from '../src/report.ts';
import { startToolgate, toolgate } from './command.ts';
import { call, policyOf } from './engines-support.ts';

const odd = (how: string): string => `${JSON.stringify(process.execPath)} test/fixtures/exec/odd.mjs ${how}`;

async function measure(commands: readonly string[], ...options: string[]) {
  const args = commands.flatMap((command) => ['--exec', command]);
  const ended = await toolgate([...args, '--resamples', '0', '--format', 'json', '--suite', 'banking', ...options]);
  const report = JSON.parse(ended.stdout) as Report;
  const tiers = (name: string) =>
    report.gates
      .find((gate) => gate.name === name)!
      .tiers.filter(isMeasured)
      .map(({ tier, attacksStopped, errors, firstError }) => ({ tier, k: attacksStopped.k, errors, firstError }));
  return { ...ended, report, tiers };
}

test('a Python gate decides as the reference does', async () => {
  const { stdout, status } = await toolgate([
    'exact',
    '--exec',
    'python3 examples/python/exact_gate.py',
    '--format',
    'json',
    '--resamples',
    '0',
    '--tier',
    'effect,tool,target',
  ]);
  assert.equal(status, 0);
  const { gates } = JSON.parse(stdout) as Report;
  const bits = (name: string) =>
    gates.find((gate) => gate.name === name)!.tiers.map((tier) => isMeasured(tier) && tier.outcomes);
  assert.deepEqual(bits('exact-python'), bits('exact'));
});

test('a command that goes wrong costs the tier under way, says why, and is started anew', async () => {
  const expected: Record<string, RegExp> = {
    dies: /^the command ended with status 7; its last words: about to go wrong$/,
    prose: /^wrote a line that is no JSON: "hello there"; its last words/,
    twice: /^answered request \d+ twice/,
    unknown: /^answered request 99999999, which nobody made/,
    below: /^answered request -1, which nobody made/,
    floods: /^wrote a line without an end/,
    hangs: /^check was not answered within 500 ms/,
  };
  const { status, tiers, stderr } = await measure(Object.keys(expected).map(odd), '--timeout', '500');
  assert.equal(status, 1);
  assert.match(stderr, /^\[.*odd\.mjs dies\] about to go wrong$/m);
  for (const [how, message] of Object.entries(expected)) {
    const [effect, tool] = tiers(`odd-${how}`);
    assert.deepEqual(effect, { tier: 'effect', k: 0, errors: 0, firstError: null }, how);
    assert.equal(tool?.k, null, how);
    assert.equal(tool?.errors, 1, how);
    assert.match(tool?.firstError ?? '', message, how);
  }
});

test('a long line on standard error is passed on whole, and cut in the report', async () => {
  const { tiers, stderr } = await measure([odd('rambles')]);
  assert.match(tiers('odd-rambles')[1]?.firstError ?? '', /: about to go wrong \| z{297}\.\.\.$/);
  assert.match(stderr, /^\[.*\] z{200000}$/m);
});

test('errors of a check void their sessions and end nothing', async () => {
  const { status, tiers } = await measure([odd('error'), odd('malformed')]);
  assert.equal(status, 1);
  for (const [how, message] of [
    ['error', /: not today$/],
    ['malformed', /: answered "allowed": yes, expected true or false$/],
  ] as const) {
    const [effect, tool] = tiers(`odd-${how}`);
    assert.equal(effect?.k, 0);
    assert.equal(tool?.k, null);
    assert.ok(tool.errors > 100);
    assert.match(tool.firstError ?? '', message);
  }
});

test('answers may come in any order', async () => {
  const { status, tiers } = await measure([odd('shuffle')]);
  assert.equal(status, 0);
  assert.deepEqual(
    tiers('odd-shuffle').map(({ k, errors }) => [k, errors]),
    [
      [0, 0],
      [0, 0],
    ],
  );
});

test('a request that waits for others to be answered is not late', async () => {
  const { status, tiers } = await measure([odd('slow')], '--concurrency', '1000', '--timeout', '400');
  assert.deepEqual([status, tiers('odd-slow').map(({ errors }) => errors)], [0, [0, 0]]);
});

test('a command that cannot be started is one line and exit status 2', async () => {
  const { status, stderr } = await measure(['no-such-command-here', 'exit 3', 'echo what']);
  assert.equal(status, 2);
  assert.match(
    stderr,
    /^toolgate-bench: --exec no-such-command-here: the command ended with status 127; its last words/m,
  );
  assert.match(stderr, /^toolgate-bench: --exec exit 3: the command ended with status 3$/m);
  assert.match(stderr, /^toolgate-bench: --exec echo what: wrote a line that is no JSON: "what"$/m);
});

const hello = (members: object): string =>
  `${JSON.stringify(process.execPath)} test/fixtures/exec/hello.mjs '${JSON.stringify(members)}'`;

test('a hello names the engine and who decides which clause', async () => {
  const engine = { name: 'lib', version: '1.2.3' };
  const clauses = { effect: 'native', tool: 'adapter' };
  const { status, report } = await measure([hello({ name: 'x', tiers: ['tool', 'effect'], engine, clauses })]);
  assert.equal(status, 0);
  const { tiers, ...gate } = report.gates.at(-1)!;
  assert.deepEqual([gate.engine, gate.clauses], [engine, clauses]);
  assert.deepEqual(
    tiers.filter(isMeasured).map(({ tier }) => tier),
    ['effect', 'tool'],
  );
});

test('a hello that does not fit is one line and exit status 2', async () => {
  const said: readonly (readonly [members: object, fault: RegExp])[] = [
    [{}, /said hello without a name$/m],
    [{ name: ' ' }, /said hello without a name$/m],
    [{ name: 'x', protocol: 2 }, /speaks protocol 2, the bench speaks 1$/m],
    [{ name: 'x', tiers: [] }, /said hello with tiers \[\]; they are among effect, /m],
    [{ name: 'x', tiers: 'tool' }, /said hello with tiers "tool"; /m],
    [{ name: 'x', engine: { name: 'y' } }, /said hello with an engine that has no name and version, both texts: /m],
    [{ name: 'x', engine: null }, /said hello with an engine that has no name and version, both texts: null$/m],
    [{ name: 'x', clauses: { tool: 'yes' } }, /said hello with clauses \{"tool":"yes"\}; they say "native" or /m],
    [{ name: 'x', clauses: ['tool'] }, /said hello with clauses \["tool"\]; /m],
    [{ name: 'x', clauses: { colour: 'native' } }, /said hello with clauses \{"colour":"native"\}; /m],
  ];
  const { status, stderr } = await measure(said.map(([members]) => hello(members)));
  assert.equal(status, 2);
  const lines = stderr.split('\n').filter((line) => line.startsWith('toolgate-bench: '));
  assert.equal(lines.length, said.length);
  for (const [index, [, fault]] of said.entries()) assert.match(lines[index]!, fault);
});

test('a command that floods its output with lines, or has the name of another, is one line and exit status 2', async () => {
  const { status, stderr } = await measure(['yes', hello({ name: 'twin' }), `${hello({ name: 'twin' })} again`]);
  assert.equal(status, 2);
  assert.match(stderr, /^toolgate-bench: --exec yes: wrote a line that is no JSON: "y"$/m);
  assert.match(stderr, /: the name "twin" is used twice, and .* keeps it; give this gate another$/m);
});

const processes = (mark: string): string =>
  execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(mark) && !line.includes('run.mjs'))
    .join('\n');

test('time in which the bench itself is held up is not held against a command', async () => {
  const options = { limits: { timeoutMs: 300, memoryMb: 512 }, onOutput: () => {} };
  const gate = await openExecGate(hello({ name: 'quick' }), options);
  const session = await gate.session(policyOf('effect', [{ effect: 'read' }]));
  const asked = session.check(call('look', 'read'));
  // The request has left, and the answer comes while nobody looks.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  assert.deepEqual((await asked).verdict, 'allow');
  await gate.close();
});

test('a command that is interrupted before it says hello is ended', async () => {
  const options = { limits: { timeoutMs: 1000, memoryMb: 512 }, onOutput: () => {}, signal: AbortSignal.abort() };
  await assert.rejects(openExecGate('sleep 4713', options), { code: 'gate', message: /: interrupted$/ });
  assert.equal(processes('sleep 4713'), '');
});

test(
  'a command is ended with its children, at the end and when interrupted',
  { skip: process.platform === 'win32' && 'needs ps' },
  async () => {
    await measure([`sleep 4711 & ${odd('deaf')}`]);
    assert.equal(processes('sleep 4711'), '');
    const { child, ended } = startToolgate([
      '--exec',
      `sleep 4712 & ${odd('hangs')}`,
      '--timeout',
      '60000',
      '--resamples',
      '0',
    ]);
    child.stderr!.once('data', () => setTimeout(() => child.kill('SIGINT'), 1000));
    const { status, stdout } = await ended;
    assert.equal(status, 130);
    assert.match(stdout, /interrupted/);
    assert.equal(processes('sleep 4712'), '');
  },
);

test(
  'a command that dies is noticed though a child of it lives on',
  { skip: process.platform === 'win32' && 'needs ps' },
  async () => {
    const { tiers } = await measure([`sleep 4714 & ${odd('dies')}`], '--timeout', '20000');
    assert.match(tiers('odd-dies')[1]?.firstError ?? '', /^the command ended with status 7; /);
    assert.equal(processes('sleep 4714'), '');
  },
);

test(
  'a process that left the group of its command does not keep the bench waiting',
  { skip: process.platform !== 'linux' && 'needs setsid' },
  async () => {
    const { status } = await measure([`setsid sleep 30.4715 & ${odd('slow')}`]);
    assert.equal(status, 0);
    assert.match(processes('sleep 30.4715'), /^sleep/);
  },
);
