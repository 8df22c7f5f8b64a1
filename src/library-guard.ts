import { BenchError } from './errors.ts';
import { suggest } from './near.ts';
import { DEFAULT_TIERS, type Gate, type Tier, TIERS } from './types.ts';

/** The tiers that a gate lists, or those of a gate that names none. */
export function tiersOf(gate: Gate): readonly Tier[] {
  return gate.tiers ?? DEFAULT_TIERS;
}

/** What the bench requires of a gate before it asks it. @throws {BenchError} `gate` */
export function requireGate(gate: Gate): Gate {
  const given: Partial<Gate> | null | undefined = gate;
  if (typeof given !== 'object' || given === null) throw refused('is no object with name and createSession');
  if (typeof given.name !== 'string' || given.name.trim() === '')
    throw refused('has a name that is no string, or empty');
  if (typeof given.createSession !== 'function') throw refused(`${given.name} has no createSession function`);
  const { tiers = DEFAULT_TIERS } = given;
  if (!Array.isArray(tiers) || tiers.length === 0) throw refused(`${given.name} has tiers that are no list of tiers`);
  const unknown: unknown = tiers.find((tier: unknown) => !TIERS.some((known) => known === tier));
  if (unknown !== undefined) {
    throw refused(`${given.name} lists the tier ${JSON.stringify(unknown)}, which is none of ${TIERS.join(', ')}`);
  }
  return gate;
}

function refused(why: string): BenchError {
  return new BenchError('gate', `the gate ${why}`);
}

/** @throws {BenchError} `usage` for anything but a whole number that is `least` or more */
export function requireCount(option: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= 0xffff_ffff) return;
  throw new BenchError('usage', `${option}: expected a whole number, ${least} or more, found ${String(value)}`);
}

/** @throws {BenchError} `usage` for anything but one of the choices */
export function requireChoice(option: string, value: string, choices: readonly string[]): void {
  if (choices.includes(value)) return;
  throw new BenchError('usage', `${option}: expected one of ${choices.join(', ')}, found ${JSON.stringify(value)}`);
}

/** What `replayGate` takes. */
export const REPLAY_OPTIONS: readonly string[] = ['corpus', 'suites', 'order', 'untrusted', 'seed', 'concurrency'];
/** What `measureGate` and `reportOn` take. */
export const MEASURE_OPTIONS: readonly string[] = [...REPLAY_OPTIONS, 'tiers', 'resamples'];

/** An option under another name would be left out in silence. @throws {BenchError} `usage`, with near names */
export function requireOptions(options: object, known: readonly string[]): void {
  for (const name of Object.keys(options)) {
    if (!known.includes(name))
      throw new BenchError('usage', `no option is called ${JSON.stringify(name)}${suggest(name, known)}`);
  }
}

/** @throws {BenchError} `usage` for an empty list of tiers, or one that holds something else */
export function requireTiers(tiers: readonly Tier[] | undefined): void {
  if (tiers?.length === 0) throw new BenchError('usage', 'tiers: the list is empty; leave it out for all of them');
  for (const tier of tiers ?? []) requireChoice('tiers', tier, TIERS);
}
