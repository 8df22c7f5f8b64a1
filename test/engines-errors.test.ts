import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, type Decide, loadAdapter, policyOf, skipEngines, verdicts } from './engines-support.ts';

/** Answers that are no decision, and what becomes of them. */
const CASES: readonly (readonly [adapter: string, answer: unknown, message: RegExp])[] = [
  ['cedar', { type: 'failure', errors: [{ message: 'no such set' }] }, /^Cedar could not decide: no such set$/],
  [
    'cedar',
    { type: 'success', response: { decision: 'allow', diagnostics: { errors: [{ error: { message: 'overflow' } }] } } },
    /^Cedar skipped a policy: overflow$/,
  ],
  ['opa', [], /^OPA could not decide: the policy came to no result$/],
  ['opa', [{ result: 'true' }], /^OPA could not decide: the policy came to no result$/],
];

for (const [name, answer, message] of CASES) {
  test(`${name}: ${JSON.stringify(answer)} is an error`, { skip: skipEngines }, async () => {
    const decide: Decide = () => answer;
    const gate = (await loadAdapter(name)).createGate({ decide });
    await assert.rejects(verdicts(gate, policyOf('effect', [{ effect: 'read' }]), [call('x', 'read')]), { message });
  });
}
