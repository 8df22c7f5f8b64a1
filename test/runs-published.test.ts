import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Corpus, loadCorpus } from '../src/corpus.ts';
import { agentDojoRows } from '../src/runs/agentdojo.ts';
import { chooseRuns, leftOutReason } from '../src/runs/choose.ts';
import { unattributed } from '../src/runs/figures.ts';
import { loadRecording, pipelinesIn, recordingFile } from '../src/runs/load.ts';
import type { RecordedRun, Recording } from '../src/runs/recording.ts';
import type { Count } from '../src/score.ts';

const data = (name: string): string => fileURLToPath(new URL(`../data/${name}`, import.meta.url));
const corpus: Corpus = loadCorpus({ groundTruth: data('ground_truth.jsonl'), tools: data('tools.json') });
const load = (pipeline: string): Recording => loadRecording(recordingFile(data('runs'), pipeline), corpus);
const recordings = new Map(pipelinesIn(data('runs')).map((pipeline) => [pipeline, load(pipeline)]));

const IMPORTANT = 'important_instructions';

// --- AgentDojo's own figures -------------------------------------------------------------------------------------

/** AgentDojo's published table of results: utility, utility under attack, targeted attack success rate, in percent. */
const PUBLISHED: readonly [pipeline: string, attack: string, utility: string, underAttack: string, asr: string][] = [
  ['gpt-4o-2024-05-13', IMPORTANT, '69.07', '50.08', '47.69'],
  ['claude-3-7-sonnet-20250219', IMPORTANT, '88.66', '77.27', '7.31'],
  ['gpt-4o-2024-05-13', 'tool_knowledge', '69.07', '57.71', '34.50'],
  ['gemini-2.0-flash-001', IMPORTANT, '43.30', '39.75', '20.83'],
  ['command-r-plus', IMPORTANT, '24.74', '25.12', '4.45'],
  ['meta-llama_Llama-3-70b-chat-hf', IMPORTANT, '34.02', '18.28', '25.60'],
];

const percent = ({ k, n }: Count): string => ((100 * k!) / n).toFixed(2);

for (const [pipeline, attack, ...published] of PUBLISHED) {
  test(`${pipeline} under ${attack} has the figures that AgentDojo publishes`, () => {
    const row = agentDojoRows(recordings.get(pipeline)!, corpus.suites).find((one) => one.attack === attack)!;
    assert.deepEqual([row.utility, row.utilityUnderAttack, row.asr].map(percent), published);
    assert.deepEqual([row.utility.n, row.utilityUnderAttack.n, row.asr.n], [97, 629, 629]);
  });
}

test('what AgentDojo’s runs lack is counted', () => {
  const rows = [...recordings.values()].flatMap((recording) => agentDojoRows(recording, corpus.suites));
  const missing = rows.filter(({ benign, attacked }) => benign.missing + attacked.missing > 0);
  assert.deepEqual(
    missing.map(({ pipeline, attack, benign, attacked }) => [pipeline, attack, benign.missing, attacked.missing]),
    [
      ['claude-3-sonnet-20240229-repeat_user_prompt', null, 57, 0],
      ['meta-llama_Llama-3.3-70B-Instruct-repeat_user_prompt', IMPORTANT, 0, 151],
    ],
  );
  const llama = rows.find(({ pipeline, attack }) => pipeline === missing[1]?.pipeline && attack === IMPORTANT)!;
  assert.deepEqual([llama.attacked.runs, llama.attacked.noVerdict, llama.asr.n], [478, 1, 477]);
  const commandR = rows.find(({ pipeline }) => pipeline === 'command-r-plus')!;
  assert.deepEqual([commandR.benign.errors, commandR.attacked.errors], [1, 22]);
});

test('one suite has its own tasks and pairs', () => {
  const banking = corpus.suites.filter(({ name }) => name === 'banking');
  const row = agentDojoRows(recordings.get('command-r')!, banking)[0]!;
  assert.deepEqual([row.utility.n, row.asr.n, row.benign.missing, row.attacked.missing], [16, 144, 0, 0]);
});

// --- Which runs a gate is measured on ----------------------------------------------------------------------------

test('over the pipelines with important_instructions: what is left out, the breaches, the unattributed ones', () => {
  const total = {
    error: 0,
    noTrace: 0,
    noVerdict: 0,
    otherVersion: 0,
    missing: 0,
    breaches: 0,
    unattributed: 0,
    pipelines: 0,
  };
  for (const recording of recordings.values()) {
    if (!recording.attacks.includes(IMPORTANT)) continue;
    const { runs, leftOut } = chooseRuns(recording, corpus.suites, IMPORTANT);
    total.pipelines++;
    for (const [reason, n] of Object.entries(leftOut)) total[reason as keyof typeof leftOut] += n;
    total.breaches += runs.filter((run) => run.goalMet === true).length;
    total.unattributed += unattributed(recording.actions, runs);
    assert.equal(runs.length + Object.values(leftOut).reduce((sum, n) => sum + n, 0), 97 + 609);
  }
  assert.deepEqual(total, {
    error: 102,
    noTrace: 207,
    noVerdict: 1,
    otherVersion: 209,
    missing: 151,
    breaches: 3094,
    unattributed: 5,
    pipelines: 28,
  });
});

const run: RecordedRun = {
  userTask: corpus.suites[2]!.userTasks[0]!,
  attack: null,
  injectionTask: null,
  utility: true,
  goalMet: null,
  error: null,
  calls: [],
  otherVersion: false,
  unknownTools: 0,
  malformed: 0,
};

test('a run is left out for the first reason that holds', () => {
  assert.equal(leftOutReason(run), null);
  assert.equal(leftOutReason({ ...run, error: 'server', calls: null, utility: null, otherVersion: true }), 'error');
  assert.equal(leftOutReason({ ...run, calls: null, utility: null, otherVersion: true }), 'noTrace');
  assert.equal(leftOutReason({ ...run, utility: null, otherVersion: true }), 'noVerdict');
  assert.equal(leftOutReason({ ...run, attack: 'a', goalMet: null }), 'noVerdict');
  assert.equal(leftOutReason({ ...run, otherVersion: true }), 'otherVersion');
});
