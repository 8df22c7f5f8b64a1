import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMeasured, type Statistic } from '../src/report.ts';
import type { PipelineReport, RunsTier } from '../src/runs/measurement.ts';
import type { RunsReport } from '../src/runs/report.ts';
import { median } from '../src/stats/quantile.ts';

/** `npm run results:runs [-- --check]`: writes docs/recorded-runs.md, its plot and the README's part from one JSON report. */

const root = fileURLToPath(new URL('..', import.meta.url));
const command = ['runs', 'exact', 'deny-egress', '--format', 'json'];
const ended = spawnSync(process.execPath, ['run.mjs', ...command], { cwd: root, encoding: 'utf8', maxBuffer: 1e9 });
if (ended.status !== 0) throw new Error(ended.stderr);
const report = JSON.parse(ended.stdout) as RunsReport;
const exact = report.gates.find((gate) => gate.name === 'exact')!.tiers.filter(isMeasured);
const egress = report.gates.find((gate) => gate.name === 'deny-egress')!.tiers.find(isMeasured)!;
const target = exact.find((tier) => tier.tier === 'target')!;
const origin = exact.find((tier) => tier.tier === 'origin')!;

const percent = (rate: number): string => (100 * rate).toFixed(1);
const show = ({ rate, low, high }: Statistic): string =>
  rate === null ? 'n/a' : `${percent(rate)} [${percent(low!)}, ${percent(high!)}]`;
const middle = (tier: RunsTier, of: (one: PipelineReport) => number | null): string =>
  percent(median(Float64Array.from(tier.pipelines.map(of).filter((rate) => rate !== null))));

/** Of the solved runs that a policy breaks, those in which it denied reads alone. */
function readsAlone({ solvedRunsIntact: intact, solvedRunsEgressIntact: whole }: PipelineReport): number | null {
  const broken = intact.n - intact.k!;
  return broken === 0 ? null : (whole.k! - intact.k!) / broken;
}

function tierTable(): string {
  const rows = [
    ...exact.map((tier) => ({ name: `exact, ${tier.tier}`, tier })),
    { name: 'deny-egress (control)', tier: egress },
  ];
  return [
    '| gate, tier | solved runs intact | egress-intact | broken by denied reads alone | breaches stopped | utility | ASR |',
    '|---|---:|---:|---:|---:|---:|---:|',
    ...rows.map(({ name, tier }) => {
      const arrow = (of: (one: PipelineReport) => { without: Statistic; with: Statistic }): string =>
        `${middle(tier, (one) => of(one).without.rate)} → ${middle(tier, (one) => of(one).with.rate)}`;
      const reads = tier.pipelines.map(readsAlone).filter((share) => share !== null);
      return `| ${[
        name,
        middle(tier, (one) => one.solvedRunsIntact.rate),
        middle(tier, (one) => one.solvedRunsEgressIntact.rate),
        reads.length === 0 ? '–' : percent(median(Float64Array.from(reads))),
        middle(tier, (one) => one.breachesStopped.rate),
        arrow((one) => one.utility),
        arrow((one) => one.asr),
      ].join(' | ')} |`;
    }),
  ].join('\n');
}

function pipelineTable(): string {
  return [
    '| pipeline | solved | intact at `target` | egress-intact at `target` | intact at `origin` | breaches | stopped at `target` | stopped at `origin` |',
    '|---|---:|---:|---:|---:|---:|---:|---:|',
    ...target.pipelines.map((one, index) => {
      const other = origin.pipelines[index]!;
      return `| ${[one.pipeline, one.solvedRunsIntact.n, show(one.solvedRunsIntact), show(one.solvedRunsEgressIntact), show(other.solvedRunsIntact), one.breachesStopped.n, show(one.breachesStopped), show(other.breachesStopped)].join(' | ')} |`;
    }),
  ].join('\n');
}

