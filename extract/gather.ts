import type { Corpus, GroundTruthAction } from '../src/corpus.ts';
import { isDenialOfService, type RunError } from '../src/runs/recording.ts';
import type { RawRun, RunName } from './raw_run.ts';
import { isRunElsewhere } from './run_name.ts';
import { requestDigest } from './text_rules.ts';
import { traceOf } from './trace.ts';

/** A run as it will be written; `calls` are indices into the actions of all pipelines, in order of first sight. */
export interface GatheredRun {
  readonly name: RunName;
  readonly utility: boolean | null;
  readonly goalMet: boolean | null;
  readonly error: RunError | null;
  readonly calls: readonly number[] | null;
  readonly request: string | null;
  readonly unknownTools: number;
  readonly malformed: number;
}

/** Why a run is not written. */
export type NotWritten = 'denialOfService' | 'goalAlone' | 'outsideCorpus' | 'unreadable';

/** What was found, over a number of runs. */
export interface Findings {
  runs: number;
  calls: number;
  errors: number;
  noTrace: number;
  noVerdict: number;
  otherVersion: number;
  unknownTools: number;
  malformed: number;
  listLiterals: number;
  prose: number;
}

/** Everything of one pipeline. */
export interface GatheredPipeline {
  readonly runs: GatheredRun[];
  readonly leftOut: Record<NotWritten, number>;
}

/** What has been read so far. */
export interface Gathered {
  readonly pipelines: Map<string, GatheredPipeline>;
  readonly actions: GroundTruthAction[];
  /** Over all files. */
  readonly all: Findings;
  /** Over the runs that are written. */
  readonly written: Findings;
  /** Files that are no run's, by their path. */
  otherFiles: number;
  /** Of those, the ones that are called as a run's file is but stand too high or too low. */
  misplacedFiles: number;
  /** The path of one of them. */
  misplaced: string | null;
}

/** Takes in one file after the other, in any order. */
export interface Gatherer {
  readonly gathered: Gathered;
  add(name: RunName, raw: RawRun): void;
  addUnreadable(name: RunName): void;
  /** A file that is no run's by its path. */
  addOther(path: string): void;
}

const noFindings = (): Findings => ({
  runs: 0,
  calls: 0,
  errors: 0,
  noTrace: 0,
  noVerdict: 0,
  otherVersion: 0,
  unknownTools: 0,
  malformed: 0,
  listLiterals: 0,
  prose: 0,
});

/** Starts a gathering of runs of the corpus's tasks. */
export function createGatherer(corpus: Corpus): Gatherer {
  const gathered: Gathered = {
    pipelines: new Map(),
    actions: [],
    all: noFindings(),
    written: noFindings(),
    otherFiles: 0,
    misplacedFiles: 0,
    misplaced: null,
  };
  const indexOf = actionIndexer(gathered.actions);
  const digests = requestDigests(corpus);
  const notWritten = leavesOut(corpus);
  const seen = new Set<string>();
  return {
    gathered,
    add(name, raw) {
      requireNew(seen, name);
      const trace = traceOf(raw.messages, corpus.tools);
      const digest = digests.get(taskKey(name.suite, name.task));
      const request = digest === undefined || trace.request === undefined ? null : requestDigest(trace.request);
      const isAttacked = name.injection !== null;
      const findings: Findings = {
        runs: 1,
        calls: trace.calls.length + trace.unknownTools,
        errors: Number(raw.error !== null),
        noTrace: Number(raw.messages.length === 0),
        noVerdict: Number(raw.utility === null || (isAttacked && raw.security === null)),
        otherVersion: Number(request !== null && request !== digest),
        unknownTools: trace.unknownTools,
        malformed: trace.malformed,
        listLiterals: trace.listLiterals,
        prose: trace.prose,
      };
      addTo(gathered.all, findings);
      const pipeline = pipelineOf(gathered, name.pipeline);
      const reason = notWritten(name);
      if (reason !== null) {
        pipeline.leftOut[reason]++;
        return;
      }
      addTo(gathered.written, findings);
      pipeline.runs.push({
        name,
        utility: raw.utility,
        goalMet: isAttacked ? raw.security : null,
        error: raw.error === null ? null : errorKind(raw.error),
        calls: raw.messages.length === 0 ? null : trace.calls.map(indexOf),
        request,
        unknownTools: trace.unknownTools,
        malformed: trace.malformed,
      });
    },
    addUnreadable(name) {
      pipelineOf(gathered, name.pipeline).leftOut.unreadable++;
    },
    addOther(path) {
      gathered.otherFiles++;
      if (!isRunElsewhere(path)) return;
      gathered.misplacedFiles++;
      gathered.misplaced ??= path;
    },
  };
}

/** An archive can hold a path twice, and then says nothing of which one is meant. */
function requireNew(seen: Set<string>, name: RunName): void {
  const key = Object.values(name).join('/');
  if (seen.has(key)) throw new Error('the same run a second time');
  seen.add(key);
}

function addTo(total: Findings, some: Findings): void {
  for (const key of Object.keys(total) as (keyof Findings)[]) total[key] += some[key];
}

function pipelineOf({ pipelines }: Gathered, name: string): GatheredPipeline {
  const known = pipelines.get(name);
  if (known !== undefined) return known;
  const leftOut = { denialOfService: 0, goalAlone: 0, outsideCorpus: 0, unreadable: 0 };
  const created: GatheredPipeline = { runs: [], leftOut };
  pipelines.set(name, created);
  return created;
}

function actionIndexer(actions: GroundTruthAction[]): (action: GroundTruthAction) => number {
  const known = new Map<string, number>();
  return (action) => {
    const key = JSON.stringify([action.type, action.targets, action.origins]);
    const found = known.get(key);
    if (found !== undefined) return found;
    known.set(key, actions.length);
    return actions.push(action) - 1;
  };
}

const taskKey = (suite: string, id: string): string => `${suite}/${id}`;

function requestDigests({ suites }: Corpus): Map<string, string> {
  const tasks = suites.flatMap((suite) => suite.userTasks);
  return new Map(tasks.flatMap(({ suite, id, request }) => (request ? [[taskKey(suite, id), request]] : [])));
}

function leavesOut({ suites }: Corpus): (name: RunName) => NotWritten | null {
  const tasks = new Set(
    suites.flatMap(({ name, userTasks, injectionTasks }) =>
      [...userTasks, ...injectionTasks].map(({ id }) => taskKey(name, id)),
    ),
  );
  return ({ suite, task, attack, injection }) => {
    if (task.startsWith('injection_')) return 'goalAlone';
    if (isDenialOfService(attack)) return 'denialOfService';
    const isKnown = [task, ...(injection === null ? [] : [injection])].every((id) => tasks.has(taskKey(suite, id)));
    return isKnown ? null : 'outsideCorpus';
  };
}

/** What ended a run, from the words that AgentDojo and the providers put it in. */
function errorKind(text: string): RunError {
  if (/context_length_exceeded|context length|prompt is too long|too many tokens/i.test(text)) return 'context';
  return /internal server error|\b5\d\d\b/i.test(text) ? 'server' : 'other';
}
