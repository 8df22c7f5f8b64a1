import { resolve } from 'node:path';
import {
  allowOptions,
  type CommandLine,
  type OptionName,
  optionChoice,
  optionNumber,
  optionText,
  usage,
} from '../cli-options.ts';
import { gateLimits, resamplesOf, seedOf } from '../gate-options.ts';
import { checkedOutCommit } from '../commit.ts';
import { BenchError } from '../errors.ts';
import { shellWord } from '../invocation.ts';
import { complain, type Io } from '../io.ts';
import { gateOutput } from '../measure-events.ts';
import { checkOut, deliver } from '../output.ts';
import { ROOT_FOLDER } from '../paths.ts';
import { type Budget, createBudget, type Price } from '../scenarios/budget.ts';
import { type CaseRecord, STORE_SCHEMA, type StoreHeader, type StoreNote } from '../scenarios/caseRecord.ts';
import { chooseScenarios } from '../scenarios/choose.ts';
import { loadStack, type Stack } from '../scenarios/defenses/index.ts';
import { splitOutsideCommands } from '../scenarios/defenses/split.ts';
import { receiveGuests } from '../scenarios/guests.ts';
import { render, SCENARIO_FORMATS } from '../scenarios/render/index.ts';
import { reportOn, type ScenarioReport, statusOf } from '../scenarios/report.ts';
import { planCases, runCases } from '../scenarios/run.ts';
import type { AnyTarget } from '../scenarios/course.ts';
import { finishedCases, openStore, type Store } from '../scenarios/store.ts';
import { loadTarget } from '../scenarios/targets/index.ts';
import type { JsonObject } from '../scenarios/types.ts';
import { cannedWorld } from '../scenarios/world.ts';
import { packageVersion } from '../version.ts';

const COMMON: readonly OptionName[] = [
  'scenario',
  'channel',
  'corpus',
  'store',
  'repeat',
  'seed',
  'resamples',
  'concurrency',
  'timeout',
  'memory',
  'turn-timeout',
  'base-url',
  'max-rounds',
  'max-tokens',
  'temperature',
  'price',
  'max-cost',
  'by',
  'format',
  'out',
];

/** One target behind one stack. Exit status 1 if anything was compromised, or everything was an error. */
export async function runScenarios(line: CommandLine, io: Io): Promise<number> {
  allowOptions(line, 'scenarios run', ['target', 'defense', ...COMMON]);
  const target = optionText(line, 'target');
  if (target === undefined) throw usage('scenarios run needs --target; see --help');
  const { report, status } = await measure(line, io, [target], [optionText(line, 'defense') ?? 'none']);
  return status !== 0 ? status : Number(report.rows.some((row) => row.compromised.k > 0));
}

/** Every target behind every stack, in one table. Exit status 1 if a row is nothing but errors. */
export async function runMatrix(line: CommandLine, io: Io): Promise<number> {
  allowOptions(line, 'scenarios matrix', ['targets', 'defenses', ...COMMON]);
  const list = (option: 'targets' | 'defenses'): string[] => {
    const names = splitOutsideCommands(optionText(line, option) ?? '', ',');
    if (names.join('') === '') throw usage(`scenarios matrix needs --${option}; see --help`);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw usage(`--${option}: ${twice} is there twice`);
    return names;
  };
  return (await measure(line, io, list('targets'), list('defenses'))).status;
}

interface Settings {
  readonly seed: number;
  readonly resamples: number;
  readonly repeat: number;
  readonly concurrency: number;
  readonly turnMs: number;
  readonly model: {
    readonly baseUrl: string | undefined;
    readonly maxRounds: number;
    readonly maxTokens: number;
    readonly temperature: number;
  };
  readonly price: Price | undefined;
  readonly cap: number | undefined;
}

function settingsOf(line: CommandLine): Settings {
  const price = priceOf(optionText(line, 'price'));
  const cap = positive(line, 'max-cost');
  if (cap !== undefined && price === undefined) throw usage('--max-cost needs --price IN,OUT to know what tokens cost');
  return {
    seed: seedOf(line),
    resamples: resamplesOf(line),
    repeat: optionNumber(line, 'repeat', 1, 1, 10_000),
    concurrency: optionNumber(line, 'concurrency', 1, 1, 1000),
    turnMs: optionNumber(line, 'turn-timeout', 600_000, 1),
    model: {
      baseUrl: optionText(line, 'base-url'),
      maxRounds: optionNumber(line, 'max-rounds', 8, 0, 1000),
      maxTokens: optionNumber(line, 'max-tokens', 1024, 1, 1_000_000),
      temperature: positive(line, 'temperature') ?? 0,
    },
    price,
    cap,
  };
}

function priceOf(text: string | undefined): Price | undefined {
  if (text === undefined) return undefined;
  const [input = Number.NaN, output = Number.NaN, ...more] = text.split(',').map((part) => decimal(part));
  if (more.length > 0 || Number.isNaN(input) || Number.isNaN(output)) {
    throw usage(`--price takes two numbers, as in 0.5,1.5, found ${JSON.stringify(text)}`);
  }
  return { input, output };
}

const decimal = (text: string): number => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN);

function positive(line: CommandLine, name: 'max-cost' | 'temperature'): number | undefined {
  const text = optionText(line, name);
  if (text === undefined) return undefined;
  const value = decimal(text);
  if (Number.isNaN(value)) throw usage(`--${name} takes a number of at least 0, found ${JSON.stringify(text)}`);
  return value;
}

