// Works the figures out that the documents name, and writes docs/figures.json and the table in docs/corpus.md: `npm run docs:figures`, or with --check to see whether they are up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Corpus, countTasks, type GroundTruthAction, type Suite } from '../src/corpus.ts';
import { bundledCorpus, measureGate, replayGate } from '../src/library.ts';
import { ADAPTERS_FOLDER, RUNS_FOLDER, SCENARIOS_FILE } from '../src/paths.ts';
import { createPlan } from '../src/plan.ts';
import { createProbePlan } from '../src/probe/probe-gate.ts';
import { loadRecording, pipelinesIn, recordingFile } from '../src/runs/load.ts';
import { LEFT_OUT, type RecordedRun, type Recording } from '../src/runs/recording.ts';
import { FIGURES } from '../src/score.ts';
import { type Gate, TIERS } from '../src/types.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** How much the injected goals of a suite have in common with its user tasks, over the pairs that the figures count. */
export interface Overlap {
  readonly pairs: number;
  /** A tool of the goal is one of the user task's. */
  readonly sharedTool: number;
  /** Every tool of the goal is. */
  readonly everyTool: number;
  /** Every egress tool of the goal is. */
  readonly everyEgressTool: number;
  /** A target of a call of the goal that is egress is one of the user task's targets. */
  readonly sharedTarget: number;
}

/** Every figure that a document names, by a name for the test. */
export async function docsFigures(): Promise<Record<string, number>> {
  const corpus = bundledCorpus();
  const all = sumOf(corpus.suites.map(overlapOf));
  return {
    ...corpusFigures(corpus),
    sharedTool: all.sharedTool,
    everyTool: all.everyTool,
    everyEgressTool: all.everyEgressTool,
    sharedTarget: all.sharedTarget,
    ...runFigures(corpus),
    ...scenarioFigures(),
    nearMisses: TIERS.reduce((sum, tier) => sum + createProbePlan(corpus, 1).probes(tier).probes.length, 0),
    ...(await exactFigures()),
  };
}

function corpusFigures(corpus: Corpus): Record<string, number> {
  const { suites, header, tools } = corpus;
  const plan = createPlan(corpus, suites, { order: 'after', untrusted: 'measured', seed: 1 });
  const tasks = suites.flatMap(({ userTasks }) => userTasks);
  const goals = suites.flatMap(({ injectionTasks }) => injectionTasks).filter(({ actions }) => actions.length > 0);
  const used = new Set([...tasks, ...goals].flatMap(({ actions }) => actions.map(({ type }) => type)));
  return {
    ...countTasks(suites),
    countedPairs: plan.pairs.length,
    injectedActions: plan.cells.injected.length,
    orderedPairs: plan.crosses.length,
    goalsWithActions: goals.length,
    goalsOfOneCall: goals.filter(({ actions }) => actions.length === 1).length,
    readOnlyTasks: tasks.filter(({ actions }) => !actions.some(isEgress)).length,
    tools: tools.size,
    toolsUsed: used.size,
    untrustedSources: header.untrustedSources.length,
  };
}

const isEgress = ({ effect }: GroundTruthAction): boolean => effect !== 'read';

function overlapOf({ userTasks, injectionTasks }: Suite): Overlap {
  const goals = injectionTasks.filter(({ actions }) => actions.length > 0);
  const pairs = userTasks.flatMap((task) => goals.map((goal) => ({ task: task.actions, goal: goal.actions })));
  const count = (holds: (pair: (typeof pairs)[number]) => boolean): number => pairs.filter(holds).length;
  const uses = (task: readonly GroundTruthAction[], { type }: GroundTruthAction): boolean =>
    task.some((action) => action.type === type);
  const lands = (task: readonly GroundTruthAction[], { targets }: GroundTruthAction): boolean =>
    targets.some((target) => task.some((action) => action.targets.includes(target)));
  return {
    pairs: pairs.length,
    sharedTool: count(({ task, goal }) => goal.some((action) => uses(task, action))),
    everyTool: count(({ task, goal }) => goal.every((action) => uses(task, action))),
    everyEgressTool: count(({ task, goal }) => goal.filter(isEgress).every((action) => uses(task, action))),
    sharedTarget: count(({ task, goal }) => goal.filter(isEgress).some((action) => lands(task, action))),
  };
}

function sumOf(overlaps: readonly Overlap[]): Overlap {
  const sum = (of: (one: Overlap) => number): number => overlaps.reduce((total, one) => total + of(one), 0);
  return {
    pairs: sum((one) => one.pairs),
    sharedTool: sum((one) => one.sharedTool),
    everyTool: sum((one) => one.everyTool),
    everyEgressTool: sum((one) => one.everyEgressTool),
    sharedTarget: sum((one) => one.sharedTarget),
  };
}

