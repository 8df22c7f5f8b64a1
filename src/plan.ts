import { type Batch, createActionTable, createBatch, type SessionSteps } from './batch.ts';
import type { Corpus, InjectionTask, Suite, UserTask } from './corpus.ts';
import { policyFor } from './policy.ts';
import { seededRandom, shuffledIndices } from './random.ts';
import type { Origin, Tier } from './types.ts';

/** Where the injected actions stand: after the user task's own, or right after the call that read the injection. */
export type Order = 'after' | 'exposure';

/** Which tools count as untrusted sources at `limits`: those that the extractor measured, or every read. */
export type Untrusted = 'measured' | 'all-reads';

export interface PlanOptions {
  readonly order: Order;
  readonly untrusted: Untrusted;
  /** Seeds the order of sessions. */
  readonly seed: number;
}

/** A user task with an injection task whose goal takes at least one action. */
export interface Pair {
  readonly suite: number;
  /** Position among the suite's user tasks. */
  readonly user: number;
  /** Position among the suite's injection tasks that have an action. */
  readonly injection: number;
  readonly userTask: UserTask;
  readonly injectionTask: InjectionTask;
  /** The session's actions, in order. `injected` tells who asked; no gate sees it. */
  readonly sequence: readonly Step[];
}

export interface Step {
  readonly injected: boolean;
  /** Index in the task's own list of actions. */
  readonly action: number;
}

/** Ordered pair (A, B): a session on A's policy, with A's actions and then B's. */
export interface Cross {
  readonly suite: number;
  readonly first: number;
  readonly second: number;
  readonly firstTask: UserTask;
  readonly secondTask: UserTask;
}

/** What is replayed and counted, the same for every gate and tier; sessions are the pairs, then the crosses. */
export interface Plan {
  readonly suites: readonly Suite[];
  readonly pairs: readonly Pair[];
  readonly crosses: readonly Cross[];
  readonly excludedPairs: number;
  readonly untrustedSources: readonly string[];
  readonly options: PlanOptions;
}

/** Every pair and every ordered pair of user tasks of the given suites, in corpus order. */
export function createPlan(corpus: Corpus, suites: readonly Suite[], options: PlanOptions): Plan {
  const pairs = suites.flatMap((suite, index) => pairsOf(suite, index, options.order));
  return {
    suites,
    pairs,
    crosses: suites.flatMap(crossesOf),
    excludedPairs: suites.reduce((sum, s) => sum + s.userTasks.length * s.injectionTasks.length, 0) - pairs.length,
    untrustedSources: untrustedSources(corpus, options.untrusted),
    options,
  };
}

/** The tools that count as untrusted sources. */
export function untrustedSources(corpus: Corpus, untrusted: Untrusted): readonly string[] {
  if (untrusted === 'measured') return corpus.header.untrustedSources;
  return [...corpus.tools].filter(([, tool]) => tool.effect === 'read').map(([name]) => name);
}

function pairsOf(suite: Suite, suiteIndex: number, order: Order): Pair[] {
  const goals = suite.injectionTasks.filter((task) => task.actions.length > 0);
  return suite.userTasks.flatMap((userTask, user) =>
    goals.map((injectionTask, injection) => ({
      suite: suiteIndex,
      user,
      injection,
      userTask,
      injectionTask,
      sequence: sequenceOf(userTask, injectionTask, order),
    })),
  );
}

function sequenceOf(userTask: UserTask, injectionTask: InjectionTask, order: Order): Step[] {
  const own = userTask.actions.map((_, action) => ({ injected: false, action }));
  const injected = injectionTask.actions.map((_, action) => ({ injected: true, action }));
  return own.toSpliced(order === 'after' ? own.length : userTask.exposure + 1, 0, ...injected);
}

function crossesOf(suite: Suite, suiteIndex: number): Cross[] {
  return suite.userTasks.flatMap((firstTask, first) =>
    suite.userTasks.flatMap((secondTask, second) =>
      first === second ? [] : [{ suite: suiteIndex, first, second, firstTask, secondTask }],
    ),
  );
}

/** Injected actions are stored as without a user task; in a pair, what the user's request names has the origin `user`. */
export function originsInPair(
  targets: readonly string[],
  origins: readonly Origin[],
  named: readonly string[],
): readonly Origin[] {
  return targets.map((target, index) => (named.includes(target) ? 'user' : origins[index]!));
}

/** The plan's sessions at one tier: pairs, then crosses, in an order shuffled by the seed. */
export function batchFor(plan: Plan, tier: Tier): Batch {
  const table = createActionTable(tier);
  const tasks = plan.suites.flatMap((suite) => suite.userTasks);
  const policyIndex = new Map(tasks.map((task, index) => [task, index]));
  const policies = tasks.map((task) => policyFor(task.actions, tier, plan.untrustedSources));
  const own = new Map(tasks.map((task) => [task, task.actions.map((action) => table.indexOf(action))]));
  const sessions: SessionSteps[] = plan.pairs.map((pair) => ({
    policy: policyIndex.get(pair.userTask)!,
    steps: pair.sequence.map(({ injected, action }) => {
      if (!injected) return own.get(pair.userTask)![action]!;
      const step = pair.injectionTask.actions[action]!;
      return table.indexOf(step, originsInPair(step.targets, step.origins, pair.userTask.named));
    }),
  }));
  for (const { firstTask, secondTask } of plan.crosses) {
    const steps = [...own.get(firstTask)!, ...own.get(secondTask)!];
    sessions.push({ policy: policyIndex.get(firstTask)!, steps });
  }
  const order = shuffledIndices(sessions.length, seededRandom(plan.options.seed));
  return createBatch(policies, table.actions, sessions, order);
}
