import { pathToFileURL } from 'node:url';
import { assembleReport } from './assemble.ts';
import { BenchError } from './errors.ts';
import { IN_EVERY_REPORT } from './gate-lookup.ts';
import { bundledCorpus, measureGate, type MeasureGateOptions, suitesOf } from './library.ts';
import { requireGate, requireTiers, tiersOf } from './library-guard.ts';
import { ADAPTERS_FOLDER } from './paths.ts';
import { createPlan } from './plan.ts';
import { type Format, FORMATS, loadRenderer, type RenderOptions } from './render/index.ts';
import type { GateReport, Report } from './report.ts';
import { type Gate, TIERS } from './types.ts';

/**
 * Measures gates in this process, one after the other, and puts them into a report behind the controls allow-all and deny-egress.
 * `tiers` defaults to all; a tier that a gate does not list is n/a.
 * @throws {BenchError} as `measureGate` does, and `usage` for two gates of one name
 */
export async function reportOn(gates: readonly Gate[], options: MeasureGateOptions = {}): Promise<Report> {
  const names = gates.map((gate) => requireGate(gate).name);
  const twin = names.find((name, at) => names.indexOf(name) !== at || IN_EVERY_REPORT.includes(name));
  if (twin !== undefined) throw new BenchError('usage', `two gates of the report are called ${JSON.stringify(twin)}`);
  requireTiers(options.tiers);
  const reports: GateReport[] = [];
  for (const control of IN_EVERY_REPORT) reports.push(await measured(await bundledGate(control), true, options));
  for (const gate of gates) reports.push(await measured(gate, false, options));
  const { corpus = bundledCorpus(), order = 'after', untrusted = 'measured', seed = 1, resamples = 0 } = options;
  const plan = createPlan(corpus, suitesOf(corpus, options.suites), { order, untrusted, seed });
  const { corpus: _, ...said } = options;
  const command = `reportOn([${names.join(', ')}], ${JSON.stringify(said)})`;
  return assembleReport(corpus, plan, { seed, resamples }, reports, command);
}

/** What a renderer may be asked for beside the report; everything is optional. */
export interface RenderReportOptions {
  /** A breakdown below the table; `text` only. */
  readonly by?: 'suite' | 'tool';
  /** Whether the text is for a terminal that shows colours; `text` only. Default false. */
  readonly color?: boolean;
}

/**
 * A report as text, JSON, Markdown or one HTML page, as the command line writes it. Strings from outside are escaped for where
 * they go.
 * @throws {BenchError} `usage` for an unknown format
 */
export async function renderReport(
  report: Report,
  format: Format = 'text',
  { by, color = false }: RenderReportOptions = {},
): Promise<string> {
  const options: RenderOptions = { by, color };
  if (!FORMATS.includes(format)) throw new BenchError('usage', `no format is called ${JSON.stringify(format)}`);
  return (await loadRenderer(format))(report, options);
}

async function bundledGate(name: string): Promise<Gate> {
  const module = (await import(pathToFileURL(`${ADAPTERS_FOLDER}${name}.mjs`).href)) as { default: Gate };
  return module.default;
}

async function measured(gate: Gate, control: boolean, options: MeasureGateOptions): Promise<GateReport> {
  const { name, engine, clauses } = gate;
  const asked = options.tiers ?? TIERS;
  const offered = asked.filter((tier) => tiersOf(gate).includes(tier));
  const tiers = offered.length === 0 ? [] : await measureGate(gate, { ...options, tiers: offered });
  return {
    name,
    ...(engine !== undefined && { engine }),
    ...(clauses !== undefined && { clauses }),
    file: name,
    control,
    tiers: asked.map((tier) => tiers.find((one) => one.tier === tier) ?? { tier, na: 'not offered' }),
  };
}
