import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Action, Effect, Gate, Limits, Origin, PolicySpec, Rule, Tier } from '../src/types.ts';

/** What stands in for an engine's own decision. */
export type Decide = (...call: readonly unknown[]) => unknown;

/** What an adapter of an engine exports. */
export interface EngineAdapter {
  readonly default: Gate;
  readonly createGate: (seam: { decide: Decide }) => Gate;
}

/** An engine that decides on policies, and its own words for yes and no. */
export interface Engine {
  readonly name: string;
  readonly yes: Decide;
  readonly no: Decide;
}

const cedar = (decision: string): Decide => {
  const answer = { type: 'success', response: { decision, diagnostics: { reason: [], errors: [] } } };
  return () => answer;
};

/** A refusal of atp-provenance is an error of a class of its own: had by asking for one. */
async function refuseAsAtp(policies: unknown): Promise<never> {
  await (policies as { checkTool(tool: string, group: string, args: object): Promise<void> }).checkTool('x', 'x', {});
  throw new Error('an empty call was not refused');
}

/** Every engine that takes a policy. */
export const ENGINES: readonly Engine[] = [
  { name: 'cedar', yes: cedar('allow'), no: cedar('deny') },
  { name: 'casl', yes: () => true, no: () => false },
  { name: 'casbin', yes: () => true, no: () => false },
  { name: 'cel', yes: () => true, no: () => false },
  { name: 'json-logic', yes: () => true, no: () => false },
  { name: 'opa', yes: () => [{ result: true }], no: () => [{ result: false }] },
  { name: 'agent-governance', yes: () => ({ allowed: true }), no: () => ({ allowed: false }) },
  { name: 'atp-provenance', yes: async () => {}, no: refuseAsAtp },
];

export const ROOT: string = fileURLToPath(new URL('..', import.meta.url));

/** Why tests of engines are skipped, or false. Where TOOLGATE_ENGINES is set, a missing engine is a failure. */
export const skipEngines: string | false =
  process.env['TOOLGATE_ENGINES'] || existsSync(resolve(ROOT, 'engines/node_modules'))
    ? false
    : 'the engines are not installed: npm ci --prefix engines';

export async function loadAdapter(name: string): Promise<EngineAdapter> {
  return (await import(new URL(`../adapters/${name}.mjs`, import.meta.url).href)) as EngineAdapter;
}

export async function loadGate(name: string): Promise<Gate> {
  return (await loadAdapter(name)).default;
}

/** A call, as the bench would hand it to a gate. */
export function call(
  type: string,
  effect: Effect,
  targets: readonly string[] = [],
  origins?: readonly Origin[],
): Action {
  return deepFreeze({
    type,
    effect,
    ...(targets.length > 0 ? { target: targets.join(', ') } : {}),
    targets,
    ...(origins ? { origins } : {}),
  });
}

export function policyOf(tier: Tier, rules: readonly Rule[], limits?: Limits): PolicySpec {
  return deepFreeze({ version: 1, tier, rules, ...(limits ? { limits } : {}) });
}

/** One session: whether each action was allowed. */
export async function verdicts(gate: Gate, policy: PolicySpec, actions: readonly Action[]): Promise<boolean[]> {
  const session = await gate.createSession(policy);
  const allowed: boolean[] = [];
  for (const action of actions) allowed.push((await session.check(action)).allowed);
  await session.close?.();
  return allowed;
}

export function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) deepFreeze(member as object);
  }
  return Object.freeze(value);
}
