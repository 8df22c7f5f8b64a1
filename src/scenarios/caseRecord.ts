import type { CaseKey, CaseResult } from './outcome.ts';
import type { Channel, Family, JsonObject } from './types.ts';

/** The schema of a store; docs/scenarios.md says what each member means. */
export const STORE_SCHEMA = 'toolgate-bench/scenarios@1';

/** The first line of a store. */
export interface StoreHeader {
  readonly kind: 'header';
  readonly schema: typeof STORE_SCHEMA;
  /** SHA-256 of the corpus file. */
  readonly corpus: string;
  /** What a case depends on beside its key; another value is another measurement. */
  readonly parameters: JsonObject;
  /** The command line that began the store. */
  readonly command: string;
}

/** One finished case. */
export interface CaseRecord extends CaseResult {
  readonly kind: 'case';
  readonly key: CaseKey;
  readonly channel: Channel;
  readonly family: Family;
  readonly corpus: string;
  readonly version: string;
  /** The program's commit; null: not run from a repository. */
  readonly commit: string | null;
  /** UTC, ISO 8601. */
  readonly time: string;
  readonly seed: number;
  readonly requested: JsonObject;
  /** In the currency of the price; null: without a price, or usage unknown. */
  readonly cost: number | null;
  /** What the runs of this store have come to so far, failed cases included; absent without a price. */
  readonly spent?: number;
}

/** Something about a run that is no case. */
export interface StoreNote {
  readonly kind: 'note';
  readonly time: string;
  readonly note: 'stopped at the cap' | 'interrupted';
  readonly spent?: number;
}

/** A key as text: what tells finished cases from others. */
export function keyText({ scenario, setting, target, defense, repetition }: CaseKey): string {
  return `${scenario}/${setting}/${target}/${defense}/${repetition}`;
}
