import { readFileSync } from 'node:fs';

/** What the simulation needs of a suite of the ground-truth corpus. */
export interface SuiteTasks {
  readonly suite: string;
  /** The actions of each user task. */
  readonly users: readonly (readonly Action[])[];
  /** Number of injected actions of each injection task; tasks without one are in no figure. */
  readonly injectedActions: readonly number[];
}

interface Action {
  readonly type: string;
  readonly effect: string;
}

interface Task {
  readonly kind: 'user' | 'injection';
  readonly suite: string;
  readonly actions: readonly Action[];
}

/** The corpus, suite by suite. */
export function readSuites(file: URL): SuiteTasks[] {
  const [, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const tasks = lines.map((line) => JSON.parse(line) as Task);
  return [...new Set(tasks.map((task) => task.suite))].map((suite) => {
    const of = (kind: Task['kind']): Task[] => tasks.filter((task) => task.suite === suite && task.kind === kind);
    return {
      suite,
      users: of('user').map((task) => task.actions),
      injectedActions: of('injection').flatMap(({ actions }) => (actions.length > 0 ? [actions.length] : [])),
    };
  });
}

/**
 * The correlation, within suites, between the share of other tasks that a user task permits as a policy and the share of
 * other policies that permit it, where a policy permits what has the same effect, or the same tool (the tiers `effect` and `tool` of exact
 * enforcement).
 */
export function breadthCorrelation(suites: readonly SuiteTasks[], rule: keyof Action): number {
  let [products, policies, replays] = [0, 0, 0];
  for (const { users } of suites) {
    const needs = users.map((actions) => new Set(actions.map((action) => action[rule])));
    const asPolicy = centred(needs.map((policy) => share(needs.map((replayed) => permits(policy, replayed)))));
    const asReplayed = centred(needs.map((replayed) => share(needs.map((policy) => permits(policy, replayed)))));
    products += dot(asPolicy, asReplayed);
    policies += dot(asPolicy, asPolicy);
    replays += dot(asReplayed, asReplayed);
  }
  return products / Math.sqrt(policies * replays);
}

function permits(policy: Set<string>, replayed: Set<string>): boolean {
  return [...replayed].every((need) => policy.has(need));
}

/** Of the others: every task permits itself. */
function share(permitted: readonly boolean[]): number {
  return (permitted.filter(Boolean).length - 1) / (permitted.length - 1);
}

function centred(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] as number), 0);
}
