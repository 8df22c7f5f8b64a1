import type { Hint } from '../hint.ts';
import { type GateReport, isMeasured, type MeasuredTier, type Report } from '../report.ts';
import { FIGURES, type Figure } from '../score.ts';
import type { Clause } from '../types.ts';
import type { RenderOptions } from './index.ts';
import { fraction, narrowCell } from './figures.ts';
import { notes } from './notes.ts';
import { verdictOn } from './probe-text.ts';
import { clip, commandLines, layOut, plain, wrap } from './table.ts';

const COLUMNS = 80;
const HEADS: { readonly [figure in Figure]: readonly [string, string] } = {
  attacksStopped: ['attacks', 'stopped'],
  attackActionsBlocked: ['attack actions', 'blocked'],
  ownTaskIntact: ['own task', 'intact'],
  crossTaskGenerality: ['cross-task', 'generality'],
};

/** The report for a terminal of 80 columns. */
export function renderText(
  report: Report,
  { by, color, hints = [], invocation = 'toolgate-bench' }: RenderOptions,
): string {
  const paint = color ? paints : noPaints;
  const blocks = [
    tableOf(report, paint),
    ...(by === undefined ? [] : [by === 'suite' ? bySuite(report, paint) : byTool(report, paint)]),
    errorLines(report),
    probeLines(report),
    notes(report).flatMap((note) => wrap(note, COLUMNS)),
    hints.flatMap((hint) => hintLines(hint, invocation)),
  ];
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => `${block.join('\n')}\n`)
    .join('\n');
}

type Paint = (text: string) => string;
const sgr =
  (code: number): Paint =>
  (text) =>
    `\u001b[${code}m${text}\u001b[0m`;
const paints = { bold: sgr(1), dim: sgr(2), red: sgr(31) };
const noPaints = { bold: (text: string) => text, dim: (text: string) => text, red: (text: string) => text };
type Paints = typeof paints;

function tableOf(report: Report, paint: Paints): string[] {
  const rows: { cells: string[]; gate?: GateReport }[] = [
    { cells: ['', ...FIGURES.map((figure) => HEADS[figure][0]), ''] },
    { cells: ['', ...FIGURES.map((figure) => HEADS[figure][1]), 'errors'] },
    { cells: ['', ...sizes(report), ''] },
  ];
  for (const gate of report.gates) {
    rows.push({ cells: [], gate });
    for (const tier of gate.tiers) {
      const cells = isMeasured(tier)
        ? [...FIGURES.map((figure) => narrowCell(tier[figure], ' %')), String(tier.errors)]
        : ['n/a', ...(tier.na === 'not offered' ? [] : [tier.na])];
      rows.push({ cells: [`  ${tier.tier}`, ...cells] });
    }
  }
  const lines = layOut(
    rows.map((row) => row.cells),
    ['left', 'right', 'right', 'right', 'right', 'right'],
  );
  return lines.map((line, index) => {
    const { gate } = rows[index]!;
    if (gate !== undefined) return paint.bold(gateLine(gate));
    return index < 3 ? paint.dim(line) : line;
  });
}

/** The `n` of each figure, where every tier has the same. */
function sizes(report: Report): string[] {
  const measured = report.gates.flatMap((gate) => gate.tiers.filter(isMeasured));
  return FIGURES.map((figure) => (measured[0] === undefined ? '' : `of ${measured[0][figure].n}`));
}

/** A gate's name and what is known of it, `of` a tier where one is told. */
function gateLine(gate: GateReport, of: string = ''): string {
  const mark = gate.control ? ' (control)' : '';
  const failed = gate.failed === undefined ? '' : ' (not loaded)';
  const after = mark + failed + (of === '' ? '' : `, ${of}`);
  const line = clip(plain(gate.name), COLUMNS - after.length) + after;
  return gate.engine === undefined ? line : clip(`${line}  ${engineNote(gate)}`, COLUMNS);
}

/** What got through most often, and the command that shows one, to be copied. */
function hintLines({ gate, tier, tools, pairs, missed, command }: Hint, invocation: string): string[] {
  const what = `Where ${plain(gate)} fails at ${tier}: ${pairs} of the ${missed} attacks that got through call ${tools.map(plain).join(', ')}.`;
  return [...wrap(what, COLUMNS), ...commandLines(`${invocation} ${plain(command)}`, COLUMNS, '  ')];
}

/** Which library decides, and which clauses of the policy it decides itself. */
function engineNote({ engine, clauses = {} }: GateReport): string {
  const native = Object.keys(clauses).filter((clause) => clauses[clause as Clause] === 'native');
  const who = native.length === 0 ? 'no clause native' : `native: ${native.join(' ')}`;
  return plain(`${engine!.name} ${engine!.version}, ${who}`);
}

function bySuite(report: Report, paint: Paints): string[] {
  return breakdown(
    report,
    paint,
    'suite',
    [['attacks stopped', 'actions blocked', 'own task intact', 'generality']],
    (tier) =>
      Object.entries(tier.suites).map(([suite, figures]) => [
        suite,
        ...FIGURES.map((figure) => fraction(figures[figure], '-')),
      ]),
  );
}

function byTool(report: Report, paint: Paints): string[] {
  const heads = [
    ['injected,', 'legitimate,'],
    ['denied', 'allowed'],
  ];
  return breakdown(report, paint, 'tool', heads, (tier) =>
    Object.entries(tier.tools).map(([tool, { injected, legitimate }]) => [
      plain(tool),
      fraction(injected, '-'),
      fraction(legitimate, '-'),
    ]),
  );
}

function breakdown(
  report: Report,
  paint: Paints,
  head: string,
  heads: readonly (readonly string[])[],
  rowsOf: (tier: MeasuredTier) => string[][],
): string[] {
  const title = heads.map((line, index) => [index === heads.length - 1 ? head : '', ...line]);
  const align = ['left' as const, ...heads[0]!.map(() => 'right' as const)];
  return report.gates
    .flatMap((gate) =>
      gate.tiers
        .filter(isMeasured)
        .flatMap((tier, index) => {
          const lines = layOut([...title, ...rowsOf(tier)], align);
          return [
            ...(index > 0 ? [''] : []),
            paint.bold(gateLine(gate, tier.tier)),
            ...lines.map((line, at) => (at < title.length ? paint.dim(line) : line)),
          ];
        })
        .concat(gate.tiers.some(isMeasured) ? [''] : []),
    )
    .slice(0, -1);
}

function errorLines(report: Report): string[] {
  return report.gates.flatMap((gate) => [
    ...(gate.failed === undefined ? [] : wrap(`not loaded: ${plain(gate.failed)}`, COLUMNS, '  ')),
    ...gate.tiers
      .filter(isMeasured)
      .filter((tier) => tier.firstError !== null)
      .flatMap((tier) =>
        wrap(
          `${plain(gate.name)}, ${tier.tier}: ${tier.errors} ${tier.errors === 1 ? 'error' : 'errors'}, first: ${plain(tier.firstError!)}`,
          COLUMNS,
          '  ',
        ),
      ),
  ]);
}

/** Whether each gate can be trusted; `probe GATE` shows why not. */
function probeLines(report: Report): string[] {
  return report.gates.flatMap(({ name, probe }) =>
    probe === undefined ? [] : wrap(`${plain(name)}: ${verdictOn(probe)}`, COLUMNS, '  '),
  );
}
