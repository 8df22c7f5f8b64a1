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

/** Where an item of a figure stands: its suite, its row (user task, or policy task) and its column (injection task, or replayed task). */
export interface Cell {
  readonly suite: number;
  readonly row: number;
  readonly column: number;
}

/** What the checks of the pairs' sessions are; the first check of the first pair is number 0. */
export interface PairChecks {
  /** 1: an injected action; 0: one of the user task's own. */
  readonly injected: Uint8Array;
  /** Index in `tools`. */
  readonly tool: Uint16Array;
  /** Names, sorted. */
  readonly tools: readonly string[];
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
  readonly pairChecks: PairChecks;
  /** Of every pair, of every injected action of every pair, and of every cross. */
  readonly cells: { readonly [item in 'pairs' | 'injected' | 'crosses']: readonly Cell[] };
  readonly excludedPairs: number;
  readonly untrustedSources: readonly string[];
  readonly options: PlanOptions;
}

/** Every pair and every ordered pair of user tasks of the given suites, in corpus order. */
export function createPlan(corpus: Corpus, suites: readonly Suite[], options: PlanOptions): Plan {
  const pairs = suites.flatMap((suite, index) => pairsOf(suite, index, options.order));
  const crosses = suites.flatMap(crossesOf);
  const pairCells = pairs.map(({ suite, user, injection }) => ({ suite, row: user, column: injection }));
  return {
    suites,
    pairs,
    crosses,
    pairChecks: pairChecksOf(pairs),
    cells: {
      pairs: pairCells,
      injected: pairs.flatMap((pair, index) => pair.injectionTask.actions.map(() => pairCells[index]!)),
      crosses: crosses.map(({ suite, first, second }) => ({ suite, row: first, column: second })),
    },
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

function pairChecksOf(pairs: readonly Pair[]): PairChecks {
  const steps = pairs.flatMap(({ sequence, userTask, injectionTask }) =>
    sequence.map(({ injected, action }) => ({
      injected,
      type: (injected ? injectionTask : userTask).actions[action]!.type,
    })),
  );
  const tools = [...new Set(steps.map((step) => step.type))].toSorted();
  const indexOf = new Map(tools.map((tool, index) => [tool, index]));
  return {
    injected: Uint8Array.from(steps, (step) => Number(step.injected)),
    tool: Uint16Array.from(steps, (step) => indexOf.get(step.type)!),
    tools,
  };
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
  return batchesOf(plan)(tier);
}

/** The plan's batches. Tiers differ in their policies, and `origin` in what a gate sees of an action; all else they share. */
export function batchesOf(plan: Plan): (tier: Tier) => Batch {
  const withOrigins = layOutSessions(plan);
  let without: Sessions | undefined;
  const tasks = plan.suites.flatMap((suite) => suite.userTasks);
  return (tier) => ({
    ...(tier === 'origin' ? withOrigins : (without ??= withoutOrigins(withOrigins))),
    policies: tasks.map((task) => policyFor(task.actions, tier, plan.untrustedSources)),
  });
}

type Sessions = Omit<Batch, 'policies'>;

function layOutSessions(plan: Plan): Sessions {
  const table = createActionTable('origin');
  const tasks = plan.suites.flatMap((suite) => suite.userTasks);
  const policyIndex = new Map(tasks.map((task, index) => [task, index]));
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
  return createBatch([], table.actions, sessions, order);
}

/** The same sessions, where actions that differ in their origins alone are one. */
function withoutOrigins(sessions: Sessions): Sessions {
  const table = createActionTable('target');
  const indices = sessions.actions.map(({ type, effect, targets }) =>
    table.indexOf({ type, effect, targets, origins: [] }),
  );
  return { ...sessions, actions: table.actions, steps: sessions.steps.map((step) => indices[step]!) };
}
