import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { isMeasured, type Report } from '../src/report.ts';
import { ROOT, toolgate } from './command.ts';
import { call, loadGate, policyOf, verdicts } from './engines-support.ts';

let server: ChildProcess;
let address: string;
before(async () => {
  server = spawn(process.execPath, ['test/fixtures/authzen/server.mjs'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(server.stdout!, 'data')) as [Buffer];
  address = String(line).trim();
});
after(() => server.kill());

const HEADERS = '{"x-token": "sesame"}';
async function ask(env: Record<string, string>, ...args: string[]) {
  const options = [
    '--suite',
    'banking',
    '--resamples',
    '0',
    '--format',
    'json',
    '--concurrency',
    '16',
    '--timeout',
    '20000',
  ];
  const ended = await toolgate([...args, ...options], { cwd: ROOT, env: { ...process.env, ...env } });
  return { ...ended, gates: (JSON.parse(ended.stdout) as Report).gates };
}

test('a decision point over HTTP decides as the reference does, at every tier', async () => {
  const { status, gates } = await ask({ AUTHZEN_URL: `${address}/`, AUTHZEN_HEADERS: HEADERS }, 'exact', 'authzen');
  assert.equal(status, 0);
  const outcomes = (name: string) =>
    gates.find((gate) => gate.name === name)!.tiers.map((tier) => isMeasured(tier) && tier.outcomes);
  assert.deepEqual(outcomes('authzen'), outcomes('exact'));
  assert.equal(outcomes('authzen').length, 5);
});

test('every clause is left to the decision point, and two rules share no action between them', async () => {
  Object.assign(process.env, { AUTHZEN_URL: address, AUTHZEN_HEADERS: HEADERS });
  const gate = await loadGate('authzen').finally(() => {
    delete process.env['AUTHZEN_URL'];
    delete process.env['AUTHZEN_HEADERS'];
  });
  assert.deepEqual(new Set(Object.values(gate.clauses!)), new Set(['native']));
  const rule = (target: string) => ({ effect: 'message', type: 'send', targets: [target] }) as const;
  const actions = [['a'], ['b'], ['a', 'b'], ['b', 'b'], []].map((targets) => call('send', 'message', targets));
  const policy = policyOf('target', [rule('a'), rule('b')]);
  assert.deepEqual(await verdicts(gate, policy, actions), [true, true, false, true, false]);
  assert.deepEqual(await verdicts(gate, policyOf('target', []), actions.slice(0, 1)), [false]);
});

test('an answer that is none is a gate error', async () => {
  const firstError = async (env: Record<string, string>): Promise<string | null> => {
    const { status, gates } = await ask(env, 'authzen', '--tier', 'effect');
    assert.equal(status, 1);
    const tier = gates.at(-1)!.tiers.find(isMeasured)!;
    assert.equal(tier.attacksStopped.k, null);
    return tier.firstError;
  };
  assert.match((await firstError({ AUTHZEN_URL: address })) ?? '', /answered 401: who are you\?$/);
  assert.match(
    (await firstError({ AUTHZEN_URL: `${address}/other`, AUTHZEN_HEADERS: HEADERS })) ?? '',
    /answered 404: no$/,
  );
  assert.match(
    (await firstError({ AUTHZEN_URL: `${address}/mute`, AUTHZEN_HEADERS: HEADERS })) ?? '',
    /answered without a decision: \{"decision": "yes"\}$/,
  );
  assert.match((await firstError({ AUTHZEN_URL: 'http://127.0.0.1:9' })) ?? '', /cannot be reached \(/);
});

test('what is missing or wrong in the environment is one line', async () => {
  const fault = async (env: Record<string, string>): Promise<string> => {
    const { status, stderr } = await ask(env, 'authzen', '--tier', 'effect');
    assert.equal(status, 2);
    return stderr;
  };
  assert.match(await fault({ AUTHZEN_URL: '' }), /^toolgate-bench: authzen: set AUTHZEN_URL to the address/);
  for (const url of ['nowhere', 'ftp://x', 'http://me:word@x', 'http://x/a?b', 'http://x#c']) {
    const line = `toolgate-bench: authzen: AUTHZEN_URL is no address: "${url}"`;
    assert.ok((await fault({ AUTHZEN_URL: url })).split('\n').includes(line), url);
  }
  assert.match(
    await fault({ AUTHZEN_URL: address, AUTHZEN_HEADERS: '[' }),
    /^toolgate-bench: authzen: AUTHZEN_HEADERS is no JSON object/m,
  );
});
