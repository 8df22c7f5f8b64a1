import { cpus } from 'node:os';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Batch, CHECK } from '../../src/batch.ts';
import { loadCorpus } from '../../src/corpus.ts';
import { estimator } from '../../src/intervals.ts';
import { CORPUS_FILES } from '../../src/paths.ts';
import { batchFor, createPlan } from '../../src/plan.ts';
import { findRecordings } from '../../src/runs/find.ts';
import { planRuns, recordedRuns } from '../../src/runs/measurement.ts';
import { FIGURES, score } from '../../src/score.ts';
import type { Gate, Verdict } from '../../src/types.ts';

/** `npm run bench`: what the bench itself costs. Ratios are taken within one run; times are of this machine, today. */

type Replay = (
  gate: Gate,
  batch: Batch,
  verdicts: Uint8Array,
  calls: Int32Array,
  listener: { onError: () => void; onWarning: () => void; onNote: null },
) => unknown;
const { replay, deepFreeze } = (await import(new URL('../../src/thread/replay.mjs', import.meta.url).href)) as {
  replay: Replay;
  deepFreeze: <T>(value: T) => T;
};
const root = fileURLToPath(new URL('../..', import.meta.url));

const corpus = loadCorpus(CORPUS_FILES);
const plan = createPlan(corpus, corpus.suites, { order: 'after', untrusted: 'measured', seed: 1 });
const batch = batchFor(plan, 'target');
deepFreeze(batch.policies);
deepFreeze(batch.actions);
const checks = batch.steps.length;
const listener = { onError: () => {}, onWarning: () => {}, onNote: null };
const exact = ((await import(new URL('../../adapters/exact.mjs', import.meta.url).href)) as { default: Gate }).default;
const ALLOWED: Verdict = Object.freeze({ allowed: true });
const free: Gate = { name: 'free', createSession: () => ({ check: () => ALLOWED }) };
const later: Gate = { name: 'later', createSession: () => ({ check: async () => ALLOWED }) };

/** The same calls on the same frozen actions, and nothing else. */
function bare(gate: Gate): number {
  const { policies, actions, sessionPolicy, starts, steps, order } = batch;
  let allowed = 0;
  for (const session of order) {
    const opened = gate.createSession(policies[sessionPolicy[session]!]!) as { check(action: unknown): Verdict };
    for (let check = starts[session]!; check < starts[session + 1]!; check++) {
      if (opened.check(actions[steps[check]!]!).allowed) allowed++;
    }
  }
  return allowed;
}

async function bareLater(gate: Gate): Promise<number> {
  const { policies, actions, sessionPolicy, starts, steps, order } = batch;
  let allowed = 0;
  for (const session of order) {
    const opened = await gate.createSession(policies[sessionPolicy[session]!]!);
    for (let check = starts[session]!; check < starts[session + 1]!; check++) {
      if ((await opened.check(actions[steps[check]!]!)).allowed) allowed++;
    }
  }
  return allowed;
}

const verdicts = new Uint8Array(new SharedArrayBuffer(checks));
const calls = new Int32Array(new SharedArrayBuffer(4));
const whole = (gate: Gate): unknown => replay(gate, batch, verdicts, calls, listener);

/** The least of many times, in milliseconds, of two things taken turn about. */
async function race(a: () => unknown, b: () => unknown, rounds = 60): Promise<[number, number]> {
  let [leastA, leastB] = [Infinity, Infinity];
  for (let round = 0; round < rounds; round++) {
    const t0 = performance.now();
    await a();
    const t1 = performance.now();
    await b();
    const t2 = performance.now();
    if (round < 5) continue;
    leastA = Math.min(leastA, t1 - t0);
    leastB = Math.min(leastB, t2 - t1);
  }
  return [leastA, leastB];
}

const rows: [string, string, string][] = [];
const [exactMs, exactBareMs] = await race(
  () => whole(exact),
  () => bare(exact),
);
if (!verdicts.includes(CHECK.deny)) throw new Error('the replay under measurement did not judge anything');
rows.push(['replay of exact / bare loop', '≤ 1.15', (exactMs / exactBareMs).toFixed(2)]);
const [freeMs, freeBareMs] = await race(
  () => whole(free),
  () => bare(free),
);
rows.push([
  'added to a check of a gate that costs nothing',
  '≤ 20 ns',
  `${(((freeMs - freeBareMs) * 1e6) / checks).toFixed(1)} ns`,
]);
const [laterMs, laterBareMs] = await race(
  () => whole(later),
  () => bareLater(later),
  30,
);
rows.push(['replay of an async gate / bare loop', '≤ 2.5', (laterMs / laterBareMs).toFixed(2)]);
await whole(exact);
const outcomes = score(plan, batch, verdicts);
const estimate = estimator(plan, 2000, 1);
const [intervalMs] = await race(
  () => FIGURES.map((figure) => estimate(figure, outcomes[figure])),
  () => {},
  20,
);
rows.push(['all intervals of one gate and tier, warm, suites included', '≤ 20 ms', `${intervalMs.toFixed(1)} ms`]);

