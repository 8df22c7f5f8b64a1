import type { CorpusHeader, GroundTruthAction, Suite } from '../src/corpus.ts';
import { RUNS_SCHEMA } from '../src/runs/recording.ts';
import type { GatheredPipeline, GatheredRun } from './gather.ts';

/** The text of a pipeline's file. It depends on what was recorded only, not on the order in which it was read. */
export function formatRecording(
  pipeline: string,
  { runs, leftOut }: GatheredPipeline,
  actions: readonly GroundTruthAction[],
  corpus: { readonly header: CorpusHeader; readonly suites: readonly Suite[] },
): string {
  const ordered = runs.toSorted(runOrder(corpus.suites));
  const used = new Map<number, number>();
  for (const call of ordered.flatMap((run) => run.calls ?? [])) if (!used.has(call)) used.set(call, used.size);
  const { id, version } = corpus.header;
  const counts = { actions: used.size, runs: runs.length };
  const lines = [
    { kind: 'header', schema: RUNS_SCHEMA, pipeline, corpus: id, version, counts, leftOut },
    ...[...used.keys()].map((index) => actionLine(actions[index] as GroundTruthAction)),
    ...ordered.map((run) => runLine(run, used)),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

const actionLine = ({ type, effect, targets, origins }: GroundTruthAction): object => ({
  kind: 'action',
  type,
  effect,
  targets,
  origins,
});

function runLine({ name, ...run }: GatheredRun, indices: ReadonlyMap<number, number>): object {
  const { suite, task, attack, injection } = name;
  return {
    kind: 'run',
    suite,
    user: task,
    ...(injection !== null && { attack, injection }),
    utility: run.utility,
    ...(injection !== null && { goalMet: run.goalMet }),
    calls: run.calls?.map((call) => indices.get(call)) ?? null,
    ...(run.error !== null && { error: run.error }),
    ...(run.request !== null && { request: run.request }),
    ...(run.unknownTools > 0 && { unknownTools: run.unknownTools }),
    ...(run.malformed > 0 && { malformed: run.malformed }),
  };
}

const number = (id: string | null): number => (id === null ? -1 : Number(id.slice(id.lastIndexOf('_') + 1)));

/** Benign runs first, then attack by attack; in each as the corpus has its tasks. */
function runOrder(suites: readonly Suite[]): (a: GatheredRun, b: GatheredRun) => number {
  const position = new Map(suites.map((suite, index) => [suite.name, index]));
  const key = ({ name }: GatheredRun): readonly (string | number)[] => [
    name.injection === null ? '' : name.attack,
    position.get(name.suite) as number,
    number(name.task),
    number(name.injection),
  ];
  return (a, b) => {
    const [left, right] = [key(a), key(b)];
    const at = left.findIndex((part, index) => part !== right[index]);
    return at === -1 ? 0 : (left[at] as string) < (right[at] as string) ? -1 : 1;
  };
}
