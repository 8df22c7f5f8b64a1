import { assembleReport } from '../assemble.ts';
import { allowOptions, type CommandLine, optionChoice, optionChoices, optionText, usage } from '../cli-options.ts';
import { concurrencyOf, gateLimits, resamplesOf, seedOf, suitesOf } from '../gate-options.ts';
import { type Corpus, loadCorpus } from '../corpus.ts';
import { fallsShort, type Floor, parseFloor } from '../floors.ts';
import { commandGates, type FoundGate, lookUpGates, IN_EVERY_REPORT } from '../gate-lookup.ts';
import { hintsOf } from '../hint.ts';
import { invocation, reproducingCommand } from '../invocation.ts';
import { complain, type Io, wantsColor } from '../io.ts';
import { LANES, measureGates, type MeasureOptions } from '../measure.ts';
import { complainOfUnloaded, listeners, statusOf } from '../measure-events.ts';
import { checkOut, deliver } from '../output.ts';
import { ADAPTERS_FOLDER, CORPUS_FILES, CORPUS_FILES_SHOWN } from '../paths.ts';
import { createPlan, type Plan } from '../plan.ts';
import type { ProbeOptions } from '../probe/probe-gate.ts';
import { createProgress } from '../progress.ts';
import { FORMATS, loadRenderer } from '../render/index.ts';
import type { GateReport } from '../report.ts';
import { estimator } from '../intervals.ts';
import { groundTruth } from '../summarize.ts';
import { TIERS } from '../types.ts';

/** Which gates a run without names measures. */
const ALL_OWN = ['allow-all', 'deny-egress', 'deny-all', 'exact'];

/** The main job: gates on the ground truth. Exit status 0, or 1 for gate errors, 2 for an adapter that did not load, 130 interrupted. */
export async function bench(line: CommandLine, io: Io): Promise<number> {
  const settings = readSettings(line, io);
  const gates = findGates(line, io.cwd);
  const { plan, corpus } = readPlan(line, settings.seed);
  const progress = createProgress(io, line.options.has('quiet'));
  const reports = await measureGates(groundTruth(plan, estimator(plan, settings.resamples, settings.seed)), gates, {
    ...settings.measure,
    events: listeners(io, line.options.has('quiet'), progress),
    signal: io.signal,
  });
  const watch = { signal: io.signal, onProgress: progress.show };
  const probed = line.options.has('probe') ? await probeReports(corpus, gates, reports, settings, watch) : reports;
  progress.clear();
  const report = assembleReport(corpus, plan, settings, probed, reproducingCommand(line));
  const render = await loadRenderer(settings.format);
  const text = render(report, {
    by: settings.by,
    hints: hintsOf(plan, reports, line.options.get('exec')),
    invocation: invocation(io.cwd),
    color: wantsColor(io, line.options.has('no-color')),
  });
  const delivered = deliver(io, text, settings.out);
  complainOfUnloaded(io, reports);
  const short = settings.floors.flatMap((floor) => fallsShort(reports, floor));
  for (const message of short) complain(io, message);
  if (!delivered) return 2;
  return statusOf(probed, io.signal.aborted) || (short.length > 0 ? 1 : 0);
}

interface Settings {
  readonly format: (typeof FORMATS)[number];
  readonly by: 'suite' | 'tool' | undefined;
  readonly out: string | undefined;
  readonly floors: readonly Floor[];
  readonly seed: number;
  readonly resamples: number;
  readonly measure: Omit<MeasureOptions, 'events' | 'signal'>;
}

function readSettings(line: CommandLine, io: Io): Settings {
  allowOptions(line, 'the bench', [
    'tier',
    'suite',
    'order',
    'untrusted',
    'by',
    'format',
    'out',
    'seed',
    'resamples',
    'timeout',
    'memory',
    'concurrency',
    'exec',
    'fail-under',
    'probe',
  ]);
  const out = optionText(line, 'out');
  const by = line.options.has('by') ? optionChoice(line, 'by', ['suite', 'tool'], 'suite') : undefined;
  const settings: Settings = {
    format: optionChoice(line, 'format', FORMATS, 'text'),
    by,
    out,
    floors: (line.options.get('fail-under') ?? []).map(parseFloor),
    seed: seedOf(line),
    resamples: resamplesOf(line),
    measure: {
      tiers: optionChoices(line, 'tier', TIERS),
      concurrency: concurrencyOf(line),
      limits: gateLimits(line),
      lanes: LANES,
    },
  };
  const unmeasured = settings.floors.find(({ tier }) => !settings.measure.tiers.includes(tier));
  if (unmeasured) throw usage(`--fail-under ${unmeasured.typed}: the tier ${unmeasured.tier} is not measured`);
  const unbounded = settings.resamples === 0 && settings.floors.find(({ end }) => end === 'low');
  if (unbounded) throw usage(`--fail-under ${unbounded.typed}: there is no interval with --resamples 0`);
  checkOut(io, out);
  return settings;
}

/** Those named, after the two that every report begins with; without a name, the bench's own. */
function findGates({ words, options }: CommandLine, cwd: string): FoundGate[] {
  const named = [...lookUpGates(words, cwd, ADAPTERS_FOLDER), ...commandGates(options.get('exec'))];
  if (named.length === 0) return lookUpGates(ALL_OWN, ADAPTERS_FOLDER, ADAPTERS_FOLDER);
  const always = lookUpGates(IN_EVERY_REPORT, ADAPTERS_FOLDER, ADAPTERS_FOLDER);
  return [...always.filter((gate) => !named.some(({ url }) => url?.href === gate.url?.href)), ...named];
}

function readPlan(line: CommandLine, seed: number): { plan: Plan; corpus: Corpus } {
  const corpus = loadCorpus(CORPUS_FILES, CORPUS_FILES_SHOWN);
  const plan = createPlan(corpus, suitesOf(line, corpus), {
    order: optionChoice(line, 'order', ['after', 'exposure'], 'after'),
    untrusted: optionChoice(line, 'untrusted', ['measured', 'all-reads'], 'measured'),
    seed,
  });
  return { plan, corpus };
}

/** Adds to every gate but the controls, which are faithful to no policy, whether it can be trusted. */
async function probeReports(
  corpus: Corpus,
  gates: readonly FoundGate[],
  reports: readonly GateReport[],
  { seed, measure }: Settings,
  watch: Pick<ProbeOptions, 'signal' | 'onProgress'>,
): Promise<GateReport[]> {
  const { createProbePlan, withProbe } = await import('../probe/probe-gate.ts');
  const plan = createProbePlan(corpus, seed);
  const probed: GateReport[] = [];
  for (const [index, report] of reports.entries()) {
    if (report.control || report.failed !== undefined || watch.signal?.aborted) probed.push(report);
    else {
      const options = { limits: measure.limits, onOutput: () => {}, ...watch };
      probed.push(await withProbe(plan, gates[index]!, report, options));
    }
  }
  return probed;
}
