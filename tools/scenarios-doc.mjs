// Puts what each defence covers, by channel, into docs/scenarios.md: `node tools/scenarios-doc.mjs`, or with --check to see whether it is up to date.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Row
 * @property {string} defense
 * @property {{ name: string, compromised: { k: number, n: number } }[]} byChannel
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const file = `${root}docs/scenarios.md`;
const defenses =
  'none,delimit,spotlight,hierarchy,repeat,filter,allowlist,gate:exact@effect,gate:exact@tool,gate:exact@target';
const command = ['scenarios', 'matrix', '--targets', 'naive', '--defenses', defenses];
const printed = execFileSync(process.execPath, ['run.mjs', ...command, '--resamples', '0', '--format', 'json'], {
  cwd: root,
  encoding: 'utf8',
});
/** @type {{ channels: string[], rows: Row[] }} */
const { channels, rows } = JSON.parse(printed);
/** @param {readonly string[]} cells */
const line = (cells) => `| ${cells.join(' | ')} |`;
const body = rows.map(({ defense, byChannel }) => {
  const cells = channels.map((channel) => {
    const part = byChannel.find(({ name }) => name === channel);
    return part ? `${part.compromised.n - part.compromised.k}/${part.compromised.n}` : '-';
  });
  return line([`\`${defense}\``, ...cells]);
});
const table = [line(['defence', ...channels]), line(['---', ...channels.map(() => '---:')]), ...body].join('\n');

const before = readFileSync(file, 'utf8');
const block = /(<!-- generated: node tools\/scenarios-doc\.mjs -->\n)[^]*?(\n<!-- end -->)/;
if (!block.test(before)) throw new Error('docs/scenarios.md has no generated block');
const after = before.replace(block, (_, open, close) => `${open}\n${table}\n${close}`);
if (!process.argv.includes('--check')) writeFileSync(file, after);
else if (after !== before) {
  process.stderr.write('docs/scenarios.md is not what the program measures; run: node tools/scenarios-doc.mjs\n');
  process.exitCode = 1;
}
