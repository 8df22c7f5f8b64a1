import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { docsFigures, overlapTable } from '../tools/docs-figures.ts';
import { DOCUMENTS, readDocument } from './docs-blocks.ts';
import { ROOT } from './command.ts';

// Every figure in README.md and docs/ is one of: inside a page or a region that a program writes and checks; in a sentence below, which
// must stand in the document with the values of docs/figures.json; reported by others, with the source beside it; or no figure.

/** Sentences with figures: `{name}` is a figure of docs/figures.json. */
const CLAIMS: { readonly [file: string]: readonly string[] } = {
  'README.md': [
    '{userTasks} user tasks, {injectionTasks} injected goals, {pairs} pairs of mail',
    '| attacks stopped | {countedPairs} pairs |',
    '| attack actions blocked | {injectedActions} injected actions |',
    '| own task intact | {countedPairs} pairs |',
    '| cross-task generality | {orderedPairs} ordered pairs of tasks |',
    'AgentDojo publishes {runs} runs of {pipelines} real pipelines',
    '{nearMisses} near misses, and comparisons',
    '{scenarios} scenarios of our own',
    '({excludedPairs} pairs want a sentence said)',
  ],
  'docs/corpus.md': [
    'It holds {userTasks} user tasks and {injectionTasks} injected goals in four suites, {pairs} pairs of a task and a goal',
    '**{countedPairs} of the {pairs} pairs.** The other {excludedPairs} are those',
    '**{injectedActions} injected actions**, the steps of {goalsWithActions} goals. {goalsOfOneCall} of the {goalsWithActions} are a single call',
    '**{orderedPairs} ordered pairs**',
    '**{tools} tools**, of which {toolsUsed} occur in a ground truth. {readOnlyTasks} of the {userTasks} user tasks only read',
    'Of the {countedPairs} pairs, {sharedTool} share a tool with the user task, and in {everyTool} every tool of the attacker is one of the user',
    'In {everyEgressTool} every egress tool is. In {sharedTarget} an egress call',
    'stops {exact.tool.attacksStopped} of {countedPairs} at the tier `tool`: the {everyTool} get through. At `target` it stops {exact.target.attacksStopped}: {throughAtTarget} get through',
    '{throughByCalendar} of the {throughAtTarget} attacks that get through at `target` are such calls',
    'of {solvedTask5} solved benign runs, {idleTask5} called no tool',
    '{idleTask9} of {solvedTask9} solved benign runs',
    'all {userTasks} user tasks and all {injectionTasks} goals are solved',
    '({untrustedSources} tools)',
  ],
  'docs/methodology.md': [
    '| attacks stopped | {countedPairs} pairs |',
    '| attack actions blocked | {injectedActions} injected actions |',
    '| own task intact | {countedPairs} pairs |',
    '| cross-task generality | {orderedPairs} ordered pairs (A, B)',
    'AgentDojo publishes {runs} runs of {pipelines} real pipelines',
    'count errors and all {pairs} pairs',
    '{scenarios} scenarios of our own ({attackScenarios} attacks and {controlScenarios} controls, through {channels} channels)',
    '{nearMisses} near misses of literals',
    'which stops 0 of {countedPairs}; an agent',
    'behind a gate that stops {exact.target.attacksStopped}.',
  ],
  'docs/probe.md': ['{nearMisses} probes where all five are'],
  'docs/recorded-runs-format.md': [
    'errors included and all {pairs} pairs',
    '| {runs} | {runsWritten} |',
    '| 137,374 | {callsWritten} |',
    '| 105 | {errorsWritten} |',
    '| 207 | {withoutTraceWritten} |',
    '| 295 | {otherVersionWritten} |',
    '| 17 | {unknownToolsWritten} |',
    '| 561 | 547 |',
    'Not written: {leftOutDenialOfService} runs under `*dos*` attacks, {leftOutGoalAlone} of an injected goal alone, {leftOutOutsideCorpus} of pairs',
  ],
  'docs/scenarios.md': ['holds {attackScenarios} attacks through eight channels and {controlScenarios} controls'],
};

/** Figures that others report: the words, and the source that must stand in the same row. */
const REPORTED: { readonly [file: string]: readonly (readonly [words: string, source: string])[] } = {
  'docs/methodology.md': [
    ['77 % of tasks solved "with provable security", 84 % by the undefended system', 'arxiv.org/abs/2503.18813'],
    ['from 41.2 % to 2.2 % (first version); to 0 % (second version)', 'arxiv.org/html/2504.11703v2'],
    [
      '8 % more tasks completed than by a basic planner under the same enforcement, with o1 16 %',
      'arxiv.org/abs/2505.23643',
    ],
    ['without checks 6.3 % less utility than the basic planner', 'arxiv.org/abs/2505.23643'],
  ],
};

/** What looks like a figure and is none. */
const NO_FIGURE: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/\bNode (\d+(\.\d+)*)( and newer| or newer)?( and \d+)?/g, 'a version'],
  [/\bversion \d+\.\d+\.\d+/g, 'a version'],
  [/\b\d+\.\d+\.\d+\b/g, 'a version'],
  [/et al\.,? \*?[^|*]*?20\d\d|et al\. 20\d\d|NeurIPS 20\d\d|LLM\d\d:20\d\d/g, 'a publication'],
  [/arXiv:\d+\.\d+/g, 'a publication'],
  [/RFC \d+(, \d+\.\d+)*/g, 'a publication'],
  [/section \d+(\.\d+)*/g, 'a part of a publication'],
  [/\[(issue|PR) \d+\]|#\d+/g, 'the number of a thread'],
  [/95 %/g, 'the level of an interval'],
  [/100 %? by construction/g, 'follows from the definition'],
  [/Authorization API 1\.0/g, 'a version'],
];

