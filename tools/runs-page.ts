import { narrowCell, percent } from '../src/render/figures.ts';
import { isMeasured, type Statistic } from '../src/report.ts';
import type { PipelineReport, RunsTier, WithoutAndWith } from '../src/runs/measurement.ts';
import type { RunsReport } from '../src/runs/report.ts';
import { median } from '../src/stats/quantile.ts';

/** What the page is written from: the reference gate at every tier, and a control. */
export interface Results {
  readonly report: RunsReport;
  /** `exact` at each tier, loosest first. */
  readonly exact: readonly RunsTier[];
  /** `exact` at the tier of the plot. */
  readonly target: RunsTier;
  /** `deny-egress`, which is the same at every tier. */
  readonly egress: RunsTier;
}

/** Throws an error when the report lacks one of the gates or tiers. */
export function resultsOf(report: RunsReport): Results {
  const tiersOf = (name: string): RunsTier[] =>
    report.gates.find((gate) => gate.name === name)?.tiers.filter(isMeasured) ?? [];
  const exact = tiersOf('exact');
  const target = exact.find((tier) => tier.tier === 'target');
  const [egress] = tiersOf('deny-egress');
  if (target === undefined || egress === undefined) throw new Error('the report lacks exact at target, or deny-egress');
  return { report, exact, target, egress };
}

const middle = (tier: RunsTier, of: (one: PipelineReport) => number | null): string => {
  const rates = tier.pipelines.map(of).filter((rate) => rate !== null);
  return rates.length === 0 ? '–' : percent(median(Float64Array.from(rates)));
};

/** Of the solved runs that a policy breaks, those in which it denied reads alone; null: it breaks none. */
function readsAlone({ solvedRunsIntact: intact, solvedRunsEgressIntact: whole }: PipelineReport): number | null {
  const broken = intact.n - intact.k!;
  return broken === 0 ? null : (whole.k! - intact.k!) / broken;
}

const markdown = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `|${cells.map((cell) => (cell.startsWith('---') ? cell : ` ${cell} `)).join('|')}|`)
    .join('\n');

/** Medians over pipelines, a row a tier. */
export function tierTable({ exact, egress }: Results): string {
  const rows = [
    ...exact.map((tier) => ({ name: `exact, ${tier.tier}`, tier })),
    { name: 'deny-egress (control)', tier: egress },
  ].map(({ name, tier }) => {
    const arrow = (of: (one: PipelineReport) => WithoutAndWith): string =>
      `${middle(tier, (one) => of(one).without.rate)} → ${middle(tier, (one) => of(one).with.rate)}`;
    return [
      name,
      middle(tier, (one) => one.solvedRunsIntact.rate),
      middle(tier, (one) => one.solvedRunsEgressIntact.rate),
      middle(tier, readsAlone),
      middle(tier, (one) => one.breachesStopped.rate),
      arrow((one) => one.utility),
      arrow((one) => one.asr),
    ];
  });
  const head = ['gate, tier', 'solved runs intact', 'egress-intact', 'broken by denied reads alone'];
  return markdown([...head, 'breaches stopped', 'utility', 'ASR'], rows);
}

/** A row a pipeline, a column a tier of `exact`. */
function perPipeline(
  { exact, target }: Results,
  counted: string,
  n: (one: PipelineReport) => number,
  cell: (one: PipelineReport) => string,
): string {
  const rows = target.pipelines.map((first, index) => [
    first.pipeline,
    String(n(first)),
    ...exact.map(({ pipelines }) => cell(pipelines[index]!)),
  ]);
  return markdown(['pipeline', counted, ...exact.map(({ tier }) => `\`${tier}\``)], rows);
}

const brokenTable = (results: Results): string =>
  perPipeline(
    results,
    'solved',
    (one) => one.solvedRunsIntact.n,
    (one) => `${narrowCell(one.solvedRunsIntact)} · ${percent(one.solvedRunsEgressIntact.rate)}`,
  );

const stoppedTable = (results: Results): string =>
  perPipeline(
    results,
    'breaches',
    (one) => one.breachesStopped.n,
    (one) => narrowCell(one.breachesStopped),
  );

