import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, ENGINES, loadGate, policyOf, skipEngines } from './engines-support.ts';

const send = (...targets: readonly string[]) => call('send', 'message', targets);

for (const { name } of ENGINES) {
  test(`${name} keeps sessions and policies apart when they take turns`, { skip: skipEngines }, async () => {
    const gate = await loadGate(name);
    const policies = ['a', 'b'].map((target) =>
      policyOf('limits', [{ effect: 'message', type: 'send', targets: [target], maxCalls: 2 }]),
    );
    const sessions = await Promise.all([...policies, ...policies].map(async (policy) => gate.createSession(policy)));
    const seen: boolean[][] = [];
    for (const target of ['a', 'b', 'a', 'b', 'a', 'b']) {
      const turn = await Promise.all(sessions.map(async (session) => session.check(send(target))));
      seen.push(turn.map(({ allowed }) => allowed));
    }
    const [forA, forB, spent] = [[true, false, true, false], [false, true, false, true], Array(4).fill(false)];
    assert.deepEqual(seen, [forA, forB, forA, forB, spent, spent]);
  });

  test(`${name} counts right when the checks of a session overlap`, { skip: skipEngines }, async () => {
    const rule = { effect: 'message', type: 'send', targets: ['a'], maxCalls: 3 } as const;
    const session = await (await loadGate(name)).createSession(policyOf('limits', [rule]));
    const checks = Array.from({ length: 10 }, async () => session.check(send('a')));
    assert.equal((await Promise.all(checks)).filter(({ allowed }) => allowed).length, 3);
  });

  test(`${name} still knows a policy after a thousand others`, { skip: skipEngines }, async () => {
    const gate = await loadGate(name);
    const policies = Array.from({ length: 1000 }, (_, index) =>
      policyOf('target', [{ effect: 'message', type: 'send', targets: [`user ${index}`] }]),
    );
    for (const round of [1, 2]) {
      for (const [index, policy] of policies.entries()) {
        const session = await gate.createSession(policy);
        const own = await session.check(send(`user ${index}`));
        const other = await session.check(send(`user ${index + 1}`));
        assert.deepEqual([own.allowed, other.allowed], [true, false], `round ${round}, policy ${index}`);
      }
    }
  });
}
