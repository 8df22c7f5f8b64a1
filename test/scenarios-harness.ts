import { fileURLToPath } from 'node:url';
import type { CaseRecord } from '../src/scenarios/caseRecord.ts';
import { loadStack, type Stack } from '../src/scenarios/defenses/index.ts';
import { loadScenarios } from '../src/scenarios/load.ts';
import { planCases, runCases, type RunOptions } from '../src/scenarios/run.ts';
import type { AnyTarget } from '../src/scenarios/course.ts';
import type { Target } from '../src/scenarios/target.ts';
import { careful, naive, paranoid, type ReferenceTarget } from '../src/scenarios/targets/reference.ts';
import type { Scenario } from '../src/scenarios/types.ts';
import { cannedWorld } from '../src/scenarios/world.ts';

export const SCENARIOS: readonly Scenario[] = loadScenarios(
  fileURLToPath(new URL('../data/scenarios.jsonl', import.meta.url)),
);

const reference = (target: ReferenceTarget): AnyTarget => ({ kind: 'reference', name: target.name, target });
export const NAIVE: AnyTarget = reference(naive);
export const CAREFUL: AnyTarget = reference(careful);
export const PARANOID: AnyTarget = reference(paranoid);

/** A target of the test's own. */
export const targetOf = (act: Target['run'], name = 'test'): AnyTarget => ({
  kind: 'target',
  name,
  target: { name, run: act },
});

export function stack(name: string): Promise<Stack> {
  const thread = { limits: { timeoutMs: 2000, memoryMb: 256 }, onOutput: () => {} };
  return loadStack(name, { cwd: process.cwd(), thread });
}

const OPTIONS: Omit<RunOptions, 'onLine'> = {
  world: cannedWorld,
  seed: 1,
  concurrency: 1,
  turnMs: 60_000,
  signal: new AbortController().signal,
  now: () => new Date(0),
  corpus: 'c0ffee',
  version: '0.0.0',
  commit: null,
  requested: { seed: 1 },
  finished: new Map(),
};

/** Runs scenarios against a target behind a stack; every case is a record. */
export async function run(
  target: AnyTarget,
  defense: string,
  scenarios: readonly Scenario[] = SCENARIOS,
  options: Partial<RunOptions> & { readonly repeat?: number } = {},
): Promise<CaseRecord[]> {
  const loaded = await stack(defense);
  try {
    const cases = planCases(scenarios, [target], [loaded], options.repeat ?? 1);
    return await runCases(cases, { ...OPTIONS, onLine: () => {}, ...options });
  } finally {
    for (const one of loaded.defenses) await one.close?.();
  }
}

/** The ids of the attacks that succeeded. */
export const compromised = (records: readonly CaseRecord[]): string[] =>
  records.filter(({ outcome }) => outcome === 'compromised').map(({ key }) => key.scenario);

export const controls = (records: readonly CaseRecord[]): CaseRecord[] =>
  records.filter(({ outcome }) => outcome === null);
