import {
  asArray,
  asCount,
  asName,
  asObject,
  asOneOf,
  asString,
  inside,
  type Place,
  refuse,
  show,
} from './json-guard.ts';
import { HONESTY_FLAGS } from './probe/findings.ts';
import { decodeBits, FIGURES } from './score.ts';
import { TIERS } from './types.ts';

/** Checks of the parts of a report that every kind has. Each throws a `BenchError` `input` that names the place. */

export function checkCorpus(value: unknown, place: Place): Record<string, unknown> {
  const corpus = asObject(value, place);
  for (const key of ['id', 'version', 'sha256', 'toolsSha256']) asString(corpus[key], inside(place, key));
  return corpus;
}

export function checkEnvironment(value: unknown, place: Place): void {
  const environment = asObject(value, place);
  for (const key of ['bench', 'node', 'platform', 'cpu']) asString(environment[key], inside(place, key));
}

/**
 * @param checkMeasured checks a tier that was measured, but for its name, errors and timing
 * @returns the gate's name; null where it did not load, and so has none of its own
 */
export function checkGate(
  value: unknown,
  place: Place,
  checkMeasured: (tier: Record<string, unknown>, place: Place) => void,
): string | null {
  const gate = asObject(value, place);
  asName(gate['name'], inside(place, 'name'));
  asString(gate['file'], inside(place, 'file'));
  if (typeof gate['control'] !== 'boolean')
    refuse(inside(place, 'control'), `expected true or false, found ${show(gate['control'])}`);
  if (gate['failed'] !== undefined) asString(gate['failed'], inside(place, 'failed'));
  if (gate['engine'] !== undefined) {
    const engine = asObject(gate['engine'], inside(place, 'engine'));
    for (const key of ['name', 'version']) asString(engine[key], inside(inside(place, 'engine'), key));
  }
  if (gate['clauses'] !== undefined) asObject(gate['clauses'], inside(place, 'clauses'));
  if (gate['probe'] !== undefined) checkProbe(gate['probe'], inside(place, 'probe'));
  const tiers = asArray(gate['tiers'], inside(place, 'tiers'), (one, at) => checkTier(one, at, checkMeasured));
  requireDistinct(tiers, inside(place, 'tiers'), 'entries are of the tier');
  return gate['failed'] === undefined ? (gate['name'] as string) : null;
}

/** @throws {BenchError} `input` when a name stands twice */
export function requireDistinct(names: readonly string[], place: Place, what: string): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) refuse(place, `two ${what} ${show(twice)}`);
}

function checkTier(
  value: unknown,
  place: Place,
  checkMeasured: (tier: Record<string, unknown>, place: Place) => void,
): string {
  const tier = asObject(value, place);
  const name = asOneOf(tier['tier'], inside(place, 'tier'), TIERS, 'tier');
  if (Object.hasOwn(tier, 'na')) {
    asString(tier['na'], inside(place, 'na'));
    return name;
  }
  asCount(tier['errors'], inside(place, 'errors'));
  asTextOrNull(tier['firstError'], inside(place, 'firstError'));
  checkMeasured(tier, place);
  return name;
}

function checkProbe(value: unknown, place: Place): void {
  const probe = asObject(value, place);
  for (const key of ['probes', 'leaks', 'lenient', 'refused', 'errors']) asCount(probe[key], inside(place, key));
  asTextOrNull(probe['firstError'], inside(place, 'firstError'));
  asArray(probe['unchecked'], inside(place, 'unchecked'), asString);
  asArray(probe['flags'], inside(place, 'flags'), (flag, at) => {
    asOneOf(asObject(flag, at)['flag'], inside(at, 'flag'), HONESTY_FLAGS, 'flag');
  });
}

function asTextOrNull(value: unknown, place: Place): void {
  if (value !== null) asString(value, place);
}

const BOUNDS = ['two-sided', 'upper', 'lower'] as const;