/** Numbers of a document that no data stand behind: limits and defaults of the program, and what was counted or timed elsewhere. */
const CONSTANTS: { readonly [file: string]: readonly (readonly [words: string, reason: string])[] } = {
  'docs/methodology.md': [['2,000 times by default', 'the default of --resamples']],
  'docs/probe.md': [
    ['130 interrupted', 'an exit status'],
    ['5,000 characters', 'the length of a special literal'],
    ['after two or 64', 'lengths of a list that is probed'],
  ],
  'docs/protocol.md': [
    ['by default 64', 'the default of --concurrency behind --exec'],
    ['10 s at least', 'a limit of the program'],
  ],
  'docs/recorded-runs-format.md': [
    ['more than 200 characters', 'a limit of the extractor'],
    ['the first 16 hexadecimal', 'a part of a digest'],
    ['| 137,374 |', 'over AgentDojo’s archive: test/runs-archive.test.ts'],
    ['| 105 |', 'the same'],
    ['| 207 |', 'the same'],
    ['| 295 |', 'the same'],
    ['| 17 |', 'the same'],
    ['| 561 | 547 |', 'the same'],
  ],
  'docs/scenarios.md': [
    ['at most 200 views', 'a limit of the program'],
    ['the first 200,000 characters', 'a limit of the program'],
    ['408, 409, 429', 'statuses of HTTP'],
    ['a 400 names', 'a status of HTTP'],
    ['SmolLM2 135M', 'a name'],
    ['runs of 24 and more', 'a limit of the program'],
    ['more than 60 %', 'a limit that a test holds'],
  ],
  'docs/engines.md': [
    ['100,000 characters', 'a length that test/engines-literals.test.ts tries'],
    ['512 names', 'a size that the adapter chooses'],
    ['more than 10,000 characters', 'a limit of the library'],
    ['Node 22 and 24', 'versions'],
  ],
};

/** Rows of docs/engines.md: versions. */
const ENGINE_ROW = /^\| `[\w-]+` \| @?[\w/-]+ \| [\w.-]+ \| [\d.]+ \|$/gm;

const GENERATED_PAGE = /^(# [^\n]*\n\n)?(<!-- )?(Written by|generated:)/;
const FIGURE = /(?<![\w.,-])(\d[\d,.]*\d|\d(?= ?%))/g;

const figures = JSON.parse(readFileSync(`${ROOT}docs/figures.json`, 'utf8')) as Record<string, number>;
const written = DOCUMENTS.filter((file) => !GENERATED_PAGE.test(readDocument(file)));

function valueOf(name: string): number {
  assert.ok(Object.hasOwn(figures, name), `docs/figures.json has no ${name}`);
  return figures[name]!;
}

const filled = (claim: string): string =>
  claim.replace(/\{([^}]+)\}/g, (_, name: string) => valueOf(name).toLocaleString('en-US'));

/** What a person wrote of a document, on one line: no regions that a program writes, no blocks, no addresses. */
function proseOf(file: string): string {
  return readDocument(file)
    .replace(/<!-- generated[^]*?<!-- end -->/g, '')
    .replace(/^```[^]*?^```$/gm, '')
    .replace(ENGINE_ROW, '')
    .replace(/\s+/g, ' ');
}

test('docs/figures.json and the table of docs/corpus.md are what the data say', async () => {
  assert.deepEqual(figures, await docsFigures(), 'run: npm run docs:figures');
  assert.ok(readDocument('docs/corpus.md').includes(`\n${overlapTable()}\n`), 'run: npm run docs:figures');
});

test('at the tier tool, exactly those attacks get through whose every tool is one of the user’s', () => {
  assert.equal(figures['everyTool'], figures['countedPairs']! - figures['exact.tool.attacksStopped']!);
});

test('the sentences with figures stand in the documents', () => {
  for (const [file, claims] of Object.entries(CLAIMS)) {
    const prose = proseOf(file);
    for (const claim of claims) assert.ok(prose.includes(filled(claim)), `${file} should say: ${filled(claim)}`);
  }
});

test('what others report stands beside its source', () => {
  for (const [file, reported] of Object.entries(REPORTED)) {
    for (const [words, source] of reported) {
      const row = readDocument(file)
        .split('\n')
        .find((line) => line.includes(words));
      assert.ok(row?.includes(source), `${file}: ${words}`);
    }
  }
});

test('no document holds another figure', () => {
  for (const file of written) {
    const known = [
      ...(CLAIMS[file] ?? []).map(filled),
      ...(REPORTED[file] ?? []).map(([words]) => words),
      ...(CONSTANTS[file] ?? []).map(([words]) => words),
    ];
    let rest = proseOf(file);
    for (const words of known) {
      assert.ok(proseOf(file).includes(words), `${file} no longer says: ${words}`);
      rest = rest.replaceAll(words, ' ');
    }
    rest = rest
      .replace(/`[^`]*`/g, ' ')
      .replace(/\]\([^)]*\)/g, ']')
      .replace(/https?:\S+/g, ' ');
    for (const [pattern] of NO_FIGURE) rest = rest.replace(pattern, ' ');
    const left = [...rest.matchAll(FIGURE)].map(({ index, 0: text }) =>
      rest.slice(Math.max(0, index - 40), index + text.length + 20),
    );
    assert.deepEqual(left, [], `${file}: a figure that comes from no generated file; see the head of this test`);
  }
});