async function measure(
  line: CommandLine,
  io: Io,
  targetNames: readonly string[],
  stackNames: readonly string[],
): Promise<{ readonly report: ScenarioReport; readonly status: number }> {
  const settings = settingsOf(line);
  const format = optionChoice(line, 'format', SCENARIO_FORMATS, 'text');
  const by = line.options.has('by') ? optionChoice(line, 'by', ['channel', 'family'], 'channel') : undefined;
  const out = optionText(line, 'out');
  if (line.words.length > 0) throw usage(`what is ${JSON.stringify(line.words[0])}? targets and defences are options`);
  checkOut(io, out);
  const chosen = chooseScenarios(line, io);
  const command = commandOf(line, targetNames, stackNames);
  const requested: JsonObject = {
    seed: settings.seed,
    maxRounds: settings.model.maxRounds,
    maxTokens: settings.model.maxTokens,
    temperature: settings.model.temperature,
  };
  const header: StoreHeader = {
    kind: 'header',
    schema: STORE_SCHEMA,
    corpus: chosen.sha256,
    parameters: requested,
    command,
  };
  const store = storeOf(line, io, header);
  const opened: Stack[] = [];
  const guests = receiveGuests((message) => complain(io, message));
  try {
    // Without a cap as well: a later run with one has to know what this one spends.
    const budget = settings.price && createBudget(settings.cap ?? Number.POSITIVE_INFINITY, store?.spent ?? 0);
    const targets = await loadTargets(targetNames, io, settings, budget);
    for (const name of stackNames) opened.push(await openStack(name, line, io));
    const planned = planCases(chosen.scenarios, targets, opened, settings.repeat);
    const lines: (CaseRecord | StoreNote)[] = [];
    const records = await runCases(planned, {
      ...settings,
      world: cannedWorld,
      signal: io.signal,
      now: () => new Date(),
      corpus: chosen.sha256,
      version: packageVersion(),
      commit: checkedOutCommit(ROOT_FOLDER),
      requested,
      budget,
      finished: finishedCases(store?.records ?? []),
      onLine: (entry) => {
        store?.append(entry);
        if (entry.kind === 'note') lines.push(entry);
      },
      onProgress: progress(line, io),
    });
    await guests.settle();
    const report = reportOn(records, { ...settings, corpus: chosen.sha256, command });
    const delivered = deliver(io, render(report, format, by), out);
    for (const entry of lines)
      if (entry.kind === 'note') complain(io, `${entry.note}: ${records.length} of ${planned.length} cases are done`);
    tellErrors(io, records);
    const found = Math.max(endStatus(report, lines, records), Math.min(1, guests.strays()));
    return { report, status: io.signal.aborted ? 130 : delivered ? found : 2 };
  } finally {
    guests.leave();
    for (const stack of opened) for (const defense of stack.defenses) await defense.close?.();
    store?.close();
  }
}

function endStatus(report: ScenarioReport, notes: readonly unknown[], records: readonly CaseRecord[]): number {
  return notes.length > 0 || records.length === 0 ? 1 : statusOf(report);
}

const NO_FIGURE: ReadonlySet<OptionName> = new Set([
  'targets',
  'target',
  'defenses',
  'defense',
  'format',
  'out',
  'by',
  'store',
  'concurrency',
  'quiet',
  'no-color',
  'base-url',
  'max-cost',
  'price',
]);

/** The command without what changes no figure. */
function commandOf(line: CommandLine, targets: readonly string[], stacks: readonly string[]): string {
  const many = line.options.has('targets');
  const rest = [...line.options]
    .filter(([name]) => !NO_FIGURE.has(name))
    .map(([name, [value = '']]) => ` --${name} ${shellWord(value)}`);
  return many
    ? `scenarios matrix --targets ${shellWord(targets.join(','))} --defenses ${shellWord(stacks.join(','))}${rest.join('')}`
    : `scenarios run --target ${shellWord(targets.join())} --defense ${shellWord(stacks.join())}${rest.join('')}`;
}

function storeOf(line: CommandLine, io: Io, header: StoreHeader): Store | undefined {
  const typed = optionText(line, 'store');
  if (typed === undefined) return undefined;
  if (typed === '') throw usage('--store: the file name is empty');
  return openStore(resolve(io.cwd, typed), { header, shown: typed, warn: (message) => complain(io, message) });
}

async function loadTargets(
  names: readonly string[],
  io: Io,
  { model, price }: Settings,
  budget: Budget | undefined,
): Promise<AnyTarget[]> {
  const targets: AnyTarget[] = [];
  for (const name of names) {
    targets.push(await loadTarget(name, { cwd: io.cwd, env: io.env, model: { ...model, price, budget } }));
  }
  return targets;
}

function openStack(name: string, line: CommandLine, io: Io): Promise<Stack> {
  const limits = gateLimits(line);
  const output = gateOutput(io, line.options.has('quiet'));
  const onOutput = (text: string): void => output(name, text);
  return loadStack(name, { cwd: io.cwd, thread: { limits, onOutput, signal: io.signal } });
}

function progress(line: CommandLine, io: Io): (done: number, total: number) => void {
  if (line.options.has('quiet') || io.stderr.isTTY !== true) return () => {};
  return (done, total) => io.stderr.write(`\r\u001b[K${done < total ? `${done} of ${total} cases` : ''}`);
}

/** The first error of each kind of fault, so that nobody has to look into the store to see what is wrong. */
function tellErrors(io: Io, records: readonly CaseRecord[]): void {
  const seen = new Set<string>();
  for (const { key, error } of records) {
    if (!error || seen.has(`${key.target} ${key.defense} ${error.where}`)) continue;
    seen.add(`${key.target} ${key.defense} ${error.where}`);
    complain(
      io,
      new BenchError('input', `${key.scenario}: ${key.target}, ${key.defense}: ${error.where}: ${error.message}`)
        .message,
    );
  }
}
