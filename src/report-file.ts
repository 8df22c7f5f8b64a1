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
import { checkCorpus, checkEnvironment, checkGate, checkGroundTruthTier, requireDistinct } from './report-checks.ts';
import { REPORT_SCHEMA, type Report } from './report.ts';
import { checkRunsTier } from './runs/report-checks.ts';
import type { RunsReport } from './runs/report.ts';
import { MOST_RESAMPLES, MOST_SEED } from './gate-options.ts';
import { readTextFile } from './text-file.ts';

type Kind = 'ground-truth' | 'runs';

/**
 * Reads a JSON report on the ground truth and checks all that a comparison or a renderer rests on.
 * @throws {BenchError} `input`: unreadable, cut short, of another schema or a later version, or with figures that cannot be
 */
export function readReport(path: string, shown: string): Report {
  return read(path, shown, ['ground-truth']) as Report;
}

/** Reads a JSON report of either kind. @throws {BenchError} `input`, as `readReport` does */
export function readAnyReport(path: string, shown: string): Report | RunsReport {
  return read(path, shown, ['ground-truth', 'runs']);
}

function read(path: string, shown: string, kinds: readonly Kind[]): Report | RunsReport {
  const { text } = readTextFile(path, shown);
  const place: Place = { file: shown, path: '$' };
  const report = asObject(parseJson(text, place), place);
  checkSchema(report['schema'], inside(place, 'schema'));
  const kind = asOneOf(report['kind'], inside(place, 'kind'), kinds, 'kind');
  asString(report['command'], inside(place, 'command'));
  const corpus = checkCorpus(report['corpus'], inside(place, 'corpus'));
  asArray(report['suites'], inside(place, 'suites'), asString);
  asOneOf(report['untrusted'], inside(place, 'untrusted'), ['measured', 'all-reads'], 'choice of untrusted sources');
  asCountUpTo(report['seed'], inside(place, 'seed'), MOST_SEED);
  asCountUpTo(report['resamples'], inside(place, 'resamples'), MOST_RESAMPLES);
  checkEnvironment(report['environment'], inside(place, 'environment'));
  if (kind === 'runs') asArray(report['attacks'], inside(place, 'attacks'), asString);
  else {
    asOneOf(report['order'], inside(place, 'order'), ['after', 'exposure'], 'order');
    for (const key of ['userTasks', 'pairs', 'excludedPairs'])
      asCount(corpus[key], inside(inside(place, 'corpus'), key));
  }
  const checkTier = kind === 'runs' ? checkRunsTier : checkGroundTruthTier;
  const names = asArray(report['gates'], inside(place, 'gates'), (gate, at) => checkGate(gate, at, checkTier));
  if (names.length === 0) refuse(inside(place, 'gates'), 'holds no gate');
  requireDistinct(
    names.filter((name) => name !== null),
    inside(place, 'gates'),
    'gates are called',
  );
  return report as unknown as Report | RunsReport;
}

function asCountUpTo(value: unknown, place: Place, most: number): void {
  const count = asCount(value, place);
  if (count > most) refuse(place, `${count} is more than ${most}`);
}

function checkSchema(schema: unknown, place: Place): void {
  if (schema === REPORT_SCHEMA) return;
  const version = /^toolgate-bench\/report@(\d+)$/.exec(String(schema))?.[1];
  if (version !== undefined && Number(version) > 1) {
    refuse(place, `${show(schema)} is from a later version of toolgate-bench; this one reads ${REPORT_SCHEMA}`);
  }
  refuse(place, `${show(schema)} is no report of toolgate-bench (${REPORT_SCHEMA})`);
}
