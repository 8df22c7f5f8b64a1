// Simulates how often the report's intervals hold the true rate, and writes docs/coverage.md. Exits 1 when they do too seldom.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { breadthCorrelation, readSuites } from './corpus.ts';
import { renderDocument } from './document.ts';
import type { Row } from './document.ts';
import { simulateLines } from './pool.ts';
import { correlatedTasks, perSuite, pooledFigures } from './scenarios.ts';
import type { Scenario } from './scenarios.ts';
import { falseVerdicts } from './simulate.ts';
import type { Settings } from './simulate.ts';

const TRUE_RATES: readonly number[] = [0.5, 0.7, 0.9, 0.95, 0.99];
const REQUIRED = 0.93;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    repetitions: { type: 'string', default: '1000' },
    resamples: { type: 'string', default: '2000' },
  },
});
const settings: Settings = {
  seed: wholeNumber('seed', values.seed),
  repetitions: wholeNumber('repetitions', values.repetitions),
  resamples: wholeNumber('resamples', values.resamples),
};
const suites = readSuites(new URL('../../data/ground_truth.jsonl', import.meta.url));
const figures = pooledFigures(suites);
const pooled = await rowsOf(figures);
const overall = pooled.reduce((sum, row) => sum + twoWay(row), 0) / pooled.length;
const document = renderDocument({
  settings,
  pooled,
  perSuite: await rowsOf(perSuite(suites)),
  correlations: { effect: breadthCorrelation(suites, 'effect'), tool: breadthCorrelation(suites, 'type') },
  correlated: await rowsOf(correlatedTasks(suites)),
  falseVerdicts: TRUE_RATES.map((rate) => ({
    rate,
    share: falseVerdicts(figures[0] as Scenario, rate, settings),
  })),
  overall,
  required: REQUIRED,
});
writeFileSync(new URL('../../docs/coverage.md', import.meta.url), document);
process.stdout.write(
  `two-way coverage: ${(overall * 100).toFixed(1)} %, required ${REQUIRED * 100} %; see docs/coverage.md\n`,
);
if (overall < REQUIRED) process.exitCode = 1;

function wholeNumber(option: string, text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  process.stderr.write(`--${option} takes a whole number of 1 or more, not ${JSON.stringify(text)}\n`);
  return process.exit(2);
}

function rowsOf(scenarios: readonly Scenario[]): Promise<Row[]> {
  const lines = scenarios.flatMap((scenario) => TRUE_RATES.map((rate) => ({ scenario, rate, settings })));
  return simulateLines(lines, ({ scenario, rate }) => process.stderr.write(`${scenario.figure}, ${rate * 100} %\n`));
}

function twoWay({ methods }: Row): number {
  return methods.get('two-way')?.covered ?? Number.NaN;
}
