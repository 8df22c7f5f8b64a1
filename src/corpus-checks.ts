import type { InjectionTask, UserTask } from './corpus.ts';
import { inside, type Place, refuse, show } from './json-guard.ts';

/** A task of a ground-truth file, and the line that it stands on. */
export type PlacedTask = { readonly place: Place } & (
  | { readonly kind: 'user'; readonly task: UserTask }
  | { readonly kind: 'injection'; readonly task: InjectionTask }
);

/**
 * What the extractor guarantees of a task on its own: a user task reads something untrusted at its `exposure`, its
 * targets have the origin `user` where its request names them and nowhere else, and an injected action's never have it.
 * @throws {BenchError} `input`, naming file, line and JSON path.
 */
export function checkTask({ place, kind, task }: PlacedTask, untrustedSources: readonly string[]): void {
  if (kind === 'user') checkExposure(task, place, untrustedSources);
  task.actions.forEach(({ targets, origins }, action) =>
    origins.forEach((origin, index) => {
      const target = targets[index]!;
      const isNamed = kind === 'user' && task.named.includes(target);
      if ((origin === 'user') === isNamed) return;
      const at = inside(inside(inside(inside(place, 'actions'), action), 'origins'), index);
      if (kind === 'injection') refuse(at, `"user", but no user names the target of an injected action`);
      refuse(at, `${show(origin)}, but ${show(target)} is ${isNamed ? '' : 'not '}in the task's "named"`);
    }),
  );
}

function checkExposure({ actions, exposure }: UserTask, place: Place, untrustedSources: readonly string[]): void {
  const { type } = actions[exposure]!;
  if (!untrustedSources.includes(type)) {
    refuse(inside(place, 'exposure'), `action ${exposure} calls ${show(type)}, which is not in "untrustedSources"`);
  }
}

/**
 * What a user's request names is some target of the suite, each once and in order.
 * @throws {BenchError} `input`, naming file, line and JSON path.
 */
export function checkNamed(tasks: readonly PlacedTask[]): void {
  const targets = new Map<string, Set<string>>();
  for (const { task } of tasks) {
    const found = targets.get(task.suite) ?? new Set();
    targets.set(task.suite, found);
    for (const action of task.actions) for (const target of action.targets) found.add(target);
  }
  for (const { place, kind, task } of tasks) {
    if (kind !== 'user') continue;
    task.named.forEach((name, index) => {
      const at = (): Place => inside(inside(place, 'named'), index);
      if (!targets.get(task.suite)!.has(name)) refuse(at(), `${show(name)} is no target of the suite ${task.suite}`);
      if (index > 0 && compare(task.named[index - 1]!, name) >= 0)
        refuse(at(), `${show(name)} is not in order, or twice`);
    });
  }
}

/** By code points, as the extractor sorts. */
const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
