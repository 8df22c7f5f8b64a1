import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Action, type Clause, CLAUSES, type PolicySpec } from '../src/types.ts';
import { call, ENGINES, loadAdapter, policyOf, skipEngines, verdicts } from './engines-support.ts';

/** After `before`, all of it permitted, `permitted` is permitted, and `refused` only lacks what the clause asks for. */
interface ClauseCase {
  readonly clause: Clause;
  readonly policy: PolicySpec;
  readonly before: readonly Action[];
  readonly permitted: Action;
  readonly refused: Action;
}

const send = (...targets: readonly string[]): Action => call('send', 'message', targets);
const search = call('search', 'read');
const sendTwo = { effect: 'message', type: 'send', targets: ['a@x.com', 'b@x.com'] } as const;
const origin = policyOf('origin', [{ effect: 'message', origins: ['user'] }]);

const CASES: readonly ClauseCase[] = [
  {
    clause: 'effect',
    policy: policyOf('effect', [{ effect: 'message' }]),
    before: [],
    permitted: send('a@x.com'),
    refused: call('send', 'write', ['a@x.com']),
  },
  {
    clause: 'tool',
    policy: policyOf('tool', [{ effect: 'message', type: 'send' }]),
    before: [],
    permitted: send('a@x.com'),
    refused: call('forward', 'message', ['a@x.com']),
  },
  {
    clause: 'target',
    policy: policyOf('target', [sendTwo]),
    before: [],
    permitted: send('a@x.com', 'b@x.com'),
    refused: send('a@x.com', 'c@x.com'),
  },
  {
    clause: 'target',
    policy: policyOf('target', [{ effect: 'message', type: 'send', targets: [] }]),
    before: [],
    permitted: send(),
    refused: send('a@x.com'),
  },
  {
    clause: 'limits',
    policy: policyOf('limits', [
      { ...sendTwo, maxCalls: 2 },
      { effect: 'message', type: 'forward', maxCalls: 0 },
    ]),
    before: [send('a@x.com')],
    permitted: send('b@x.com'),
    refused: call('forward', 'message', ['b@x.com']),
  },
  {
    clause: 'limits',
    policy: policyOf('limits', [
      { ...sendTwo, maxCalls: 2 },
      { effect: 'read', type: 'search', maxCalls: 1 },
    ]),
    before: [send('a@x.com'), send('a@x.com')],
    permitted: search,
    refused: send('a@x.com'),
  },
  {
    clause: 'limits',
    policy: policyOf('limits', [sendTwo, { effect: 'read', type: 'search' }], {
      untrustedSources: ['search'],
      egressAfterUntrusted: 1,
    }),
    before: [send('a@x.com'), search, send('a@x.com')],
    permitted: search,
    refused: send('a@x.com'),
  },
  {
    clause: 'origin',
    policy: origin,
    before: [],
    permitted: call('send', 'message', ['a@x.com', 'b@x.com'], ['user', 'user']),
    refused: call('send', 'message', ['a@x.com', 'b@x.com'], ['user', 'tool']),
  },
  {
    clause: 'origin',
    policy: origin,
    before: [],
    permitted: call('send', 'message', ['a@x.com'], ['user']),
    refused: call('send', 'message', ['a@x.com'], ['model']),
  },
];

const last = (allowed: readonly boolean[]): boolean => allowed.at(-1)!;

for (const { name, yes, no } of ENGINES) {
  test(`${name}: what it says is native is decided by the engine`, { skip: skipEngines }, async () => {
    const { default: gate, createGate } = await loadAdapter(name);
    const [always, never] = [createGate({ decide: yes }), createGate({ decide: no })];
    assert.deepEqual(Object.keys(gate.clauses!).toSorted(), [...CLAUSES].toSorted());

    for (const { clause, policy, before, permitted, refused } of CASES) {
      const native = gate.clauses![clause] === 'native';
      const about = `${clause}: ${JSON.stringify(policy.rules)}`;
      assert.equal(last(await verdicts(gate, policy, [...before, refused])), false, `refused, ${about}`);
      assert.equal(last(await verdicts(always, policy, [...before, refused])), native, `always yes, ${about}`);
      assert.ok(!(await verdicts(never, policy, [...before, permitted])).includes(true), `always no, ${about}`);
      assert.ok(!(await verdicts(gate, policy, [...before, permitted])).includes(false), `permitted, ${about}`);
    }
  });
}