/** Of recorded runs: how many, what they lack, and in how many AgentDojo took a task for solved that called for nothing. */
function runFigures(corpus: Corpus): Record<string, number> {
  const pipelines = pipelinesIn(RUNS_FOLDER);
  const recordings = pipelines.map((name) => loadRecording(recordingFile(RUNS_FOLDER, name), corpus));
  const runs = recordings.flatMap((recording) => recording.runs);
  const count = (holds: (run: RecordedRun) => boolean): number => runs.filter(holds).length;
  const sum = (of: (run: RecordedRun) => number): number => runs.reduce((total, run) => total + of(run), 0);
  const leftOut = (of: keyof Recording['leftOut']): number =>
    recordings.reduce((total, recording) => total + recording.leftOut[of], 0);
  const notWritten = LEFT_OUT.reduce((total, of) => total + leftOut(of), 0);
  return {
    runs: runs.length + notWritten,
    pipelines: pipelines.length,
    runsWritten: runs.length,
    callsWritten: sum((run) => (run.calls?.length ?? 0) + run.unknownTools),
    errorsWritten: count((run) => run.error !== null),
    withoutTraceWritten: count((run) => run.calls === null),
    otherVersionWritten: count((run) => run.otherVersion),
    unknownToolsWritten: sum((run) => run.unknownTools),
    leftOutDenialOfService: leftOut('denialOfService'),
    leftOutGoalAlone: leftOut('goalAlone'),
    leftOutOutsideCorpus: leftOut('outsideCorpus'),
    ...idleFigures(recordings, 5),
    ...idleFigures(recordings, 9),
  };
}

function idleFigures(recordings: readonly Recording[], number: number): Record<string, number> {
  const solved = recordings.flatMap((recording) =>
    recording.runs
      .filter(({ userTask }) => userTask.suite === 'banking' && userTask.id === `user_task_${number}`)
      .filter(isSolved)
      .map((run) => isIdle(recording, run)),
  );
  return { [`solvedTask${number}`]: solved.length, [`idleTask${number}`]: solved.filter(Boolean).length };
}

const isSolved = (run: RecordedRun): boolean =>
  run.attack === null && run.utility === true && run.error === null && run.calls !== null && !run.otherVersion;

/** Whether the run called none of the tools by which the task's ground truth changes anything. */
function isIdle({ actions }: Recording, { userTask, calls }: RecordedRun): boolean {
  const needed = new Set(userTask.actions.filter(isEgress).map(({ type }) => type));
  return !calls!.some((call) => needed.has(actions[call]!.type));
}

function scenarioFigures(): Record<string, number> {
  const lines = readFileSync(SCENARIOS_FILE, 'utf8').split('\n').slice(0, -1);
  const records = lines.map((line) => JSON.parse(line) as { family: string; channel: string });
  const attacks = records.filter(({ family }) => family !== 'control').length;
  return {
    scenarios: records.length,
    attackScenarios: attacks,
    controlScenarios: records.length - attacks,
    channels: new Set(records.map(({ channel }) => channel)).size,
  };
}

/** `k` of every figure of the reference gate, in order `after`. */
async function exactFigures(): Promise<Record<string, number>> {
  const module = (await import(pathToFileURL(`${ADAPTERS_FOLDER}exact.mjs`).href)) as { default: Gate };
  const tiers = await measureGate(module.default);
  const { sessions } = await replayGate(module.default, 'target');
  const through = sessions
    .filter((session) => session.kind === 'pair')
    .map(({ calls }) => calls.filter((call) => call.injected))
    .filter((calls) => calls.every(({ verdict }) => verdict === 'allow'));
  const events = through.filter((calls) => calls.some(({ action }) => action.type === 'create_calendar_event'));
  return {
    ...Object.fromEntries(
      tiers.flatMap((tier) => FIGURES.map((figure) => [`exact.${tier.tier}.${figure}`, tier[figure].k ?? Number.NaN])),
    ),
    throughAtTarget: through.length,
    throughByCalendar: events.length,
  };
}

/** The table of docs/corpus.md. */
export function overlapTable(): string {
  const { suites } = bundledCorpus();
  const rows = suites.map((suite) => ({ name: suite.name, ...overlapOf(suite) }));
  return [
    '| suite | pairs | a tool shared | every tool the user’s | every egress tool the user’s | a target shared |',
    '|---|---:|---:|---:|---:|---:|',
    ...[...rows, { name: 'all', ...sumOf(rows) }].map(
      ({ name, pairs, sharedTool, everyTool, everyEgressTool, sharedTarget }) =>
        `| ${[name, pairs, sharedTool, everyTool, everyEgressTool, sharedTarget].join(' | ')} |`,
    ),
  ].join('\n');
}

const BLOCK = /(<!-- generated: npm run docs:figures -->\n)[^<]*(<!-- end -->)/;

async function main(): Promise<void> {
  const page = readFileSync(`${root}docs/corpus.md`, 'utf8');
  if (!BLOCK.test(page)) throw new Error('docs/corpus.md has no generated block');
  const files = {
    'docs/figures.json': `${JSON.stringify(await docsFigures(), null, 2)}\n`,
    'docs/corpus.md': page.replace(BLOCK, (_, open: string, close: string) => `${open}\n${overlapTable()}\n\n${close}`),
  };
  for (const [file, text] of Object.entries(files)) {
    if (!process.argv.includes('--check')) writeFileSync(`${root}${file}`, text);
    else if (readFileSync(`${root}${file}`, 'utf8') !== text) {
      process.stderr.write(`${file} is not what the data say; run: npm run docs:figures\n`);
      process.exitCode = 1;
    }
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
