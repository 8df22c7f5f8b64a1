import type { CaseRecord } from './caseRecord.ts';
import { type FigureOptions, figuresOf, type Row } from './figures.ts';
import { CHANNELS } from './types.ts';

/** What a run, or stores, come to. */
export interface ScenarioReport {
  readonly schema: 'toolgate-bench/scenarios-report@1';
  /** SHA-256 of the corpus. */
  readonly corpus: string;
  /** How many adversarial scenarios and how many controls there are records of. */
  readonly scenarios: { readonly adversarial: number; readonly controls: number };
  readonly command: string;
  readonly seed: number;
  readonly resamples: number;
  readonly versions: readonly string[];
  readonly commits: readonly string[];
  readonly channels: readonly string[];
  readonly rows: readonly Row[];
}

/** What a report says of itself beside its figures. */
export interface ReportContext extends FigureOptions {
  readonly corpus: string;
  readonly command: string;
}

/** The report on records; rows stand in the order in which their target and stack are first met. */
export function reportOn(records: readonly CaseRecord[], context: ReportContext): ScenarioReport {
  const ids = (adversarial: boolean): number =>
    new Set(records.filter(({ outcome }) => (outcome !== null) === adversarial).map(({ key }) => key.scenario)).size;
  const distinct = (values: readonly (string | null)[]): string[] =>
    [...new Set(values.filter((value) => value !== null))].toSorted();
  const channels = new Set(records.map(({ channel }) => channel));
  return {
    schema: 'toolgate-bench/scenarios-report@1',
    corpus: context.corpus,
    scenarios: { adversarial: ids(true), controls: ids(false) },
    command: context.command,
    seed: context.seed,
    resamples: context.resamples,
    versions: distinct(records.map(({ version }) => version)),
    commits: distinct(records.map(({ commit }) => commit)),
    channels: CHANNELS.filter((channel) => channels.has(channel)),
    rows: figuresOf(records, context),
  };
}

/** 1 when a row has nothing but errors, else 0. */
export function statusOf({ rows }: ScenarioReport): number {
  return rows.some((row) => row.errors === row.cases) ? 1 : 0;
}
