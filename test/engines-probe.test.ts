import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { ProbeRun } from '../src/probe/run-report.ts';
import { GATES } from '../tools/results/gates.ts';
import { type GateRow, probeRow } from '../tools/results/measure.ts';
import { ROOT, toolgate } from './command.ts';
import { ENGINES } from './engines-support.ts';
import { skipGate } from './gates-support.ts';

const published = JSON.parse(readFileSync(`${ROOT}docs/results.json`, 'utf8')) as readonly GateRow[];
const faultless = new Set([
  ...ENGINES.map(({ name }) => name),
  'action-guardrail',
  'agent-action-policy',
  'agent-airlock',
]);
const probed = GATES.filter(({ kind }) => kind !== 'bench');

for (const gate of probed) {
  test(`the probe finds in ${gate.name} what is published, and nothing else`, { skip: skipGate(gate) }, async () => {
    const args = ['probe', ...gate.args, '--seed', '1', '--format', 'json', '--quiet', '--timeout', '10000'];
    const { status, stdout, stderr } = await toolgate(args);
    assert.equal(status, faultless.has(gate.name) ? 0 : 1, stderr);
    const { gates } = JSON.parse(stdout) as ProbeRun;
    const before = published.find(({ name }) => name === gate.name)!;
    assert.ok(
      isDeepStrictEqual(probeRow(gates[0]!.probe!), before.probe),
      `found ${JSON.stringify(probeRow(gates[0]!.probe!))}; published by: npm run results -- --probes ${gate.name}`,
    );
  });
}

test('what a probe found is a limit of the gate, and its source is named', () => {
  for (const { name, source, note } of probed) {
    assert.equal(faultless.has(name), source === undefined, name);
    if (source !== undefined) assert.ok(note !== undefined && URL.canParse(source), name);
  }
});
