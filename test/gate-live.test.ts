import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openGate, type OpenGate } from '../src/gate.ts';
import { openExecGate } from '../src/exec/exec-gate.ts';
import type { Action, PolicySpec } from '../src/types.ts';

const work = mkdtempSync(join(tmpdir(), 'toolgate-live-'));
after(() => rmSync(work, { recursive: true }));
const OPTIONS = { limits: { timeoutMs: 300, memoryMb: 128 }, onOutput: () => {} };
const POLICY: PolicySpec = { version: 1, tier: 'limits', rules: [{ effect: 'read', type: 'look', maxCalls: 2 }] };
const look: Action = { type: 'look', effect: 'read', targets: [] };
const named = (type: string): Action => ({ type, effect: 'read', targets: [] });
let files = 0;

async function gateOf(createSession: string): Promise<OpenGate> {
  const file = join(work, `gate-${++files}.mjs`);
  writeFileSync(file, `export default { name: 'g', createSession: ${createSession} };`);
  return openGate(pathToFileURL(file), file, OPTIONS);
}

test('sessions keep their own counts, however their checks interleave', async () => {
  const gate = await openGate(new URL('../adapters/exact.mjs', import.meta.url), 'exact', OPTIONS);
  const [one, other] = await Promise.all([gate.session(POLICY), gate.session(POLICY)]);
  const asked = [one, other, one, one, other, other].map((session) => session.check(look));
  const verdicts = (await Promise.all(asked)).map(({ verdict }) => verdict);
  assert.deepEqual(verdicts, ['allow', 'allow', 'allow', 'deny', 'allow', 'deny']);
  assert.match((await one.check(look)).note ?? '', /2 calls/);
  assert.equal(await one.close(), null);
  await gate.close();
});

test('what a gate does wrong in a session is an error of that check, with its reason', async () => {
  const gate = await gateOf(`() => ({
    check(action) {
      if (action.type === 'throws') throw new Error('boom');
      if (action.type === 'nothing') return undefined;
      if (action.type === 'writes') action.type = 'x';
      if (action.type === 'later') return Promise.resolve({ allowed: false, reason: 'no\\nway' });
      return { allowed: true };
    },
    close() { throw new Error('stuck'); },
  })`);
  const session = await gate.session(POLICY);
  assert.deepEqual(await session.check(named('throws')), { verdict: 'error', note: 'Error: boom' });
  assert.match((await session.check(named('nothing'))).note ?? '', /allowed: true/);
  assert.equal((await session.check(named('writes'))).verdict, 'error', 'actions are frozen');
  assert.deepEqual(await session.check(named('later')), { verdict: 'deny', note: 'no way' });
  assert.deepEqual(await session.check(named('plain')), { verdict: 'allow', note: null });
  assert.match((await session.close()) ?? '', /close: Error: stuck/);
  await gate.close();
});

test('a session that cannot be opened says why at every check', async () => {
  const gate = await gateOf(`() => { throw new Error('no room'); }`);
  const session = await gate.session(POLICY);
  assert.deepEqual(await session.check(look), { verdict: 'error', note: 'createSession: Error: no room' });
  assert.equal(await session.close(), null);
  await gate.close();
});

for (const [what, act, message] of [
  ['hangs', 'new Promise(() => {})', /did not answer within 300 ms/],
  ['loops', '(() => { for (;;); })()', /did not answer within 300 ms/],
  ['ends its thread', 'process.exit(3)', /ended its thread/],
] as const) {
  test(`a gate that ${what} costs its sessions, not those that are opened later`, async () => {
    const gate = await gateOf(`() => ({ check: (action) => (action.type === 'bad' ? ${act} : { allowed: true }) })`);
    const session = await gate.session(POLICY);
    assert.equal((await session.check(look)).verdict, 'allow');
    const bad = await session.check(named('bad'));
    assert.equal(bad.verdict, 'error');
    assert.match(bad.note ?? '', message);
    assert.equal((await session.check(look)).verdict, 'error');
    const later = await Promise.all(Array.from({ length: 5 }, () => gate.session(POLICY)));
    for (const next of later) assert.equal((await next.check(look)).verdict, 'allow');
    await gate.close();
  });
}

test('a command that speaks the line protocol is asked call by call', async () => {
  const file = join(work, 'command.mjs');
  writeFileSync(
    file,
    `import { createInterface } from 'node:readline';
    const seen = new Map();
    for await (const line of createInterface({ input: process.stdin })) {
      const { id, type, session, action } = JSON.parse(line);
      const answer = { id };
      if (type === 'hello') Object.assign(answer, { name: 'command', protocol: 1 });
      if (type === 'check') {
        seen.set(session, (seen.get(session) ?? 0) + 1);
        if (action.type === 'bad') process.exit(4);
        Object.assign(answer, { allowed: seen.get(session) < 2, reason: 'call ' + seen.get(session) });
      }
      console.log(JSON.stringify(answer));
    }`,
  );
  const gate = await openExecGate(`${process.execPath} ${file}`, {
    ...OPTIONS,
    limits: { timeoutMs: 5000, memoryMb: 128 },
  });
  const [one, other] = [await gate.session(POLICY), await gate.session(POLICY)];
  assert.deepEqual(await one.check(look), { verdict: 'allow', note: 'call 1' });
  assert.deepEqual(await one.check(look), { verdict: 'deny', note: 'call 2' });
  assert.deepEqual(await other.check(look), { verdict: 'allow', note: 'call 1' });
  assert.equal((await other.check(named('bad'))).verdict, 'error');
  const later = await Promise.all(Array.from({ length: 5 }, () => gate.session(POLICY)));
  for (const next of later) assert.deepEqual(await next.check(look), { verdict: 'allow', note: 'call 1' });
  await gate.close();
});