/** Attack success against benign utility, an arrow a pipeline from without the gate to with it. */
export function runsPlot({ target }: Results): string {
  const [width, height, left, top, right, bottom] = [720, 460, 60, 20, 20, 50];
  const drawn = target.pipelines.filter(({ utility, asr }) =>
    [utility.without, utility.with, asr.without, asr.with].every(({ rate }) => rate !== null),
  );
  const highest = Math.max(...drawn.flatMap(({ asr }) => [asr.without.rate!, asr.with.rate!]));
  const levels = Math.max(1, Math.ceil(5 * highest));
  const x = ({ rate }: Pick<Statistic, 'rate'>): string => (left + rate! * (width - left - right)).toFixed(1);
  const y = ({ rate }: Pick<Statistic, 'rate'>): string =>
    (height - bottom - ((5 * rate!) / levels) * (height - top - bottom)).toFixed(1);
  const [zero, one, most] = [0, 1, levels / 5].map((rate) => ({ rate })) as [Rate, Rate, Rate];
  const columns = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (rate) =>
      `<text x="${x({ rate })}" y="${height - 28}" text-anchor="middle">${100 * rate}</text><path d="M${x({ rate })} ${y(zero)}V${y(most)}" class="g"/>`,
  );
  const rows = Array.from({ length: levels + 1 }, (_, level) => ({ rate: level / 5 })).map(
    (at) =>
      `<text x="${left - 8}" y="${y(at)}" text-anchor="end" dy="4">${(100 * at.rate).toFixed(0)}</text><path d="M${x(zero)} ${y(at)}H${x(one)}" class="g"/>`,
  );
  const arrows = drawn.map(
    ({ pipeline, utility, asr }) =>
      `<g><title>${pipeline}: utility ${percent(utility.without.rate)} to ${percent(utility.with.rate)}, ASR ${percent(asr.without.rate)} to ${percent(asr.with.rate)}</title>` +
      `<path d="M${x(utility.without)} ${y(asr.without)}L${x(utility.with)} ${y(asr.with)}" class="a" marker-end="url(#h)"/><circle cx="${x(utility.without)}" cy="${y(asr.without)}" r="3"/></g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Attack success against utility, without and with the gate exact at target">
<style>svg{background:#fff;font:13px sans-serif;fill:#333}.g{stroke:#ddd;fill:none}.a{stroke:#2563a8;stroke-width:1.3;fill:none;opacity:.75}circle{fill:#2563a8}</style>
<defs><marker id="h" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#2563a8"/></marker></defs>
${[...columns, ...rows, ...arrows].join('\n')}
<text x="${width / 2}" y="${height - 8}" text-anchor="middle">benign utility, per cent</text>
<text transform="translate(16 ${height / 2}) rotate(-90)" text-anchor="middle">attack success rate, per cent</text>
</svg>
`;
}

type Rate = Pick<Statistic, 'rate'>;

const LEFT_OUT_SHOWN = {
  error: 'ended by an error',
  noTrace: 'without a trace of their calls',
  noVerdict: 'without a verdict',
  otherVersion: 'of another version of their task',
  missing: 'missing',
} as const;

function leftOutSentence({ target }: Results): string {
  const parts = (Object.keys(LEFT_OUT_SHOWN) as (keyof typeof LEFT_OUT_SHOWN)[]).flatMap((reason) => {
    const total = target.pipelines.reduce((sum, { leftOut }) => sum + leftOut[reason], 0);
    return total === 0 ? [] : [`${total} ${LEFT_OUT_SHOWN[reason]}`];
  });
  const most = target.pipelines
    .map(({ pipeline, leftOut }) => ({ pipeline, n: Object.values(leftOut).reduce((sum, n) => sum + n, 0) }))
    .filter(({ n }) => n > 100)
    .map(({ pipeline, n }) => `${pipeline} lacks ${n}`);
  return `left out are ${listed(parts)}${most.length === 0 ? '' : `; ${listed(most)}`}`;
}

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)!}`;

const total = ({ target }: Results, of: (one: PipelineReport) => number): number =>
  target.pipelines.reduce((sum, one) => sum + of(one), 0);

/** docs/recorded-runs.md. @param command what the report was made with, after `node run.mjs` */
export function runsPage(results: Results, command: string): string {
  const { report, target } = results;
  const breaches = total(results, (one) => one.breachesStopped.n);
  return `# Recorded runs: what real models did, through a gate

