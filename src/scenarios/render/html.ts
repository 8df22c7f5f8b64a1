import { plain } from '../../render/table.ts';
import type { Rate, Row } from '../figures.ts';
import type { ScenarioReport } from '../report.ts';
import { differenceCell, partCell, rateCell } from './cells.ts';

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text from outside within HTML, in elements and quoted attributes. */
function escapeHtml(text: string): string {
  return plain(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
.heat td[style] { color: #000; }
svg { max-width: 100%; height: auto; }
svg text { font: 11px system-ui, sans-serif; fill: currentColor; }
.small { color: #888; font-size: .85em; }
`;

function table(header: readonly string[], rows: readonly (readonly string[])[], className = ''): string {
  const head = header.map((cell) => `<th scope="col">${cell}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.join('')}</tr>`).join('\n');
  return `<table class="${className}"><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table>`;
}

const cell = (text: string): string => `<td>${escapeHtml(text)}</td>`;
const names = ({ target, defense }: Row): string[] => [cell(target), cell(defense)];

function matrix(rows: readonly Row[]): string {
  const header = [
    'target',
    'defence',
    'compromised',
    'of exposed',
    'exposed',
    'task done',
    'controls done',
    'over-refused',
  ];
  return table(
    [...header, 'unmet', 'errors', 'attacks stopped', 'over-refused against none'],
    rows.map((row) => {
      const rates = [
        row.compromised,
        row.compromisedExposed,
        row.exposure,
        row.taskUnderAttack,
        row.taskOnControls,
        row.overRefused,
      ];
      const counts = [String(row.unclassified), String(row.errors)];
      const against = [row.againstNone?.reduction, row.againstNone?.cost].map(differenceCell);
      return [...names(row), ...[...rates.map(rateCell), ...counts, ...against].map(cell)];
    }),
  );
}

/** From green, nothing compromised, to red. */
function heatMap({ rows, channels }: ScenarioReport): string {
  const body = rows.map((row) => [
    ...names(row),
    ...channels.map((channel) => {
      const text = partCell(row.byChannel, channel);
      if (text === '-') return '<td>-</td>';
      return `<td style="background: hsl(${(120 - 1.2 * Number(text)).toFixed(0)} 70% 70%)">${text}</td>`;
    }),
  ]);
  return table(['target', 'defence', ...channels.map(escapeHtml)], body, 'heat');
}

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [760, 420, 50, 15, 30, 45];
const across = (share: number): string => (LEFT + share * (WIDTH - LEFT - RIGHT)).toFixed(1);
const down = (share: number): string => (TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)).toFixed(1);

function axes(): string {
  const marks = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    `<line x1="${across(share)}" y1="${down(0)}" x2="${across(share)}" y2="${down(1)}" stroke="#8884"/>`,
    `<line x1="${across(0)}" y1="${down(share)}" x2="${across(1)}" y2="${down(share)}" stroke="#8884"/>`,
    `<text x="${across(share)}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${100 * share}</text>`,
    `<text x="${LEFT - 6}" y="${down(share)}" dy="4" text-anchor="end">${100 * share}</text>`,
  ]);
  const labels = [
    `<text x="${across(0.5)}" y="${HEIGHT - 8}" text-anchor="middle">compromised, per cent (left is better)</text>`,
    `<text transform="translate(12 ${down(0.5)}) rotate(-90)" text-anchor="middle">task done under attack, per cent</text>`,
  ];
  return [...marks, ...labels].join('\n');
}

function point(row: Row, number: number): string {
  const { compromised, taskUnderAttack } = row;
  if (compromised.rate === null || taskUnderAttack.rate === null) return '';
  const [x, y] = [across(compromised.rate), down(taskUnderAttack.rate)];
  const limits = ({ low, high, rate }: Rate): [number, number] => [low ?? rate ?? 0, high ?? rate ?? 0];
  const [left, right] = limits(compromised).map(across);
  const [bottom, top] = limits(taskUnderAttack).map(down);
  const title = `${row.target}, ${row.defense}: compromised ${rateCell(compromised)}, task done ${rateCell(taskUnderAttack)}`;
  return [
    `<g><title>${escapeHtml(title)}</title>`,
    `<path d="M${left} ${y}H${right}M${x} ${bottom}V${top}" stroke="currentColor" stroke-opacity=".35"/>`,
    `<circle cx="${x}" cy="${y}" r="4" fill="hsl(${(number * 137) % 360} 70% 50%)"/>`,
    // Points that coincide keep their numbers apart.
    `<text x="${x}" y="${y}" dx="${6 + (number % 4) * 14}" dy="${-5 - Math.floor(number / 4) * 3}">${number}</text></g>`,
  ].join('');
}

function plot(rows: readonly Row[]): string {
  const points = rows.map((row, index) => point(row, index + 1)).join('\n');
  const legend = rows.map(({ target, defense }) => `<li>${escapeHtml(`${target}, ${defense}`)}</li>`).join('');
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Compromised against task done">\n${axes()}\n${points}\n</svg>\n<ol>${legend}</ol>`;
}

/** The report as one page that loads nothing: matrix, heat map of channels, compromised against task done. */
export function renderHtml(report: ScenarioReport): string {
  const { rows, scenarios, command, seed, corpus, commits } = report;
  const commit = commits.length > 0 ? `, commit ${commits.join(', ')}` : '';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Scenarios: targets, defences and gates under injection</title>
<style>${STYLE}</style>
<h1>Targets, defences and gates under injection</h1>
<p>${scenarios.adversarial} adversarial scenarios, ${scenarios.controls} controls. Per cent, 95 % intervals over scenarios in brackets.</p>
${matrix(rows)}
<h2>Compromised by channel, per cent</h2>
${heatMap(report)}
<h2>Compromised against task done</h2>
${plot(rows)}
<p class="small">Task done: under attack. Over-refused: controls that were not done, for whatever reason. Unmet: the target never met the injection.</p>
<p class="small">${escapeHtml(`${command}, seed ${seed}, corpus ${corpus}${commit}`)}</p>
</html>
`;
}