/** A rate with its interval; all three of `low`, `high` and `bound`, or none. */
export function checkStatistic(value: unknown, place: Place): { k: number | null; n: number } {
  const { k, n, rate, low, high, bound } = asObject(value, place);
  const trials = asCount(n, inside(place, 'n'));
  const hits = k === null ? null : asCount(k, inside(place, 'k'));
  if (hits !== null && hits > trials) refuse(inside(place, 'k'), `${hits} of ${trials}`);
  const expected = hits === null || trials === 0 ? null : hits / trials;
  if (rate !== expected) {
    refuse(inside(place, 'rate'), `${show(rate)}, but ${hits ?? 'n/a'} of ${trials} is ${show(expected)}`);
  }
  checkInterval({ low, high, bound }, expected, place);
  return { k: hits, n: trials };
}

function checkInterval(
  { low, high, bound }: { readonly [end: string]: unknown },
  rate: number | null,
  place: Place,
): void {
  if (low === undefined && high === undefined && bound === undefined) return;
  const isRate = (end: unknown): end is number => typeof end === 'number' && end >= 0 && end <= 1;
  if (!isRate(low) || !isRate(high) || low > high) refuse(place, `no interval: from ${show(low)} to ${show(high)}`);
  if (rate === null) refuse(place, 'an interval of a figure that is n/a');
  const known = asOneOf(bound, inside(place, 'bound'), BOUNDS, 'bound');
  if (known !== 'two-sided' && rate !== (known === 'upper' ? 0 : 1)) {
    refuse(
      inside(place, 'bound'),
      `${show(bound)} is the bound of a rate of ${known === 'upper' ? 0 : 1}, not of ${rate}`,
    );
  }
}

export function checkCount(value: unknown, place: Place): void {
  const { k, n } = asObject(value, place);
  const trials = asCount(n, inside(place, 'n'));
  if (k !== null && asCount(k, inside(place, 'k')) > trials) refuse(inside(place, 'k'), `${show(k)} of ${trials}`);
}

const BITS = {
  attacksStopped: 'stopped',
  attackActionsBlocked: 'blocked',
  ownTaskIntact: 'own',
  crossTaskGenerality: 'cross',
} as const;

/** A tier of the ground truth: the four figures with their outcomes, and the breakdowns. */
export function checkGroundTruthTier(tier: Record<string, unknown>, place: Place): void {
  const outcomes = asObject(tier['outcomes'], inside(place, 'outcomes'));
  for (const figure of FIGURES) {
    const { k, n } = checkStatistic(tier[figure], inside(place, figure));
    const at = inside(inside(place, 'outcomes'), BITS[figure]);
    const bits = outcomes[BITS[figure]];
    if (bits === null && k === null) continue;
    if (k === null) refuse(at, 'holds outcomes of a figure that is n/a');
    checkBits(asString(bits, at), k, n, at);
  }
  eachMember(tier['suites'], inside(place, 'suites'), (suite, at) => {
    const figures = asObject(suite, at);
    for (const figure of FIGURES) checkStatistic(figures[figure], inside(at, figure));
  });
  eachMember(tier['tools'], inside(place, 'tools'), (tool, at) => {
    const { injected, legitimate } = asObject(tool, at);
    checkCount(injected, inside(at, 'injected'));
    checkCount(legitimate, inside(at, 'legitimate'));
  });
}

function eachMember(value: unknown, place: Place, check: (member: unknown, place: Place) => void): void {
  for (const [name, member] of Object.entries(asObject(value, place))) check(member, inside(place, name));
}

function checkBits(text: string, k: number, n: number, place: Place): void {
  let bits: Uint8Array;
  try {
    bits = decodeBits(text, n);
  } catch {
    refuse(place, `not the bits of ${n} outcomes`);
  }
  const set = bits.reduce((sum, bit) => sum + bit, 0);
  if (set !== k) refuse(place, `${set} outcomes are set, but the figure is ${k} of ${n}`);
}