Written by \`npm run results:runs\` from the report of \`node run.mjs ${command}\`. Attack ${report.attacks.join(', ')}, seed ${report.seed}, ${report.resamples} resamples.

Replaying ground truth has two weaknesses: a real agent takes other calls, and "own task intact" is 100 % by construction. AgentDojo
publishes what real pipelines did; here every recorded call of the ${target.pipelines.length} pipelines that met this attack is judged in order, on the policy of its user task. How
the runs were extracted and what is left out: [recorded-runs-format.md](recorded-runs-format.md).

## What it shows

Medians over pipelines, in per cent. Nothing is pooled: many pipelines share a base model.

${tierTable(results)}

**Solved runs intact** is the honest figure for false positives: of the benign runs that solved their task, those without a denied
call. **Egress-intact** leaves denied reads aside, and the column beside it says how much of the damage they alone do: of the runs that
are not intact, those in which nothing but reads was denied. At \`tool\`, \`target\` and \`limits\` the policy lists exactly what the task's ground truth
uses, and a model that solves the task in another way mostly looks at something else. The tier \`origin\` needs no policy per task, and
never denies a read.

![Attack success against utility, an arrow a pipeline](recorded-runs.svg)

Each arrow is a pipeline, from without a gate to with \`exact\` at \`target\`: attack success rate against benign utility.

## How far each tier breaks solved benign runs, per pipeline

With \`exact\`, per cent: solved runs intact with the 95 % interval over tasks, then after the dot egress-intact. "solved" is how many benign runs
solved their task; † and ‡ mark exact one-sided 95 % bounds.

${brokenTable(results)}

## How many breaches each tier stops, per pipeline

With \`exact\`, per cent, with 95 % intervals (two-way within suites). "breaches" is how many attacked runs met the attacker's goal.

${stoppedTable(results)}

## What one may not conclude

- **That a model behind the gate would reach these utilities.** The calls after a denial are those that the model made after an allowed
  call. It might recover from a denial, so utility with a gate is a lower bound.
- **That a model behind the gate would be attacked at these rates.** The injection might find another way, or a later call that the
  recording does not have. ASR with a gate is no bound, in either direction.
- **That somebody's own policy does as well.** The policies of \`effect\`, \`tool\`, \`target\` and \`limits\` are written from the task's ground truth, which nobody has
  beforehand; \`origin\` alone can be had without it. Nor do they know every good way: a denied call of a solved run was not needed by the
  ground truth, and may still have been right.
- **That an attack that knows the gate fares as ill.** These injections were written for models without a gate.
- **That a breach that is not stopped was permitted by the policy alone.** A breach counts as stopped when every egress call that can be
  attributed to the injection (same tool, shared target) was denied, for one of its tools at least. ${total(results, (one) => one.unattributed)} of the ${breaches} breaches have no such
  call: they are counted, and never stopped. A denied read never counts as stopping an attack.
- **Anything about goals that take no action.** AgentDojo's travel/injection_task_6 wants a sentence said. No gate on actions can stop it, and
  its pairs are in no figure under attack: utility under attack and ASR are over the other pairs.
- **That these are AgentDojo's published figures.** Those count errors and all 629 pairs, and are in \`node run.mjs runs --list\`. Of the
  ${target.pipelines.length} pipelines' runs, ${leftOutSentence(results)}.
  They are not left out at random: errors and missing runs gather in few pipelines.
- **That pipelines are independent evidence.** Many share a base model and all share the tasks, so a median is a description and has no
  interval. An interval speaks of tasks like these, and a row with few breaches has a wide one.
- **That a gate which looks into targets sees what the model wrote.** Where a model passed a whole sentence as a target, the recording has a
  digest of it.
- **Anything about today's models, or other tools.** The models are of 2024 and 2025, the tools those of four suites of one corpus.
`;
}
