import { availableParallelism } from 'node:os';
import type { Batch } from './batch.ts';
import { BenchError } from './errors.ts';
import type { OpenGate, Replayed } from './gate.ts';
import type { FoundGate } from './gate-lookup.ts';
import { openFound } from './open-found.ts';
import type { ThreadOptions } from './gate-thread.ts';
import type { GateReport, NotMeasured } from './report.ts';
import type { Tier } from './types.ts';

/** How many gates are measured side by side unless somebody says otherwise. */
export const LANES: number = Math.min(4, availableParallelism());

/** What gates are measured on, and what is made of the verdicts. */
export interface Measurement<T> {
  /** The sessions at a tier; asked for once a tier. */
  readonly batch: (tier: Tier) => Batch;
  readonly summarize: (tier: Tier, batch: Batch, replayed: Replayed) => T;
}

export interface MeasureOptions extends Pick<ThreadOptions, 'limits' | 'signal'> {
  readonly tiers: readonly Tier[];
  /** Sessions in flight at once; undefined: 1, or what a command's gate finds best. */
  readonly concurrency: number | undefined;
  /** Gates measured at the same time, each in its own thread. The bench's own run beside them, one after the other. */
  readonly lanes: number;
  readonly events: MeasureEvents;
}

/** What happens on the way, for whoever watches. */
export interface MeasureEvents {
  /** What a gate wrote to standard output or standard error. */
  readonly onOutput: (gate: string, text: string) => void;
  readonly onWarning: (gate: string, message: string) => void;
  readonly onProgress: (gate: string, tier: Tier, done: number, total: number) => void;
}

/** Measures every gate at every tier; the reports stand in the order of the gates. What one gate does harms no other. */
export async function measureGates<T>(
  measurement: Measurement<T>,
  gates: readonly FoundGate[],
  options: MeasureOptions,
): Promise<GateReport<T>[]> {
  const batches = new Map<Tier, Batch>();
  const batch = (tier: Tier): Batch => {
    if (!batches.has(tier)) batches.set(tier, measurement.batch(tier));
    return batches.get(tier)!;
  };
  const cached = { ...measurement, batch };
  const reports = new Map<FoundGate, GateReport<T>>();
  const lane = async (queue: FoundGate[]): Promise<void> => {
    for (let gate = queue.shift(); gate !== undefined; gate = queue.shift()) {
      reports.set(gate, await measureGate(cached, gate, options));
    }
  };
  const others = gates.filter((gate) => gate.own === null);
  const own = gates.filter((gate) => gate.own !== null);
  // The threads of the others start while the bench's own gates are measured.
  await Promise.all([...Array.from({ length: options.lanes }, () => lane(others)), lane(own)]);
  return refuseTwins(
    gates,
    gates.map((gate) => reports.get(gate)!),
  );
}

async function measureGate<T>(
  measurement: Measurement<T>,
  found: FoundGate,
  options: MeasureOptions,
): Promise<GateReport<T>> {
  const { typed, own } = found;
  const { limits, signal, events } = options;
  const identity = { file: typed, control: own === 'control' };
  const failed = (message: string): GateReport<T> => ({ name: typed, ...identity, failed: message, tiers: [] });
  if (signal?.aborted) return failed('interrupted');
  const opening = openFound(found, { limits, signal, onOutput: (text) => events.onOutput(typed, text) });
  // While the thread starts there is time to lay out what it will replay.
  for (const tier of options.tiers.slice(0, 1)) measurement.batch(tier);
  let gate: OpenGate;
  try {
    gate = await opening;
  } catch (error) {
    if (error instanceof BenchError && error.code === 'gate') return failed(error.message);
    throw error;
  }
  const { tiers: offered, ...info } = gate.info;
  const tiers: (T | NotMeasured)[] = [];
  // What a tier came to is worked out while the thread replays the next.
  let summarizeLast = (): void => {};
  for (const tier of options.tiers) {
    const measuring = offered.includes(tier) ? replayTier(measurement, gate, tier, options) : null;
    summarizeLast();
    const summary = await measuring;
    summarizeLast = () => void tiers.push(summary === null ? { tier, na: 'not offered' } : summary());
  }
  summarizeLast();
  await gate.close();
  return { ...info, ...identity, tiers };
}

/** Replays a tier; what comes back makes the summary of it. */
async function replayTier<T>(
  { batch, summarize }: Measurement<T>,
  gate: OpenGate,
  tier: Tier,
  { concurrency, signal, events }: MeasureOptions,
): Promise<() => T | NotMeasured> {
  const { name } = gate.info;
  if (signal?.aborted) return () => ({ tier, na: 'interrupted' });
  const replayed = await gate.replay(batch(tier), {
    ...(concurrency !== undefined && { concurrency }),
    onProgress: (done, total) => events.onProgress(name, tier, done, total),
  });
  if (signal?.aborted && replayed.cutShort !== null) return () => ({ tier, na: 'interrupted' });
  if (replayed.warning !== null) events.onWarning(name, replayed.warning);
  return () => {
    const { length } = replayed.verdicts;
    // Working out intervals may take longer than the checks did.
    events.onProgress(name, tier, length, length);
    return summarize(tier, batch(tier), replayed);
  };
}

/** A name must tell one gate of a report from another: the bench's own keep theirs, then whoever stands first. */
function refuseTwins<T>(gates: readonly FoundGate[], reports: readonly GateReport<T>[]): GateReport<T>[] {
  const holders = new Map<string, number>();
  const own = (index: number): boolean => gates[index]!.own !== null;
  for (const first of [true, false]) {
    for (const [index, { name, failed }] of reports.entries()) {
      if (failed === undefined && own(index) === first && !holders.has(name)) holders.set(name, index);
    }
  }
  return reports.map((report, index) => {
    const holder = holders.get(report.name);
    if (report.failed !== undefined || holder === undefined || holder === index) return report;
    const failed = `${report.file}: ${twinFault(report.name, gates[index]!, gates[holder]!)}`;
    return { name: report.file, file: report.file, control: false, failed, tiers: [] };
  });
}

function twinFault(name: string, twin: FoundGate, holder: FoundGate): string {
  if (twin.url?.href === holder.url?.href && twin.url !== null)
    return `is the same adapter as ${holder.typed}; name it once`;
  const whose = holder.own === null ? holder.typed : `the bench's own adapters/${name}.mjs`;
  return `the name ${JSON.stringify(name)} is used twice, and ${whose} keeps it; give this gate another`;
}
