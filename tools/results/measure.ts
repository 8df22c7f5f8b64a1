import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ProbeReport } from '../../src/probe/findings.ts';
import type { ProbeRun } from '../../src/probe/run-report.ts';
import { isMeasured, type MeasuredTier, type Report, type Statistic } from '../../src/report.ts';
import type { PipelineReport, RunsTier } from '../../src/runs/measurement.ts';
import type { RunsReport } from '../../src/runs/report.ts';
import { type Figure, FIGURES } from '../../src/score.ts';
import { type Tier, TIERS } from '../../src/types.ts';
import type { ListedGate } from './gates.ts';

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));
/** The recorded pipelines that every gate is put between: one that is often breached, and one that seldom is. */
export const PIPELINES = ['gpt-4o-2024-05-13', 'claude-3-7-sonnet-20250219'] as const;
/** `limits` is quoted in the order in which it is no tautology. */
const IN_ORDER: Readonly<Record<Tier, 'after' | 'exposure'>> = {
  effect: 'after',
  tool: 'after',
  target: 'after',
  limits: 'exposure',
  origin: 'after',
};

const RUN_FIGURES = ['solvedRunsIntact', 'solvedRunsEgressIntact', 'breachesStopped'] as const;
type RunFigures = { readonly [figure in (typeof RUN_FIGURES)[number]]: Statistic };

/** One tier of a gate, on the ground truth and on the recorded runs. */
export interface TierRow {
  readonly tier: Tier;
  readonly order: 'after' | 'exposure';
  readonly figures: { readonly [figure in Figure]: Statistic };
  readonly errors: number;
  /** In the order of `PIPELINES`. */
  readonly runs: readonly (RunFigures & { readonly errors: number })[];
}

/** What the probe found, without its examples, and without how much it asked. */
export type ProbeRow = Omit<ProbeReport, 'flags' | 'classes' | 'probes'> & {
  readonly flags: readonly string[];
  readonly classes: readonly { readonly class: string; readonly leaks: number; readonly refused: number }[];
};

/** What is published of a gate. `usACheck` is a time, and may differ from run to run; everything else may not. */
export interface GateRow {
  readonly name: string;
  readonly package: string | null;
  readonly version: string | null;
  readonly licence: string | null;
  readonly native: readonly string[];
  readonly tiers: readonly (TierRow | { readonly tier: Tier; readonly na: string })[];
  readonly probe: ProbeRow | null;
  readonly usACheck: number | null;
}

/** Runs the bench as a user would. Exit status 1 is a finding, and none of ours. */
async function bench<T>(args: readonly string[]): Promise<T> {
  const command = ['run.mjs', ...args, '--format', 'json', '--quiet', '--timeout', '10000'];
  const child = spawn(process.execPath, command, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err]: string[][] = [[], []];
  child.stdout.setEncoding('utf8').on('data', (text: string) => out!.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => err!.push(text));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  if (status !== 0 && status !== 1) throw new Error(`node ${command.join(' ')}: ${err!.join('')}`);
  return JSON.parse(out!.join('')) as T;
}

const lastOf = <T>(gates: readonly T[]): T => gates.at(-1)!;

/** Every figure of one gate but its time. With `probed`, what the probe finds, too. */
export async function measureRow(gate: ListedGate, probed: boolean): Promise<GateRow> {
  const after = TIERS.filter((tier) => IN_ORDER[tier] === 'after').join();
  const main = lastOf((await bench<Report>([...gate.args, '--tier', after])).gates);
  const exposed = lastOf((await bench<Report>([...gate.args, '--tier', 'limits', '--order', 'exposure'])).gates);
  const recorded = lastOf((await bench<RunsReport>(['runs', ...gate.args, '--pipeline', PIPELINES.join()])).gates);
  const tiers = TIERS.map((tier) => {
    const from = IN_ORDER[tier] === 'after' ? main : exposed;
    const truth = from.tiers.find((one) => one.tier === tier)!;
    const runs = recorded.tiers.find((one) => one.tier === tier)!;
    if (!isMeasured(truth) || !isMeasured(runs)) return { tier, na: gate.missing[tier] ?? 'not offered' };
    return tierRow(truth, runs);
  });
  return {
    name: gate.name,
    package: main.engine?.name ?? null,
    version: main.engine?.version ?? null,
    licence: main.engine === undefined ? null : (gate.licence ?? licenceOf(main.engine.name)),
    native: Object.keys(main.clauses ?? {}).filter(
      (clause) => (main.clauses as Record<string, string>)[clause] === 'native',
    ),
    tiers,
    probe: probed ? await measureProbe(gate) : null,
    usACheck: null,
  };
}

