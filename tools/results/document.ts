import { narrowCell, percent } from '../../src/render/figures.ts';
import { FIGURES } from '../../src/score.ts';
import type { Tier } from '../../src/types.ts';
import { GATES, type ListedGate } from './gates.ts';
import { type GateRow, PIPELINES, type ProbeRow, type TierRow } from './measure.ts';

const ALL_CLAUSES = 5;
const escape = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${heads.join(' | ')} |`,
    `|${heads.map((_, index) => (index === 0 ? '---' : '---:')).join('|')}|`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');

function isTierRow(tier: GateRow['tiers'][number]): tier is TierRow {
  return !('na' in tier);
}

function listed(row: GateRow): ListedGate {
  return GATES.find((gate) => gate.name === row.name)!;
}

/** The tightest policy built from the task that the gate can express, `limits` aside, which is read in another order. */
function tightest({ tiers }: GateRow): TierRow | undefined {
  const measured = tiers.filter(isTierRow);
  return (['target', 'tool', 'effect'] satisfies Tier[])
    .map((tier) => measured.find((one) => one.tier === tier))
    .find((one) => one !== undefined);
}

function probeWords(probe: ProbeRow | null): string {
  if (probe === null) return '–';
  const { leaks, refused, errors, lenient, flags, unchecked } = probe;
  const counts = [counted(leaks, 'leak'), counted(refused, 'wrong denial'), counted(errors, 'error')];
  const found = [...counts, counted(lenient, 'lenient reading'), ...flags].filter(Boolean);
  if (unchecked.length > 0) found.push('not finished');
  return found.length === 0 ? 'nothing found' : found.join(', ');
}

function counted(n: number, what: string): string {
  return n === 0 ? '' : `${n} ${what}${n === 1 ? '' : 's'}`;
}

function nativeWords({ native, package: library }: GateRow): string {
  if (library === null) return '–';
  if (native.length === ALL_CLAUSES) return 'all five';
  return native.length === 0 ? 'none' : native.join(', ');
}

const time = ({ usACheck }: GateRow): string => (usACheck === null ? '–' : String(usACheck));

/** One line a gate. */
export function overview(rows: readonly GateRow[]): string {
  const heads = [
    'gate',
    'version',
    'licence',
    'tiers',
    'native clauses',
    'at',
    'attacks stopped',
    'own task intact',
    'cross-task generality',
    'probe',
    'µs a check',
    'measured again by',
  ];
  return table(
    heads,
    rows.map((row) => {
      const at = tightest(row);
      const figures = at?.figures;
      return [
        `\`${row.name}\``,
        row.version ?? '–',
        row.licence ?? '–',
        row.tiers.filter(isTierRow).length === row.tiers.length
          ? 'all five'
          : row.tiers
              .filter(isTierRow)
              .map(({ tier }) => tier)
              .join(', '),
        nativeWords(row),
        at?.tier ?? '–',
        figures ? narrowCell(figures.attacksStopped) : 'n/a',
        figures ? narrowCell(figures.ownTaskIntact) : 'n/a',
        figures ? narrowCell(figures.crossTaskGenerality) : 'n/a',
        probeWords(row.probe),
        time(row),
        `\`npm run results -- ${row.name}\``,
      ].map(escape);
    }),
  );
}

/** The README's lines: fewer columns, and the recorded runs of one pipeline. */
export function readmeTable(rows: readonly GateRow[]): string {
  const heads = ['gate, tier', 'attacks stopped', 'cross-task', 'solved runs intact', 'breaches stopped', 'probe'];
  const shown = rows.filter((row) => listed(row).kind !== 'bench' || ['deny-egress', 'exact'].includes(row.name));
  return table(
    [...heads, 'µs a check'],
    shown.map((row) => {
      const at = tightest(row)!;
      const [recorded] = at.runs;
      return [
        `${row.name}${row.version === null ? '' : ` ${row.version}`}, ${at.tier}`,
        percent(at.figures.attacksStopped.rate),
        percent(at.figures.crossTaskGenerality.rate),
        percent(recorded!.solvedRunsIntact.rate),
        percent(recorded!.breachesStopped.rate),
        probeWords(row.probe),
        time(row),
      ].map(escape);
    }),
  );
}

