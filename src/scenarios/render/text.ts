import { type Align, clip, layOut, plain, wrap } from '../../render/table.ts';
import type { ScenarioReport } from '../report.ts';
import { byTarget, detectorText, partCell, rateCell } from './cells.ts';

/** The report for a terminal of 80 columns. */
export function renderText(report: ScenarioReport, by: 'channel' | 'family' | undefined): string {
  const { scenarios, seed, corpus, commits, command, resamples } = report;
  const intervals = resamples === 0 ? '' : ', 95 % intervals over scenarios';
  const head = `${scenarios.adversarial} adversarial scenarios, ${scenarios.controls} controls; per cent${intervals}`;
  const commit = commits.length === 0 ? '' : `, commit ${commits.map((one) => one.slice(0, 12)).join(', ')}`;
  const foot = wrap(`${plain(command)} (seed ${seed}, corpus ${corpus.slice(0, 12)}${commit})`, 80, '  ');
  const parts = by === undefined ? [] : ['', ...breakdown(report, by)];
  return [head, '', ...mainTable(report), ...parts, '', ...notes(report), ...foot, ''].join('\n');
}

function mainTable({ rows }: ScenarioReport): string[] {
  const hasErrors = rows.some((row) => row.errors > 0);
  const hasUnclassified = rows.some((row) => row.unclassified > 0);
  const align: Align[] = ['left', 'left', 'left', 'left', 'right', 'right'];
  const header = ['target, defence', 'compromised', 'task done', 'over-refused'];
  if (hasUnclassified) header.push('unmet');
  if (hasErrors) header.push('errors');
  const lines: string[][] = [header];
  for (const [target, group] of byTarget(rows)) {
    lines.push([clip(plain(target), 30)]);
    for (const row of group) {
      const cells = [row.compromised, row.taskUnderAttack, row.overRefused].map(rateCell);
      const counts = [
        ...(hasUnclassified ? [String(row.unclassified)] : []),
        ...(hasErrors ? [String(row.errors)] : []),
      ];
      lines.push([`  ${clip(plain(row.defense), 26)}`, ...cells, ...counts]);
    }
  }
  return layOut(lines, align.slice(0, header.length));
}

function notes({ rows }: ScenarioReport): string[] {
  const detectors = rows.flatMap((row) =>
    row.detectors.map((one) => `${plain(row.target)}, ${plain(one.name)}: ${detectorText(one)}`),
  );
  const lines = [
    ...detectors,
    'task done: under attack. over-refused: controls that were not done, for whatever reason; read it beside none.',
  ];
  if (rows.some((row) => row.unclassified > 0))
    lines.push('unmet: the target never met the injection; not counted as compromised.');
  return lines.flatMap((line) => wrap(line, 80, '  '));
}

const SHORT: { readonly [channel: string]: string } = {
  tool_result: 'result',
  document: 'doc',
  web_page: 'web',
  filename: 'file',
  metadata: 'meta',
  multi_turn: 'turns',
  user_message: 'user',
  tool_chain: 'chain',
};

/** Compromised per cent by channel (a heat map in numbers) or by family (one line each). */
function breakdown({ rows, channels }: ScenarioReport, by: 'channel' | 'family'): string[] {
  const title = `compromised, per cent, by ${by}`;
  if (by === 'channel') {
    const header = ['target, defence', ...channels.map((channel) => SHORT[channel] ?? channel)];
    const lines = [...byTarget(rows)].flatMap(([target, group]) => [
      [clip(plain(target), 26)],
      ...group.map((row) => [
        `  ${clip(plain(row.defense), 22)}`,
        ...channels.map((channel) => partCell(row.byChannel, channel)),
      ]),
    ]);
    return [title, ...layOut([header, ...lines], ['left', ...channels.map((): Align => 'right')], 1)];
  }
  const lines = rows.flatMap((row) => [
    [plain(clip(`${row.target}, ${row.defense}`, 50))],
    ...row.byFamily
      .filter((part) => part.compromised.n > 0)
      .map((part) => [`  ${part.name}`, partCell(row.byFamily, part.name), `of ${part.compromised.n}`]),
  ]);
  return [title, ...layOut(lines, ['left', 'right', 'right'])];
}
