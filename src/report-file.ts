import {
  asArray,
  asCount,
  asObject,
  asOneOf,
  asString,
  inside,
  parseJson,
  type Place,
  refuse,
  show,
} from './json-guard.ts';
import { REPORT_SCHEMA, type Report } from './report.ts';
import { decodeBits, FIGURES } from './score.ts';
import { readTextFile } from './text-file.ts';
import { TIERS } from './types.ts';

/**
 * Reads a JSON report and checks all that a comparison rests on.
 * @throws {BenchError} `input`: unreadable, cut short, of another schema or a later version, or with figures that cannot be
 */
export function readReport(path: string, shown: string): Report {
  const { text } = readTextFile(path, shown);
  const place: Place = { file: shown, path: '$' };
  const report = asObject(parseJson(text, place), place);
  checkSchema(report['schema'], inside(place, 'schema'));
  asOneOf(report['kind'], inside(place, 'kind'), ['ground-truth'], 'kind');
  checkCorpus(report['corpus'], inside(place, 'corpus'));
  asArray(report['suites'], inside(place, 'suites'), asString);
  asOneOf(report['order'], inside(place, 'order'), ['after', 'exposure'], 'order');
  asOneOf(report['untrusted'], inside(place, 'untrusted'), ['measured', 'all-reads'], 'choice of untrusted sources');
  asCount(report['seed'], inside(place, 'seed'));
  asCount(report['resamples'], inside(place, 'resamples'));
  asArray(report['gates'], inside(place, 'gates'), checkGate);
  return report as unknown as Report;
}

function checkSchema(schema: unknown, place: Place): void {
  if (schema === REPORT_SCHEMA) return;
  const version = /^toolgate-bench\/report@(\d+)$/.exec(String(schema))?.[1];
  if (version !== undefined && Number(version) > 1) {
    refuse(place, `${show(schema)} is from a later version of toolgate-bench; this one reads ${REPORT_SCHEMA}`);
  }
  refuse(place, `${show(schema)} is no report of toolgate-bench (${REPORT_SCHEMA})`);
}

function checkCorpus(value: unknown, place: Place): void {
  const corpus = asObject(value, place);
  for (const key of ['id', 'version', 'sha256', 'toolsSha256']) asString(corpus[key], inside(place, key));
  for (const key of ['userTasks', 'pairs', 'excludedPairs']) asCount(corpus[key], inside(place, key));
}

function checkGate(value: unknown, place: Place): void {
  const gate = asObject(value, place);
  asString(gate['name'], inside(place, 'name'));
  asArray(gate['tiers'], inside(place, 'tiers'), checkTier);
}

const BITS = {
  attacksStopped: 'stopped',
  attackActionsBlocked: 'blocked',
  ownTaskIntact: 'own',
  crossTaskGenerality: 'cross',
} as const;

function checkTier(value: unknown, place: Place): void {
  const tier = asObject(value, place);
  asOneOf(tier['tier'], inside(place, 'tier'), TIERS, 'tier');
  if (Object.hasOwn(tier, 'na')) return void asString(tier['na'], inside(place, 'na'));
  const outcomes = asObject(tier['outcomes'], inside(place, 'outcomes'));
  for (const figure of FIGURES) {
    const { k, n } = checkStatistic(tier[figure], inside(place, figure));
    const at = inside(inside(place, 'outcomes'), BITS[figure]);
    const bits = outcomes[BITS[figure]];
    if (bits === null && k === null) continue;
    if (k === null) refuse(at, 'holds outcomes of a figure that is n/a');
    checkBits(asString(bits, at), k, n, at);
  }
}

function checkStatistic(value: unknown, place: Place): { k: number | null; n: number } {
  const { k, n, rate, low, high } = asObject(value, place);
  checkEnds(low, high, place);
  const trials = asCount(n, inside(place, 'n'));
  if (k === null) return { k: null, n: trials };
  const hits = asCount(k, inside(place, 'k'));
  if (hits > trials) refuse(inside(place, 'k'), `${hits} of ${trials}`);
  const expected = trials === 0 ? null : hits / trials;
  if (rate !== expected) refuse(inside(place, 'rate'), `${show(rate)}, but ${hits} of ${trials} is ${show(expected)}`);
  return { k: hits, n: trials };
}

function checkEnds(low: unknown, high: unknown, place: Place): void {
  if (low === undefined && high === undefined) return;
  const isRate = (end: unknown): end is number => typeof end === 'number' && end >= 0 && end <= 1;
  if (!isRate(low) || !isRate(high) || low > high) refuse(place, `no interval: from ${show(low)} to ${show(high)}`);
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
