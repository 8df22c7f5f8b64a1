import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openExecGate } from '../src/exec/exec-gate.ts';
import { isMeasured, type Report } from '../src/report.ts';
import type { RunsReport } from '../src/runs/report.ts';
import type { PolicySpec } from '../src/types.ts';
import type { GateRow } from '../tools/results/measure.ts';
import { ROOT, toolgate } from './command.ts';
import { call, policyOf } from './engines-support.ts';
import { PYTHON_GATES, skipPython, skipPythonAgain } from './gates-support.ts';

/** Those that take the policy spec as it is, at the tiers that they offer. */
const EXACT = PYTHON_GATES.filter(({ name }) =>
  ['action-guardrail', 'agent-action-policy', 'agent-airlock'].includes(name),
);

async function json<T>(args: readonly string[]): Promise<T> {
  const ended = await toolgate([...args, '--format', 'json', '--resamples', '0', '--quiet', '--timeout', '10000']);
  assert.equal(ended.status, 0, ended.stderr);
  return JSON.parse(ended.stdout) as T;
}

for (const { name, args, missing } of EXACT) {
  test(`${name} decides as the reference gate does on the ground truth`, { skip: skipPythonAgain }, async () => {
    const { gates } = await json<Report>(['exact', ...args]);
    const [exact, other] = gates.slice(-2);
    assert.deepEqual([exact!.name, other!.name], ['exact', name]);
    for (const [index, tier] of other!.tiers.entries()) {
      assert.equal(isMeasured(tier), missing[tier.tier] === undefined, tier.tier);
      if (!isMeasured(tier)) continue;
      const reference = exact!.tiers[index]!;
      assert.ok(isMeasured(reference));
      assert.deepEqual(tier.outcomes, reference.outcomes, tier.tier);
    }
  });

  test(`${name} decides as the reference gate does on a recorded pipeline`, { skip: skipPythonAgain }, async () => {
    const pipeline = ['--pipeline', 'gpt-4o-mini-2024-07-18', '--suite', 'slack,banking'];
    const { gates } = await json<RunsReport>(['runs', 'exact', ...args, ...pipeline]);
    const [exact, other] = gates.slice(-2);
    for (const [index, tier] of other!.tiers.entries()) {
      if (!isMeasured(tier)) continue;
      const reference = exact!.tiers[index]!;
      assert.ok(isMeasured(reference));
      assert.deepEqual(tier.pipelines, reference.pipelines, tier.tier);
    }
  });
}

/** Asks a running command about actions with one target each, in one session. */
async function permitted(args: readonly string[], policy: PolicySpec, targets: readonly string[]): Promise<string[]> {
  const limits = { timeoutMs: 30_000, memoryMb: 512 };
  const gate = await openExecGate(args.at(-1)!, { limits, onOutput: () => {} });
  try {
    const session = await gate.session(policy);
    const allowed: string[] = [];
    for (const target of targets) {
      const { verdict, note } = await session.check(call('save', 'write', [target]));
      assert.notEqual(verdict, 'error', note ?? '');
      if (verdict === 'allow') allowed.push(target);
    }
    await session.close();
    return allowed;
  } finally {
    await gate.close();
  }
}

/** The first and last character of every plane, and those beside the surrogates. */
const EDGES = [
  ...Array.from({ length: 17 }, (_, plane) => [plane * 0x1_00_00, plane * 0x1_00_00 + 0xff_ff]).flat(),
  0x0a,
  0x0d,
  0x85,
  0x20_28,
  0xd7_ff,
  0xe0_00,
  0xff_fd,
].map((code) => String.fromCodePoint(code));
const HALVES = ['\uD800', '\uDBFF', '\uDC00', '\uDFFF'];

for (const { name, args } of EXACT) {
  test(`${name} takes the characters at the edges of the planes for themselves`, { skip: skipPython }, async () => {
    const found: string[][] = [];
    for (const half of [EDGES.filter((_, index) => index % 2 === 0), EDGES.filter((_, index) => index % 2 === 1)]) {
      const policy = policyOf('target', [{ effect: 'write', type: 'save', targets: half }]);
      const allowed = await permitted(args, policy, [...EDGES, ...EDGES.map((edge) => `${edge}a`), ...HALVES]);
      assert.deepEqual(allowed, half);
      found.push(allowed);
    }
    assert.equal(found.flat().length, EDGES.length);
  });

  test(`${name} finds one target among 10,000`, { skip: skipPython }, async () => {
    const targets = Array.from({ length: 10_000 }, (_, index) => `user${index}@example.com`);
    const policy = policyOf('target', [{ effect: 'write', type: 'save', targets }]);
    const asked = ['user9999@example.com', 'user10000@example.com', 'user0@example.com', 'user0@example_com'];
    assert.deepEqual(await permitted(args, policy, asked), [asked[0], asked[2]]);
  });
}

test(
  'a rule that lists no origin, or wants an origin and no target, permits nothing',
  { skip: skipPython },
  async () => {
    const rules = [
      { effect: 'write', type: 'save', origins: [] },
      { effect: 'write', type: 'save', targets: [], origins: ['user'] },
      { effect: 'write', type: 'save', targets: [], origins: [] },
    ] as const;
    const options = { limits: { timeoutMs: 10_000, memoryMb: 512 }, onOutput: () => {} };
    for (const { name, args } of EXACT) {
      const gate = await openExecGate(args[1]!, options);
      try {
        const session = await gate.session(policyOf('origin', rules));
        for (const [targets, origins] of [
          [[], []],
          [['a'], ['user']],
        ] as const) {
          const action = { ...call('save', 'write', targets), origins };
          assert.equal((await session.check(action)).verdict, 'deny', `${name}, ${targets.length} targets`);
        }
      } finally {
        await gate.close();
      }
    }
  },
);

test('halves of surrogate pairs reach a command as they are', { skip: skipPython }, async () => {
  const policy = policyOf('target', [{ effect: 'write', type: 'save', targets: HALVES }]);
  for (const { name, args } of EXACT) {
    const found = permitted(args, policy, [...HALVES, '\uFFFD']);
    // Pydantic takes no literal that UTF-8 cannot hold: the call is an error, and not allowed.
    if (name === 'agent-airlock') await assert.rejects(found, /SchemaError/);
    else assert.deepEqual(await found, HALVES, name);
  }
});

test('what the gates say is native is decided by the library', { skip: skipPython }, async () => {
  const { stdout } = await promisify(execFile)('uv', ['run', '--quiet', 'test/fixtures/exec/native.py'], { cwd: ROOT });
  const found = JSON.parse(stdout) as Record<string, Record<string, { own: string[]; yes: string[]; no: string[] }>>;
  assert.deepEqual(
    Object.keys(found),
    PYTHON_GATES.map(({ name }) => name),
  );
  const published = JSON.parse(readFileSync(`${ROOT}docs/results.json`, 'utf8')) as readonly GateRow[];
  for (const [name, clauses] of Object.entries(found)) {
    assert.deepEqual(Object.keys(clauses), published.find((row) => row.name === name)!.native);
    for (const [clause, { own, yes, no }] of Object.entries(clauses)) {
      assert.deepEqual(own, ['permitted'], `${name}, ${clause}`);
      assert.deepEqual(yes, ['permitted', 'refused'], `${name}, ${clause}, always yes`);
      assert.deepEqual(no, [], `${name}, ${clause}, always no`);
    }
  }
});