/** What the probe finds, with a seed that is always the same. */
export async function measureProbe({ args }: ListedGate): Promise<ProbeRow> {
  return probeRow(lastOf((await bench<ProbeRun>(['probe', ...args, '--seed', '1'])).gates).probe!);
}

function tierRow(truth: MeasuredTier, runs: RunsTier): TierRow {
  return {
    tier: truth.tier,
    order: IN_ORDER[truth.tier],
    figures: pick(truth, FIGURES),
    errors: truth.errors,
    runs: PIPELINES.map((pipeline) => {
      const one: PipelineReport = runs.pipelines.find((report) => report.pipeline === pipeline)!;
      return { ...pick(one, RUN_FIGURES), errors: runs.errors };
    }),
  };
}

function pick<K extends string>(
  from: { readonly [key in K]: Statistic },
  keys: readonly K[],
): { [key in K]: Statistic } {
  return Object.fromEntries(keys.map((key) => [key, rounded(from[key])])) as { [key in K]: Statistic };
}

/** Six decimal places: the last bits of a quotient are no result. */
function rounded({ rate, low, high, ...rest }: Statistic): Statistic {
  const short = (value: number): number => Math.round(value * 1e6) / 1e6;
  return {
    ...rest,
    rate: rate === null ? null : short(rate),
    ...(low !== undefined && { low: short(low) }),
    ...(high !== undefined && { high: short(high) }),
  };
}

/** A probe's report without its examples. */
export function probeRow(report: ProbeReport): ProbeRow {
  const { leaks, lenient, refused, errors, firstError, unchecked, flags, classes } = report;
  return {
    leaks,
    lenient,
    refused,
    errors,
    firstError,
    unchecked,
    flags: [...new Set(flags.map(({ flag }) => flag))],
    classes: classes
      .filter((one) => one.leaks + one.refused > 0)
      .map((one) => ({ class: one.class, leaks: one.leaks, refused: one.refused })),
  };
}

/**
 * What a check costs, in microseconds: the least of three runs at `target`, or at the tightest tier below it. Of a run, the middle
 * of its checks; of a command, its whole time by its checks, as many are in flight.
 */
export async function measureTime({ args, kind, missing }: ListedGate): Promise<number> {
  const tier = (['target', 'tool', 'effect'] satisfies Tier[]).find((one) => missing[one] === undefined)!;
  const times: number[] = [];
  for (let run = 0; run < 3; run++) {
    const { gates } = await bench<Report>([...args, '--tier', tier, '--resamples', '0']);
    const measured = lastOf(gates).tiers.find(isMeasured)!;
    if (measured.timing === null) throw new Error(`${args.join(' ')}: ${measured.firstError}`);
    const { totalMs, checks, p50Us } = measured.timing;
    times.push(kind === 'pypi' ? (1000 * totalMs) / checks : p50Us!);
  }
  return Number(Math.min(...times).toPrecision(2));
}

function licenceOf(name: string): string {
  const lock = JSON.parse(readFileSync(`${ROOT}engines/package-lock.json`, 'utf8')) as {
    packages: Record<string, { license?: string }>;
  };
  const licence = lock.packages[`node_modules/${name}`]?.license;
  if (licence === undefined) throw new Error(`engines/package-lock.json names no licence of ${name}`);
  return licence;
}
