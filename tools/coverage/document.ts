import type { Method } from './methods.ts';
import type { Coverage, Settings } from './simulate.ts';

/** One line of a table: a scenario at a true rate. */
export interface Row {
  readonly figure: string;
  readonly rate: number;
  readonly methods: ReadonlyMap<Method, Coverage>;
}

/** Everything that docs/coverage.md shows. */
export interface Results {
  readonly settings: Settings;
  readonly pooled: readonly Row[];
  readonly perSuite: readonly Row[];
  /** Of exact enforcement at the tiers `effect` and `tool`, see `breadthCorrelation`. */
  readonly correlations: { readonly effect: number; readonly tool: number };
  readonly correlated: readonly Row[];
  readonly falseVerdicts: readonly { readonly rate: number; readonly share: number }[];
  /** The mean of the two-way coverages in `pooled`, which decides whether the run passes. */
  readonly overall: number;
  readonly required: number;
}

/** The page, in Markdown. */
export function renderDocument(results: Results): string {
  const { seed, repetitions, resamples } = results.settings;
  const twoWay = results.pooled.map((row) => ({ row, covered: row.methods.get('two-way')?.covered ?? Number.NaN }));
  const worst = twoWay.toSorted((left, right) => left.covered - right.covered)[0];
  return `# Do the intervals hold what they say?

Written by \`npm run coverage -- --seed ${seed} --repetitions ${repetitions} --resamples ${resamples}\`; do not edit by hand.

A 95 % interval should hold the true rate 95 times in 100. That can be tested where the true rate is known, so tasks
are simulated: every user task and every injection task has a difficulty of its own, drawn from N(0, 1), and a trial
succeeds with probability logistic(intercept + user task + injection task). The grids are the corpus's (user tasks by
injection tasks, each suite with tasks of its own). The true rate is the mean over all tasks that could have been drawn,
not over those that were: the mean of the logistic function over N(intercept, 2), integrated numerically; the intercept is
set so that it is the rate in the table. Each line is ${repetitions} repetitions of ${resamples} resamples, and a share of
95 % of them carries a standard error of ${percent(Math.sqrt((0.95 * 0.05) / repetitions))} percentage points.

The intervals are those of the report: percentiles of the two-way bootstrap, and the exact bound where everything or
nothing succeeded. Beside them stand the ones that would be too narrow: resampling user tasks only (rows), injection tasks only
(columns), and Wilson's binomial interval, which takes each pair for an independent one. Success and failure are
symmetric: rates of 50, 30, 10, 5 and 1 % behave like those below, mirrored.

**Two-way, over all lines of the first table: ${percent(results.overall)} % (required: ${percent(results.required)} %). Worst line: ${
    worst === undefined ? 'none' : `${percent(worst.covered)} %, ${worst.row.figure} at ${percent(worst.row.rate)} %`
  }.**

## The four figures, pooled over the suites

Coverage in %, and in brackets the mean width in percentage points. "Own task intact" has no effect of injection tasks: all pairs of a
user task come out alike. Cross-task generality looks the same from both sides.

| figure | true rate | two-way | rows only | columns only | binomial |
|---|---:|---:|---:|---:|---:|
${results.pooled.map(pooledLine).join('\n')}

## On which side they miss

The two-way interval, in % of the repetitions. Near 100 % a percentile interval errs towards too good a rate: what failed
rarely may not have been seen at all. (The exact bound at 100 % speaks of whole tasks and is wider than the percentiles are with a single
failure: the two do not join smoothly.)

| figure | true rate | interval too high | interval too low |
|---|---:|---:|---:|
${results.pooled.map(sidesLine).join('\n')}

## One suite by itself

Attacks stopped, two-way. With five to nine injection tasks there is little to resample: read an interval of a single suite as
indicative.

| suite | true rate | two-way |
|---|---:|---:|
${results.perSuite.map(twoWayLine).join('\n')}

## Cross-task generality when the two sides are not independent

Policy tasks and replayed tasks are the same tasks, drawn independently of one another. A task that is broad as a policy may
be hard to permit as a replayed task (correlation below 0) or easy (above 0). Below 0 the interval is wider than need be, above 0 too narrow.
For permission by rules the sign is negative: a task that uses more kinds of tools permits more and needs more. (In the corpus,
the reference gate has a correlation within suites between a task's rate as policy and as replayed task of ${results.correlations.effect.toFixed(2)} at the tier
\`effect\` and ${results.correlations.tool.toFixed(2)} at \`tool\`.)

| correlation | true rate | two-way |
|---|---:|---:|
${results.correlated.map(twoWayLine).join('\n')}

## Differences where there is none

Two gates with the same probability in every cell, compared on attacks stopped: how often the paired difference is called better or
worse. A 95 % interval promises at most 5 %. It is far less here, as two-way resampling counts the variance of what is
peculiar to a pair three times (Owen, "The pigeonhole bootstrap", 2007): paired differences err towards unclear.

| true rate | told apart |
|---:|---:|
${results.falseVerdicts.map(({ rate, share }) => `| ${percent(rate)} % | ${percent(share)} % |`).join('\n')}
`;
}

function pooledLine({ figure, rate, methods }: Row): string {
  const columns: Method[] = ['two-way', 'rows only', 'columns only', 'binomial'];
  return `| ${figure} | ${percent(rate)} % | ${columns.map((method) => cell(methods.get(method))).join(' | ')} |`;
}

function sidesLine({ figure, rate, methods }: Row): string {
  const { above = Number.NaN, below = Number.NaN } = methods.get('two-way') ?? {};
  return `| ${figure} | ${percent(rate)} % | ${percent(above)} | ${percent(below)} |`;
}

function twoWayLine({ figure, rate, methods }: Row): string {
  return `| ${figure} | ${percent(rate)} % | ${cell(methods.get('two-way'))} |`;
}

function cell(coverage: Coverage | undefined): string {
  return coverage === undefined ? '–' : `${percent(coverage.covered)} (${percent(coverage.meanWidth)})`;
}

function percent(share: number): string {
  return (share * 100).toFixed(1);
}
