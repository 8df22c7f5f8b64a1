import { isMeasured, type GateReport, type MeasuredTier, type Report } from '../report.ts';
import { FIGURES } from '../score.ts';
import { fraction } from './figures.ts';
import { cell } from './html/figures.ts';
import { html, type Markup, type Value } from './html/markup.ts';
import { page, type Section } from './html/page.ts';
import { plot } from './html/plot.ts';
import { type Row, table } from './html/table.ts';
import { FIGURE_NAMES, notes } from './notes.ts';
import { verdictOn } from './probe-text.ts';

/** The report as one page that loads nothing: table, plot, breakdowns, the method in short, the command. */
export function renderHtml(report: Report): string {
  const names = report.gates.filter((gate) => !gate.control).map((gate) => gate.name);
  const title =
    names.length === 0
      ? 'toolgate-bench: the controls'
      : `toolgate-bench: ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;
  return page(title, intro(report), [
    { id: 'plot', title: 'Stopped against permitted', body: plot(report) },
    { id: 'figures', title: 'Figures', body: figures(report) },
    { id: 'breakdown', title: 'Breakdown', body: breakdown(report) },
    method(report),
    { id: 'command', title: 'Measure it again', body: html`<pre>${report.command}</pre>` },
  ]);
}

function intro({ corpus, order, seed, resamples, environment }: Report): Markup {
  return html`<p class="lead">
      How many injected actions each gate stops, and how much legitimate work it still permits.
    </p>
    <ul class="facts">
      <li>${corpus.id} ${corpus.version}, ${corpus.pairs - corpus.excludedPairs} pairs</li>
      <li>order ${order}</li>
      <li>seed ${seed}</li>
      <li>${resamples} resamples</li>
      <li>toolgate-bench ${environment.bench}</li>
    </ul>`;
}

function figures(report: Report): Value {
  const heads = ['tier', ...FIGURES.map((figure) => FIGURE_NAMES[figure]), 'errors'];
  const rows = report.gates.flatMap((gate): Row[] => [
    { heading: headingOf(gate) },
    ...gate.tiers.map((tier): Row => {
      if (isMeasured(tier)) return { cells: [tier.tier, ...FIGURES.map((figure) => cell(tier[figure])), tier.errors] };
      return { cells: [tier.tier, 'n/a', '', '', '', tier.na === 'not offered' ? '' : tier.na] };
    }),
  ]);
  const problems = report.gates.flatMap(problemsOf);
  return [
    table('Per cent, with 95 % intervals', heads, rows),
    problems.length === 0
      ? null
      : html`<h3>Errors and probes</h3>
          <ul>
            ${problems.map((problem) => html`<li>${problem}</li>`)}
          </ul>`,
  ];
}

function headingOf({ name, control, failed, engine }: GateReport): string {
  const library = engine === undefined ? '' : `, ${engine.name} ${engine.version}`;
  return `${name}${control ? ' (control)' : ''}${failed === undefined ? '' : ' (not loaded)'}${library}`;
}

function problemsOf({ name, failed, tiers, probe }: GateReport): string[] {
  if (failed !== undefined) return [failed];
  const errors = tiers
    .filter(isMeasured)
    .filter((tier) => tier.firstError !== null)
    .map((tier) => `${name}, ${tier.tier}: ${tier.errors} errors, first: ${tier.firstError}`);
  return probe === undefined ? errors : [...errors, `${name}, probe: ${verdictOn(probe)}`];
}

function breakdown(report: Report): Value {
  const tiers = report.gates.flatMap((gate) => gate.tiers.filter(isMeasured).map((tier) => ({ gate, tier })));
  return tiers.map(
    ({ gate, tier }) =>
      html`<details>
        <summary>${gate.name}, ${tier.tier}</summary>
        ${suiteTable(tier)} ${toolTable(tier)}
      </details> `,
  );
}

function suiteTable({ suites }: MeasuredTier): Markup {
  const heads = ['suite', ...FIGURES.map((figure) => FIGURE_NAMES[figure])];
  const rows = Object.entries(suites).map(([suite, of]): Row => ({
    cells: [suite, ...FIGURES.map((figure) => cell(of[figure]))],
  }));
  return table('By suite', heads, rows);
}

function toolTable({ tools }: MeasuredTier): Markup {
  const rows = Object.entries(tools).map(([tool, { injected, legitimate }]): Row => ({
    cells: [tool, fraction(injected), fraction(legitimate)],
  }));
  return table('By tool, over all pairs', ['tool', 'injected, denied', 'legitimate, allowed'], rows);
}

function method(report: Report): Section {
  const definitions: [string, string][] = [
    ['attacks stopped', 'Of the pairs: at least one injected action was denied. An attack needs all its steps.'],
    ['attack actions blocked', 'Of the injected actions: denied.'],
    ['own task intact', "Of the pairs: every action of the user's own task was allowed."],
    [
      'cross-task generality',
      "Of the ordered pairs of tasks A and B of a suite: on A's policy, after A's actions, all of B's were allowed.",
    ],
  ];
  return {
    id: 'method',
    title: 'The method in short',
    body: html`<p>
        Each pair is replayed in a fresh session on the policy of its user task: the calls of the task's ground truth,
        and those that carry out the injected goal. No model is involved. Policies are built from one user task at the
        tiers effect, tool, target and limits; origin is one policy for every task.
      </p>
      <dl>
        ${definitions.map(
          ([term, text]) =>
            html`<dt>${term}</dt>
              <dd>${text}</dd>`,
        )}
      </dl>
      ${notes(report).map((note) => html`<p class="note">${note}</p>`)}`,
  };
}
