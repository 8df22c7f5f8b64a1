import { resolve } from 'node:path';
import { allowOptions, type CommandLine, optionChoice, optionText, usage } from '../cli-options.ts';
import { resamplesOf, seedOf } from '../gate-options.ts';
import { BenchError } from '../errors.ts';
import { complain, type Io } from '../io.ts';
import { suggest } from '../near.ts';
import { checkOut, deliver } from '../output.ts';
import { type CaseRecord, keyText } from '../scenarios/caseRecord.ts';
import { chooseScenarios } from '../scenarios/choose.ts';
import { recordedRuns } from '../scenarios/recordRuns.ts';
import { render, SCENARIO_FORMATS } from '../scenarios/render/index.ts';
import { renderCase } from '../scenarios/render/transcript.ts';
import { reportOn, statusOf } from '../scenarios/report.ts';
import { readStore, type StoreContent } from '../scenarios/store.ts';

function storeAt(io: Io, typed: string): StoreContent {
  const store = readStore(resolve(io.cwd, typed), typed);
  if (store === undefined) throw new BenchError('input', `${typed}: holds no case`);
  if (store.cut) complain(io, `${typed}: the last line is half-written and left out`);
  return store;
}

/** One order for every store: whatever order its cases ended in. */
function sorted(records: readonly CaseRecord[]): CaseRecord[] {
  const rank = ({ key }: CaseRecord): string[] => [
    key.target,
    key.defense === 'none' ? '' : key.defense,
    key.scenario,
    key.setting,
    String(key.repetition).padStart(6, '0'),
  ];
  const text = new Map(records.map((record) => [record, rank(record).join('\u0000')]));
  return records.toSorted((one, other) => (text.get(one)! < text.get(other)! ? -1 : 1));
}

/** The figures of stores, made from them alone. Exit status 1 if a row is nothing but errors. */
export function reportStores(line: CommandLine, io: Io): number {
  allowOptions(line, 'scenarios report', ['seed', 'resamples', 'by', 'format', 'out']);
  if (line.words.length === 0) throw usage('scenarios report needs a store');
  const out = optionText(line, 'out');
  const format = optionChoice(line, 'format', SCENARIO_FORMATS, 'text');
  const by = line.options.has('by') ? optionChoice(line, 'by', ['channel', 'family'], 'channel') : undefined;
  checkOut(io, out);
  const stores = line.words.map((typed) => ({ typed, content: storeAt(io, typed) }));
  const corpus = stores[0]!.content.header.corpus;
  const other = stores.find(({ content }) => content.header.corpus !== corpus);
  if (other) throw new BenchError('input', `${other.typed}: is a store of another corpus than ${stores[0]!.typed}`);
  const records = sorted(stores.flatMap(({ content }) => content.records));
  const keys = records.map(({ key }) => keyText(key));
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) throw new BenchError('input', `the case ${twice} is in the stores twice`);
  if (records.length === 0) throw new BenchError('input', `${line.words.join(', ')}: no case is finished`);
  const report = reportOn(records, {
    seed: seedOf(line),
    resamples: resamplesOf(line),
    corpus,
    command: stores.map(({ content }) => content.header.command).join('; '),
  });
  return deliver(io, render(report, format, by), out) ? statusOf(report) : 2;
}

/** One case of a store, call by call. A case is named by a part of its key that no other case holds. */
export function showCase(line: CommandLine, io: Io): number {
  allowOptions(line, 'scenarios show', []);
  const [typed, name, ...more] = line.words;
  if (typed === undefined || name === undefined || more.length > 0) {
    throw usage('scenarios show takes a store and a case, as in: scenarios show store.jsonl ID');
  }
  const records = sorted(storeAt(io, typed).records);
  const found = records.filter(
    ({ key }) => keyText(key) === name || keyText(key).split('/')[0] === name || keyText(key).startsWith(`${name}/`),
  );
  if (found.length === 0) {
    throw usage(
      `${typed} has no case ${JSON.stringify(name)}${suggest(
        name,
        records.map(({ key }) => key.scenario),
      )}`,
    );
  }
  if (found.length > 1) {
    const keys = found.slice(0, 10).map(({ key }) => keyText(key));
    throw usage(`${found.length} cases are of ${name}; name one of them:\n${keys.join('\n')}`);
  }
  io.stdout.write(renderCase(found[0]!));
  return 0;
}

/** Writes the runs of a store in the recorded runs' format. */
export function recordStore(line: CommandLine, io: Io): number {
  allowOptions(line, 'scenarios record', ['corpus', 'target', 'defense', 'out']);
  const [typed, ...more] = line.words;
  if (typed === undefined || more.length > 0) throw usage('scenarios record takes one store');
  const out = optionText(line, 'out');
  if (out === undefined) throw usage('scenarios record needs --out FILE');
  checkOut(io, out);
  const store = storeAt(io, typed);
  const { scenarios, sha256 } = chooseScenarios(line, io);
  if (store.header.corpus !== sha256) {
    throw new BenchError('input', `${typed}: is a store of another corpus; name it with --corpus`);
  }
  const wanted = { target: optionText(line, 'target'), defense: optionText(line, 'defense') };
  const records = sorted(store.records).filter(
    ({ key }) => (wanted.target ?? key.target) === key.target && (wanted.defense ?? key.defense) === key.defense,
  );
  const rows = [...new Set(records.map(({ key }) => `${key.target} ${key.defense}`))];
  if (rows.length === 0) throw usage(`${typed}: has no case of that target and defence`);
  if (rows.length > 1)
    throw usage(`${typed}: holds ${rows.length} targets and stacks; choose with --target and --defense`);
  const first = records.filter(({ key }) => key.repetition === 1);
  if (first.length < records.length) {
    complain(io, `the format has one run a task: ${records.length - first.length} repetitions are left out`);
  }
  return deliver(io, recordedRuns(first, scenarios, rows[0]!.replace(' none', '')), out) ? 0 : 2;
}
