import {
  type GateReport,
  isMeasured,
  type MeasuredTier,
  type Report,
  type Statistic,
  type TierReport,
} from '../report.ts';
import { FIGURES } from '../score.ts';
import { verdictOn } from './probe-text.ts';
import { plain } from './table.ts';
import { fraction } from './figures.ts';
import { interval } from './html/figures.ts';
import { notes } from './notes.ts';

/** The report for a pull request: a headline, the table, and the breakdown folded away. */
export function renderMarkdown(report: Report): string {
  const gates = report.gates.filter((gate) => gate.failed === undefined);
  const blocks = [
    '## toolgate-bench',
    headline(report),
    table(
      [
        'gate',
        'tier',
        'attacks stopped',
        'attack actions blocked',
        'own task intact',
        'cross-task generality',
        'errors',
      ],
      gates.flatMap((gate) => gate.tiers.map((tier) => tierRow(gate, tier))),
    ),
    ...report.gates.flatMap(problems),
    details('By suite', suiteRows(gates)),
    details('By tool', toolRows(gates)),
    notes(report).join(' '),
    `<sub>${escape(report.corpus.id)} ${escape(report.corpus.version)}, seed ${report.seed}, toolgate-bench ${escape(report.environment.bench)}</sub>`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** What the tightest measured tier of each gate that is no control comes to; without such a gate, what was measured. */
function headline(report: Report): string {
  const sentences = report.gates
    .filter((gate) => !gate.control)
    .flatMap((gate) => {
      const tier =
        gate.tiers.findLast((one) => isMeasured(one) && one.tier === 'target') ?? gate.tiers.findLast(isMeasured);
      return tier !== undefined && isMeasured(tier) ? [sentence(gate, tier)] : [];
    });
  return sentences.length > 0 ? sentences.join('\n') : `${report.gates.length} gates were measured, controls alone.`;
}

function sentence(gate: GateReport, tier: MeasuredTier): string {
  const { attacksStopped: stopped, ownTaskIntact: own, crossTaskGenerality: cross } = tier;
  return `**${escape(gate.name)}** stops ${percent(stopped)} of ${stopped.n} injected attacks at \`${tier.tier}\`, keeps ${percent(own)} of the user tasks intact, and permits ${percent(cross)} of the tasks that its policy was not written for.`;
}

function tierRow(gate: GateReport, tier: TierReport): string[] {
  const name = `${escape(gate.name)}${gate.control ? ' (control)' : ''}`;
  if (!isMeasured(tier)) return [name, tier.tier, `n/a (${escape(tier.na)})`, '', '', '', ''];
  return [name, tier.tier, ...FIGURES.map((figure) => cell(tier[figure])), String(tier.errors)];
}

function problems({ name, failed, tiers, probe }: GateReport): string[] {
  if (failed !== undefined) return [`**Not loaded:** ${escape(failed)}`];
  const errors = tiers
    .filter(isMeasured)
    .filter((tier) => tier.firstError !== null)
    .map((tier) => `**${escape(name)}, ${tier.tier}:** ${tier.errors} errors, first: ${escape(tier.firstError!)}`);
  return probe === undefined ? errors : [...errors, `**${escape(name)}, probe:** ${escape(verdictOn(probe))}`];
}

function suiteRows(gates: readonly GateReport[]): string {
  const rows = gates.flatMap((gate) =>
    gate.tiers
      .filter(isMeasured)
      .flatMap((tier) =>
        Object.entries(tier.suites).map(([suite, figures]) => [
          escape(gate.name),
          tier.tier,
          escape(suite),
          ...FIGURES.map((figure) => fraction(figures[figure])),
        ]),
      ),
  );
  return rows.length === 0
    ? ''
    : table(['gate', 'tier', 'suite', 'stopped', 'blocked', 'own task', 'generality'], rows);
}

function toolRows(gates: readonly GateReport[]): string {
  const rows = gates.flatMap((gate) =>
    gate.tiers
      .filter(isMeasured)
      .flatMap((tier) =>
        Object.entries(tier.tools).map(([tool, { injected, legitimate }]) => [
          escape(gate.name),
          tier.tier,
          escape(tool),
          fraction(injected),
          fraction(legitimate),
        ]),
      ),
  );
  return rows.length === 0 ? '' : table(['gate', 'tier', 'tool', 'injected, denied', 'legitimate, allowed'], rows);
}

function details(title: string, body: string): string {
  return body === '' ? '' : `<details><summary>${title}</summary>\n\n${body}\n\n</details>`;
}

/** A table of cells that are escaped already; every column but the names to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const align = head.map((title) =>
    ['gate', 'tier', 'suite', 'tool', 'figure', 'change', 'pipeline'].includes(title) ? '---' : '---:',
  );
  return [head, align, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function cell(statistic: Statistic): string {
  if (statistic.rate === null) return 'n/a';
  return `${(100 * statistic.rate).toFixed(1)} % ${interval(statistic, 1)}`.trimEnd();
}

const percent = ({ rate }: Statistic): string => (rate === null ? 'n/a' : `${(100 * rate).toFixed(1)} %`);

/** Text from outside, as text: no markup, link, mention or HTML, and on one line. */
export function escape(text: string): string {
  return plain(text)
    .replace(/[\\`*_{}[\]()#+!|~$^:]/g, String.raw`\$&`)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/@/g, '&#64;')
    .replace(/\b(https?|www)(?=\\:|\.)/gi, '$1&#8203;');
}