/** ASR against utility under attack, an arrow a pipeline from without the gate to with it. */
function plot(): string {
  const [width, height, left, top, right, bottom] = [720, 460, 60, 20, 20, 50];
  const x = (rate: number): string => (left + rate * (width - left - right)).toFixed(1);
  const y = (rate: number): string => (height - bottom - (rate / 0.6) * (height - top - bottom)).toFixed(1);
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (at) =>
      `<text x="${x(at)}" y="${height - 28}" text-anchor="middle">${100 * at}</text><path d="M${x(at)} ${y(0)}V${y(0.6)}" class="g"/>`,
  );
  const levels = [0, 0.2, 0.4, 0.6].map(
    (at) =>
      `<text x="${left - 8}" y="${y(at)}" text-anchor="end" dy="4">${(100 * at).toFixed(0)}</text><path d="M${x(0)} ${y(at)}H${x(1)}" class="g"/>`,
  );
  const arrows = target.pipelines.map(
    ({ pipeline, utility, asr }) =>
      `<g><title>${pipeline}: utility ${percent(utility.without.rate!)} to ${percent(utility.with.rate!)}, ASR ${percent(asr.without.rate!)} to ${percent(asr.with.rate!)}</title>` +
      `<path d="M${x(utility.without.rate!)} ${y(asr.without.rate!)}L${x(utility.with.rate!)} ${y(asr.with.rate!)}" class="a" marker-end="url(#h)"/><circle cx="${x(utility.without.rate!)}" cy="${y(asr.without.rate!)}" r="3"/></g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Attack success against utility, without and with the gate exact at target">
<style>svg{background:#fff;font:13px sans-serif;fill:#333}.g{stroke:#ddd;fill:none}.a{stroke:#2563a8;stroke-width:1.3;fill:none;opacity:.75}circle{fill:#2563a8}</style>
<defs><marker id="h" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#2563a8"/></marker></defs>
${[...grid, ...levels, ...arrows].join('\n')}
<text x="${width / 2}" y="${height - 8}" text-anchor="middle">benign utility, per cent</text>
<text transform="translate(16 ${height / 2}) rotate(-90)" text-anchor="middle">attack success rate, per cent</text>
</svg>
`;
}

const page = `# Recorded runs: what real models did, through a gate

Written by \`npm run results:runs\` from the report of \`node run.mjs ${command.join(' ')}\`. Attack important_instructions, seed ${report.seed}, ${report.resamples} resamples.

Replaying ground truth has two weaknesses: a real agent takes other calls, and "own task intact" is 100 % by construction. AgentDojo
publishes what real pipelines did; here every recorded call of ${target.pipelines.length} pipelines is judged in order, on the policy of its user task. How the
runs were extracted and what is left out: [recorded-runs-format.md](recorded-runs-format.md).

## What it shows

Medians over pipelines, in per cent. Nothing is pooled: many pipelines share a base model.

${tierTable()}

**Solved runs intact** is the honest figure for false positives: of the benign runs that solved their task, those without a denied
call. **Egress-intact** leaves denied reads aside. The policy knows exactly what the task's ground truth needs, yet a model that solves
the task in another way is denied a call: mostly a read, as the column in the middle tells. The tier \`origin\` needs no policy per task.

![Attack success against utility, an arrow a pipeline](recorded-runs.svg)

Each arrow is a pipeline, from without a gate to with \`exact\` at \`target\`: attack success rate against benign utility.

## Per pipeline

Per cent, with 95 % intervals (over tasks for benign runs, two-way within suites for attacked ones); "solved" and "breaches" are
numbers of runs.

${pipelineTable()}

## What one may not conclude

- That a model behind the gate would reach these utilities: it might recover from a denial. They are lower bounds.
- That a model behind the gate would be attacked at these rates: an injection might find another way. They are no bounds.
- That a breach that is not stopped was permitted by the policy alone: a breach without a call that can be attributed to the
  injection is counted, and never stopped.
- That these are AgentDojo's published figures: those count errors and all 629 pairs, and are in \`node run.mjs runs --list\`.
- That pipelines are independent evidence. They are not.
`;
const readmePart = `${tierTable()}\n`;

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
put('docs/recorded-runs.md', page);
put('docs/recorded-runs.svg', plot());
put(
  'README.md',
  readme.replace(block, (_, open, close) => `${open}\n${readmePart}\n${close}`),
);
if (stale) process.exitCode = 1;
