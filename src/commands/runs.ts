import { allowOptions, type CommandLine, optionChoice, optionChoices, optionText, usage } from '../cli-options.ts';
import { concurrencyOf, gateLimits, resamplesOf, seedOf, suitesOf } from '../gate-options.ts';
import type { Corpus, Suite } from '../corpus.ts';
import { commandGates, lookUpGates } from '../gate-lookup.ts';
import type { BenchError } from '../errors.ts';
import { environment } from '../environment.ts';
import { reproducingCommand } from '../invocation.ts';
import type { Io } from '../io.ts';
import { LANES, measureGates } from '../measure.ts';
import { complainOfUnloaded, listeners, statusOf } from '../measure-events.ts';
import { suggest } from '../near.ts';
import { checkOut, deliver } from '../output.ts';
import { ADAPTERS_FOLDER } from '../paths.ts';
import { untrustedSources } from '../plan.ts';
import { createProgress } from '../progress.ts';
import { FORMATS } from '../render/index.ts';
import { loadRunsRenderer } from '../render/runs-formats.ts';
import { renderRunsList } from '../render/runs-list.ts';
import { REPORT_SCHEMA } from '../report.ts';
import { agentDojoRows } from '../runs/agentdojo.ts';
import { findRecordings } from '../runs/find.ts';
import { planRuns, recordedRuns } from '../runs/measurement.ts';
import { isDenialOfService, type Recording } from '../runs/recording.ts';
import type { RunsReport } from '../runs/report.ts';
import { TIERS } from '../types.ts';
import { corpusOfRecordings } from './runs-corpus.ts';

const DEFAULT_ATTACK = 'important_instructions';

/** Gates on recorded runs; with `--list`, what was recorded. Exit statuses as of the bench. */
export async function runs(line: CommandLine, io: Io): Promise<number> {
  const names = listOf(line, 'pipeline');
  const corpus = await corpusOfRecordings(line, io, names);
  const suites = suitesOf(line, corpus);
  const recordings = findRecordings(corpus, names, io.cwd);
  return line.options.has('list') ? list(line, io, recordings, suites) : measure(line, io, corpus, suites, recordings);
}

function list(line: CommandLine, io: Io, recordings: readonly Recording[], suites: readonly Suite[]): number {
  allowOptions(line, 'runs --list', ['list', 'pipeline', 'corpus', 'attack', 'suite', 'format', 'out']);
  if (line.words.length > 0) throw usage(`runs --list takes no gate, found ${line.words[0]}`);
  const format = optionChoice(line, 'format', ['text', 'json'], 'text');
  const out = optionText(line, 'out');
  checkOut(io, out);
  const attacks = listOf(line, 'attack') === undefined ? undefined : attacksOf(line, recordings);
  const rows = recordings
    .flatMap((recording) => agentDojoRows(recording, suites))
    .filter(({ attack }) => attacks === undefined || (attack !== null && attacks.includes(attack)));
  return deliver(io, format === 'json' ? `${JSON.stringify(rows, null, 2)}\n` : renderRunsList(rows, recordings), out)
    ? 0
    : 2;
}

async function measure(
  line: CommandLine,
  io: Io,
  corpus: Corpus,
  suites: readonly Suite[],
  recordings: readonly Recording[],
): Promise<number> {
  allowOptions(line, 'runs', [
    'pipeline',
    'corpus',
    'attack',
    'tier',
    'suite',
    'untrusted',
    'format',
    'out',
    'seed',
    'resamples',
    'timeout',
    'memory',
    'concurrency',
    'exec',
  ]);
  const format = optionChoice(line, 'format', FORMATS, 'text');
  const out = optionText(line, 'out');
  const seed = seedOf(line);
  const resamples = resamplesOf(line);
  const untrusted = optionChoice(line, 'untrusted', ['measured', 'all-reads'], 'measured');
  const attacks = attacksOf(line, recordings);
  const named = [...lookUpGates(line.words, io.cwd, ADAPTERS_FOLDER), ...commandGates(line.options.get('exec'))];
  const gates = named.length > 0 ? named : lookUpGates(['exact'], io.cwd, ADAPTERS_FOLDER);
  checkOut(io, out);
  const chosen = planRuns(suites, recordings, attacks);
  const plan = { suites, chosen, untrustedSources: untrustedSources(corpus, untrusted), seed, resamples };
  const quiet = line.options.has('quiet');
  const progress = createProgress(io, quiet);
  const reports = await measureGates(recordedRuns(plan), gates, {
    tiers: optionChoices(line, 'tier', TIERS),
    concurrency: concurrencyOf(line),
    lanes: LANES,
    limits: gateLimits(line),
    signal: io.signal,
    events: listeners(io, quiet, progress),
  });
  progress.clear();
  const { id, version } = corpus.header;
  const report: RunsReport = {
    schema: REPORT_SCHEMA,
    kind: 'runs',
    command: reproducingCommand({ ...line, words: ['runs', ...line.words] }),
    corpus: { id, version, sha256: corpus.sha256, toolsSha256: corpus.toolsSha256 },
    suites: suites.map((suite) => suite.name),
    attacks,
    untrusted,
    seed,
    resamples,
    environment: environment(),
    gates: reports,
  };
  const delivered = deliver(io, (await loadRunsRenderer(format))(report), out);
  complainOfUnloaded(io, reports);
  return delivered ? statusOf(reports, io.signal.aborted) : 2;
}

function listOf(line: CommandLine, name: 'pipeline' | 'attack'): string[] | undefined {
  return optionText(line, name)
    ?.split(',')
    .map((one) => one.trim());
}

/** The attacks asked for; each must be in one of the recordings at least. */
function attacksOf(line: CommandLine, recordings: readonly Recording[]): string[] {
  const known = [...new Set(recordings.flatMap((recording) => recording.attacks))].toSorted();
  const asked = [...new Set(listOf(line, 'attack') ?? (known.includes(DEFAULT_ATTACK) ? [DEFAULT_ATTACK] : known))];
  const unknown = asked.find((attack) => !known.includes(attack));
  if (unknown !== undefined) throw unknownAttack(unknown, known);
  if (asked.length === 0) throw usage('the recordings hold benign runs only: there is no attack to measure a gate on');
  return asked;
}

function unknownAttack(attack: string, known: readonly string[]): BenchError {
  const hint = isDenialOfService(attack)
    ? ': attacks called *dos* have no goal to meet but failure, and are left out'
    : suggest(attack, known) || ` (there are ${known.join(', ') || 'none'})`;
  return usage(`--attack: no recorded attack is called ${JSON.stringify(attack)}${hint}`);
}
