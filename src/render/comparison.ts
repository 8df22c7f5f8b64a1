import type { Change, Comparison } from '../compare.ts';
import { FIGURE_NAMES } from './notes.ts';
import { escape, table } from './markdown.ts';
import { layOut, plain } from './table.ts';

/** How many of the changed pairs are named before the rest is only counted. */
const NAMED = 10;

/** The differences as a table, then what changed, by name. */
export function renderComparisonText(comparison: Comparison): string {
  const moved = comparison.changes.filter((change) => change.verdict !== 'same');
  const rows = moved.map((change) => [plain(change.gate), change.tier, FIGURE_NAMES[change.figure], ...cells(change)]);
  const head = ['gate', 'tier', 'figure', 'base', 'head', 'change', ''];
  const lines =
    rows.length === 0 ? [] : layOut([head, ...rows], ['left', 'left', 'left', 'right', 'right', 'right', 'left']);
  const same = comparison.changes.length - moved.length;
  lines.push(`${same} of ${comparison.changes.length} figures are the same, pair by pair.`);
  const named = comparison.changes.flatMap((change) => [
    ...listed(`${plain(change.gate)}, ${change.tier}, ${FIGURE_NAMES[change.figure]}: now`, change.gained),
    ...listed(`${plain(change.gate)}, ${change.tier}, ${FIGURE_NAMES[change.figure]}: no longer`, change.lost),
  ]);
  return `${[...lines, ...onlyIn(comparison, plain), ...named].join('\n')}\n`;
}

/** The same for a pull request's comment. */
export function renderComparisonMarkdown(comparison: Comparison): string {
  const moved = comparison.changes.filter((change) => change.verdict !== 'same');
  const rows = moved.map((change) => [escape(change.gate), change.tier, FIGURE_NAMES[change.figure], ...cells(change)]);
  const count = (verdict: Change['verdict']): number =>
    comparison.changes.filter((change) => change.verdict === verdict).length;
  const [worse, lost] = [count('worse'), count('lost')];
  const blocks = [
    '## toolgate-bench: base and head',
    worse > 0 ? `**${worse} figures are clearly worse.**` : lost > 0 ? '' : 'Nothing is clearly worse.',
    lost > 0 ? `**${lost} figures are lost: the head does not have them.**` : '',
    rows.length === 0
      ? 'Every outcome is the same.'
      : table(['gate', 'tier', 'figure', 'base', 'head', 'change', 'verdict'], rows),
    ...onlyIn(comparison, escape),
    ...moved.flatMap((change) => [folded(change, 'now', change.gained), folded(change, 'no longer', change.lost)]),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function cells({ base, head, difference, verdict }: Change): string[] {
  const percent = (rate: number | null): string => (rate === null ? 'n/a' : `${(100 * rate).toFixed(1)} %`);
  const signed = (rate: number): string => `${rate > 0 ? '+' : ''}${(100 * rate).toFixed(1)}`;
  const change =
    difference === null
      ? ''
      : `${signed(difference.difference)} [${signed(difference.low)}, ${signed(difference.high)}]`;
  return [percent(base), percent(head), change, verdict];
}

function listed(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const rest = items.length > NAMED ? [`  and ${items.length - NAMED} more`] : [];
  return ['', `${title} (${items.length}):`, ...items.slice(0, NAMED).map((item) => `  ${plain(item)}`), ...rest];
}

function folded({ gate, tier, figure }: Change, what: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  const title = `${escape(gate)}, ${tier}, ${FIGURE_NAMES[figure]}: ${what} (${items.length})`;
  return `<details><summary>${title}</summary>\n\n${items.map((item) => `- ${escape(item)}`).join('\n')}\n\n</details>`;
}

function onlyIn({ onlyBase, onlyHead }: Comparison, shown: (text: string) => string): string[] {
  return [
    ...(onlyBase.length === 0 ? [] : [`Only in the base: ${onlyBase.map(shown).join(', ')}.`]),
    ...(onlyHead.length === 0 ? [] : [`Only in the head: ${onlyHead.map(shown).join(', ')}.`]),
  ];
}
