import type { ScenarioReport } from '../report.ts';
import { plain } from '../../render/table.ts';
import { detectorText, differenceCell, partCell, rateCell } from './cells.ts';

/** Text from outside within a Markdown table. */
function cell(text: string): string {
  return plain(text).replace(/[\\|`*_<>[\]#&]/g, String.raw`\$&`);
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map((_, index) => (index < 2 ? '---' : '---:'))), ...rows.map(line)];
}

/** The report as Markdown: the matrix, what each stack changes, and a heat map of channels. */
export function renderMarkdown(report: ScenarioReport): string {
  const { rows, channels, scenarios, command, seed, corpus, commits } = report;
  const names = (row: (typeof rows)[number]): string[] => [cell(row.target), cell(row.defense)];
  const matrix = rows.map((row) => [
    ...names(row),
    rateCell(row.compromised),
    rateCell(row.compromisedExposed),
    rateCell(row.exposure),
    rateCell(row.taskUnderAttack),
    rateCell(row.taskOnControls),
    rateCell(row.overRefused),
    String(row.unclassified),
    String(row.errors),
  ]);
  const against = rows.flatMap((row) =>
    row.againstNone
      ? [[...names(row), differenceCell(row.againstNone.reduction), differenceCell(row.againstNone.cost)]]
      : [],
  );
  const heat = rows.map((row) => [...names(row), ...channels.map((channel) => partCell(row.byChannel, channel))]);
  const header =
    'target,defence,compromised,of exposed,exposed,task done,controls done,over-refused,unmet,errors'.split(',');
  const parts = [
    `${scenarios.adversarial} adversarial scenarios, ${scenarios.controls} controls. Per cent, 95 % intervals over scenarios in brackets.`,
    '',
    ...table(header, matrix),
    '',
    ...(against.length > 0
      ? [
          'Against no defence, in percentage points:',
          '',
          ...table(['target', 'defence', 'attacks stopped', 'over-refused'], against),
          '',
        ]
      : []),
    ...rows.flatMap((row) =>
      row.detectors.map(
        (one) => `${cell(row.target)}, ${cell(row.defense)}, ${cell(one.name)}: ${detectorText(one)}.\n`,
      ),
    ),
    'Compromised by channel, per cent:',
    '',
    ...table(['target', 'defence', ...channels.map(cell)], heat),
    '',
    `Made with ${cell(command)}, seed ${seed}, corpus ${corpus}${commits.length > 0 ? `, commit ${commits.join(', ')}` : ''}.`,
  ];
  return `${parts.join('\n')}\n`;
}