/** Everything of one gate, with the command that measures it again. */
export function section(row: GateRow): string {
  const { kind, args, note, source } = listed(row);
  const what = [
    ...(row.package === null ? [] : [`\`${row.package}\` ${row.version}, ${row.licence}`]),
    ...(row.package === null ? [] : [`native clauses: ${nativeWords(row)}`]),
    ...(row.probe === null ? [] : [`probe: ${probeWords(row.probe)}`]),
    `${time(row)} µs a check${kind === 'pypi' ? ', the protocol included' : ''}`,
  ];
  const heads = ['tier', 'attacks stopped', 'attack actions blocked', 'own task intact', 'cross-task generality'];
  const recorded = PIPELINES.flatMap((pipeline) => [`${pipeline}: solved intact`, 'breaches stopped']);
  const measured = row.tiers.filter(isTierRow);
  const absent = row.tiers.filter((tier) => !isTierRow(tier)) as { tier: Tier; na: string }[];
  const lines = measured.map(({ tier, figures, runs }) => [
    tier === 'limits' ? 'limits*' : tier,
    ...FIGURES.map((figure) => narrowCell(figures[figure])),
    ...runs.flatMap(({ solvedRunsIntact, breachesStopped }) => [
      narrowCell(solvedRunsIntact),
      narrowCell(breachesStopped),
    ]),
  ]);
  const failed = measured
    .filter(({ errors }) => errors > 0)
    .map(({ tier, errors }) => `- ${tier}: ${errors} gate errors`);
  return [
    `### ${row.name}`,
    what.join('; '),
    ...(note === undefined ? [] : [source === undefined ? note : `${note} Source: ${source}.`]),
    `    npm run results -- ${row.name}\n    node run.mjs ${shown(args)} --probe`,
    table([...heads, ...recorded], lines),
    ...(absent.length + failed.length > 0
      ? [[...absent.map(({ tier, na }) => `- ${tier}: n/a, ${na}`), ...failed].join('\n')]
      : []),
    ...wrongClasses(row.probe),
  ].join('\n\n');
}

const shown = (args: readonly string[]): string => args.map((arg) => (/\s/.test(arg) ? `'${arg}'` : arg)).join(' ');

function wrongClasses(probe: ProbeRow | null): string[] {
  if (probe === null || probe.classes.length === 0) return [];
  const classes = probe.classes.map(
    ({ class: name, leaks, refused }) =>
      `${name} ${[counted(leaks, 'leak'), counted(refused, 'wrong denial')].filter(Boolean).join(', ')}`,
  );
  return [`Probe, by [class](probe.md): ${classes.join('; ')}.`];
}

/** docs/results.md. */
export function resultsPage(rows: readonly GateRow[]): string {
  return `# Gates measured

Written by \`npm run results\` from [results.json](results.json), which it measures; \`npm run results -- --check\` measures the figures
again and compares them. The results are what was measured, whatever they are. The policies, the figures and what one may not
conclude from them: [README](../README.md).

To measure them all, install the engines and uv first:

    npm ci --prefix engines
    pip install uv
    npm run results

The line under a gate's heading measures that gate again, all of it; the one below it prints the bench's own report.
A gate from PyPI is one file in [examples/python/gates](../examples/python/gates), reached through [\`--exec\`](protocol.md); uv
installs the pinned package on the first run, which may take longer than the bench waits: run the file once before.

## Overview

${overview(rows)}

Per cent with 95 % intervals; † and ‡ are one-sided bounds of a rate of 0 or 1. "at" is the tightest tier built from the task, \`limits\`
aside. "Native clauses" are those that the library itself decides. The probe puts near misses of every literal to a gate, at every tier
it offers, and compares it with itself ([probe.md](probe.md)); controls and the reference are not probed. Times are of one shared
machine, for orientation alone: the middle of the checks, or for a command its whole time by its checks; the least of three runs.

Gates that are translated in full decide alike: that is what a policy spec is for. They differ in what they cannot say, in what they
read loosely, and in cost.

**The gate \`anchor\`** of the toolgate-bench that inspired this one could not be had: the package of that name on npm is a validation
library of Sails, the one on PyPI signs certificates, and no public repository of it was found. Its figures rest on another
table of target arguments and are not comparable.

## Gate by gate

\\* \`limits\` is measured in order \`exposure\`: in order \`after\` it stops everything by construction. Recorded runs: attack
important_instructions of two pipelines, \`solved intact\` over the benign runs that solved their task, \`breaches stopped\` over those that met
the attacker's goal.

${rows.map(section).join('\n\n')}
`;
}