/** Recorded runs: what is left when everything is loaded. */
const recordings = findRecordings(corpus, undefined, root);
const chosen = planRuns(corpus.suites, recordings, ['important_instructions']);
const runsBatch = recordedRuns({
  suites: corpus.suites,
  chosen,
  untrustedSources: corpus.header.untrustedSources,
  seed: 1,
  resamples: 0,
}).batch('target');
deepFreeze(runsBatch.policies);
deepFreeze(runsBatch.actions);
const runsVerdicts = new Uint8Array(new SharedArrayBuffer(runsBatch.steps.length));
const [runsMs] = await race(
  () => replay(exact, runsBatch, runsVerdicts, calls, listener),
  () => {},
  20,
);
rows.push([
  'recorded runs of one attack, exact at target, checks a second',
  '≥ 1.5 million',
  `${(runsBatch.steps.length / runsMs / 1000).toFixed(2)} million`,
]);

/** Wall-clock milliseconds of a whole process, the least of several. */
function wallMs(args: readonly string[]): number {
  let least = Infinity;
  for (let round = 0; round < 7; round++) {
    const began = performance.now();
    spawnSync(process.execPath, args, { cwd: root, stdio: 'ignore' });
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

/** The most memory that a whole process held, in MB. */
function peakMb(args: readonly string[]): string {
  const ended = spawnSync(process.execPath, ['--import', './tools/bench/peak.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return `${/peak (\d+) MB/.exec(ended.stderr)?.[1] ?? '?'} MB`;
}

/** A whole process, to be raced against another: the machine is shared, and its pace changes by the minute. */
const wholeProcess = (args: readonly string[]) => () =>
  spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
const nothing = wholeProcess(['-e', '']);
const main = ['run.mjs', '--resamples', '0'];
const [mainMs, emptyMs] = await race(wholeProcess(main), nothing, 40);
rows.push([
  '`node run.mjs --resamples 0` / an empty script',
  '≤ 7 on Node 24',
  `${(mainMs / emptyMs).toFixed(1)} (${mainMs.toFixed(0)} ms)`,
]);
rows.push(['peak resident memory of that process', '< 100 MB on Node 24', peakMb(main)]);
const runs = ['run.mjs', 'runs', 'exact', '--tier', 'target', '--resamples', '0'];
const everyAttack = [...runs, '--attack', [...new Set(recordings.flatMap((recording) => recording.attacks))].join(',')];
rows.push([
  'recorded runs, one attack, one tier, whole process',
  '0.5 s on Node 24',
  `${(wallMs(runs) / 1000).toFixed(2)} s`,
]);
rows.push([
  'the same with intervals (2,000 resamples)',
  '–',
  `${(wallMs(runs.filter((word) => word !== '--resamples' && word !== '0')) / 1000).toFixed(2)} s`,
]);
rows.push([
  'recorded runs, every attack, one tier, whole process',
  '0.7 s on Node 24',
  `${(wallMs(everyAttack) / 1000).toFixed(2)} s`,
]);
rows.push(['peak resident memory of that process', '< 160 MB', peakMb(everyAttack)]);

const installed = `${root}dist/bin.js`;
if (existsSync(installed)) {
  const [helpMs, nothingMs] = await race(wholeProcess([installed, '--help']), nothing);
  const ratio = `${(helpMs / nothingMs).toFixed(2)} (${helpMs.toFixed(0)} ms)`;
  rows.push(['`toolgate-bench --help` from the package / an empty script', '≤ 1.3', ratio]);
}

const table = ['| what | aim | measured |', '|---|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
const where = `Node ${process.versions.node}, ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores (shared)`;
const page = `docs/speed-node${process.versions.node.split('.')[0]}.md`;
const text = `# What the bench costs\n\nWritten by \`npm run bench\`. ${where}; the least of many rounds; ${checks} checks a run of the ground truth.\n\n${table}\n`;
process.stdout.write(text);
if (!process.argv.includes('--no-write')) writeFileSync(`${root}/${page}`, text);
