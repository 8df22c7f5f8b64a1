import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RunsReport } from '../src/runs/report.ts';
import { resultsOf, runsPage, runsPlot, tierTable } from './runs-page.ts';

/** `npm run results:runs [-- --check]`: writes docs/recorded-runs.md, its plot and the README's part from one JSON report. */

const root = fileURLToPath(new URL('..', import.meta.url));
const command = ['runs', 'exact', 'deny-egress', '--format', 'json'];
const ended = spawnSync(process.execPath, ['run.mjs', ...command], { cwd: root, encoding: 'utf8', maxBuffer: 1e9 });
if (ended.status !== 0) throw new Error(ended.stderr);
const results = resultsOf(JSON.parse(ended.stdout) as RunsReport);

let stale = false;
function put(file: string, text: string): void {
  if (!process.argv.includes('--check')) return writeFileSync(`${root}${file}`, text);
  if (readFileSync(`${root}${file}`, 'utf8') === text) return;
  process.stderr.write(`${file} is not what the program measures; run: npm run results:runs\n`);
  stale = true;
}
const readme = readFileSync(`${root}README.md`, 'utf8');
const block = /(<!-- generated: npm run results:runs -->\n)[^<]*(<!-- end -->)/;
if (!block.test(readme)) throw new Error('README.md has no block for recorded runs');
put('docs/recorded-runs.md', runsPage(results, command.join(' ')));
put('docs/recorded-runs.svg', runsPlot(results));
put(
  'README.md',
  readme.replace(block, (_, open, close) => `${open}\n${tierTable(results)}\n\n${close}`),
);
if (stale) process.exitCode = 1;
