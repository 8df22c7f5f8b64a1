import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { renderHtml } from '../src/render/html.ts';
import { renderRunsHtml } from '../src/render/runs-html.ts';
import { isMeasured, type Report } from '../src/report.ts';
import { FIGURES } from '../src/score.ts';
import type { RunsReport } from '../src/runs/report.ts';
import { type Pages, skip, startPages } from './browser.ts';
import { toolgate } from './command.ts';

let pages: Pages;
let report: Report;
before(async () => {
  if (skip) return;
  pages = await startPages();
  const { stdout } = await toolgate([
    'exact',
    'test/fixtures/gates/throws.mjs',
    '--suite',
    'banking,travel',
    '--resamples',
    '200',
    '--format',
    'json',
  ]);
  report = JSON.parse(stdout) as Report;
});
after(() => pages?.close());

const openReport = (of: Report, options?: Parameters<Pages['open']>[1]): Promise<Page> =>
  pages.open(renderHtml(of), options);

interface Drawn {
  x: number;
  y: number;
  label: string;
  rates: [number, number];
}

/** Runs in the page; as text, since what compiles this file may add helpers that the page does not have. */
const DRAWN = `(() => {
  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const marks = [...document.querySelectorAll('.plot .mark')].map((mark) => {
    const [x, y] = middle(mark.querySelector('.hit'));
    return { x, y, label: mark.getAttribute('aria-label'), rates: [Number(mark.dataset.x), Number(mark.dataset.y)] };
  });
  const tick = (name, rate, side) => middle(document.querySelector('[data-' + name + '="' + rate + '"]'))[side];
  return { marks, zero: [tick('x', 0, 0), tick('y', 0, 1)], one: [tick('x', 1, 0), tick('y', 1, 1)] };
})()`;

/** The centres of the marks on the screen, and of the grid's ends: 0 and 1 on each axis. */
function drawn(page: Page): Promise<{ marks: Drawn[]; zero: [number, number]; one: [number, number] }> {
  return page.evaluate(DRAWN);
}

test('points stand where the JSON says, and their labels say it in full', { skip }, async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await openReport(report, { colorScheme });
    const { marks, zero, one } = await drawn(page);
    for (const { x, y, rates } of marks) {
      assert.ok(Math.abs(x - (zero[0] + rates[0] * (one[0] - zero[0]))) < 1.5, `${x} for ${rates[0]}`);
      assert.ok(Math.abs(y - (zero[1] + rates[1] * (one[1] - zero[1]))) < 3, `${y} for ${rates[1]}`);
    }
    const measured = report.gates.flatMap((gate) =>
      gate.tiers
        .filter(isMeasured)
        .filter((tier) => tier.attacksStopped.rate !== null)
        .map((tier) => ({ gate, tier })),
    );
    assert.ok(measured.length >= 15);
    for (const { gate, tier } of measured) {
      const mark = marks.find(
        ({ rates }) => rates[0] === tier.crossTaskGenerality.rate && rates[1] === tier.attacksStopped.rate,
      );
      const { k, n } = tier.attacksStopped;
      assert.ok(
        mark?.label.includes(
          `${gate.name}${gate.control ? ' (control)' : ''}, ${tier.tier}: attacks stopped ${k} of ${n} = `,
        ),
        `${gate.name} ${tier.tier}`,
      );
    }
    assert.equal(
      marks.some(({ label }) => label.includes('throws')),
      false,
    );
    await page.close();
  }
});

test('each control is marked as one, and named in the drawing', { skip }, async () => {
  const page = await openReport(report);
  const names = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.labels .word')].map((word) => word.textContent)",
  );
  assert.deepEqual([...names].sort(), ['allow-all', 'deny-egress']);
  const fill = await page.evaluate<string>("getComputedStyle(document.querySelector('.mark.control > .shape')).fill");
  assert.equal(fill, await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'));
  await page.close();
});

test('a tooltip shows on hover and on focus, arrow keys move on, Escape hides', { skip }, async () => {
  const page = await openReport(report);
  const tip = page.locator('.tip');
  assert.equal(await tip.isVisible(), false);
  const last = page.locator('.mark .hit').last();
  await last.hover();
  assert.match((await tip.textContent()) ?? '', /attacks stopped \d+ of \d+ = /);
  await page.mouse.move(0, 0);
  await page.locator('.mark').first().focus();
  const first = await tip.textContent();
  await page.keyboard.press('ArrowRight');
  assert.notEqual(await tip.textContent(), first);
  assert.equal(await tip.isVisible(), true);
  await page.keyboard.press('Escape');
  assert.equal(await tip.isVisible(), false);
  await page.close();
});

test('the table is the twin of the plot: every figure of every gate and tier, as in the JSON', { skip }, async () => {
  const page = await openReport(report);
  const rows = await page.evaluate<string[][]>(
    "[...document.querySelectorAll('#figures tbody tr')].map((row) => [...row.children].map((cell) => cell.firstChild?.textContent ?? ''))",
  );
  const percent = (rate: number | null): string => (rate === null ? 'n/a' : (100 * rate).toFixed(1));
  const expected = report.gates.flatMap((gate) => [
    [gate.control ? `${gate.name} (control)` : gate.name],
    ...gate.tiers.map((tier) =>
      isMeasured(tier)
        ? [tier.tier, ...FIGURES.map((figure) => percent(tier[figure].rate)), String(tier.errors)]
        : [tier.tier, 'n/a', '', '', '', ''],
    ),
  ]);
  assert.deepEqual(rows, expected);
  assert.match(await page.locator('#figures').innerText(), /throws, effect: \d+ errors, first: .*no luck/);
  await page.close();
});

const LOOKS = `[...document.querySelectorAll('.legend svg')].map((svg) => {
  const shape = getComputedStyle(svg.querySelector('.shape'));
  return [shape.fill, shape.stroke, svg.querySelector('.glyph')?.getAttribute('d')].join(' ');
})`;

test('each of forty gates has a look of its own, and a tier one shape whatever the gate', { skip }, async () => {
  const exact = report.gates.find((gate) => gate.name === 'exact')!;
  const controls = report.gates.filter((gate) => gate.control);
  // Every gate's points stand apart, so that each is drawn with its own look.
  const moved = (index: number): typeof exact => ({
    ...exact,
    name: `gate-${index}`,
    tiers: exact.tiers.filter(isMeasured).map((tier) => {
      const of = { ...tier.crossTaskGenerality, rate: (index + 1) / 50 };
      return { ...tier, crossTaskGenerality: of };
    }),
  });
  const gates = [...controls, ...Array.from({ length: 40 }, (_, index) => moved(index))];
  const page = await openReport({ ...report, gates });
  const looks = await page.evaluate<string[]>(LOOKS);
  assert.equal(looks.length, 42);
  assert.equal(new Set(looks.slice(2)).size, 40);
  assert.ok(looks.slice(2).every((look) => !looks.slice(0, 2).includes(look)));
  const shapes = await page.evaluate<[string, string][]>(
    "[...document.querySelectorAll('.mark:not(.control)')].filter((mark) => !mark.getAttribute('aria-label').includes('\\n')).map((mark) => [mark.getAttribute('aria-label').split(/, |:/)[1], mark.querySelector('.shape').getAttribute('d')])",
  );
  const byTier = new Map<string, Set<string>>();
  for (const [tier, shape] of shapes) byTier.set(tier, (byTier.get(tier) ?? new Set()).add(shape));
  assert.equal(byTier.size, 5);
  assert.ok([...byTier.values()].every((set) => set.size === 1));
  assert.equal(new Set([...byTier.values()].map((set) => [...set][0])).size, 5);
  const keyed = await page.evaluate<[string, string][]>(
    "[...document.querySelectorAll('.key li')].map((entry) => [entry.textContent, entry.querySelector('.shape').getAttribute('d')])",
  );
  assert.deepEqual(new Map(keyed), new Map([...byTier].map(([tier, set]) => [tier, [...set][0]!])));
  await page.close();
});

test('at 390 pixels nothing scrolls sideways, in either scheme, and the schemes differ', { skip }, async () => {
  const colors: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await openReport(report, { colorScheme, viewport: { width: 390, height: 800 } });
    const [width, color] = await page.evaluate<[number, string]>(
      '[document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor]',
    );
    assert.equal(width, 390);
    colors.push(color);
    await page.close();
  }
  assert.notEqual(colors[0], colors[1]);
});

test('attack text stands as text; one gate, forty gates and a gate without figures are drawn', { skip }, async () => {
  const attack = '<img src=x onerror=alert(1)>';
  const first = report.gates.find((gate) => gate.name === 'exact');
  const named = (name: string) => ({ ...first!, name, file: name });
  const one = await openReport({ ...report, command: attack, gates: [named(attack)] });
  assert.equal(await one.locator('img').count(), 0);
  assert.match(await one.locator('.legend').innerText(), /<img src=x onerror=alert\(1\)>/);
  assert.match(await one.locator('h1').innerText(), /<img/);
  await one.close();
  const forty = await openReport({
    ...report,
    gates: Array.from({ length: 40 }, (_, index) => named(`gate-${index}`)),
  });
  assert.equal(await forty.locator('.legend button').count(), 40);
  await forty.locator('.legend button').nth(7).click();
  assert.equal(await forty.locator('.legend button[aria-pressed=true]').count(), 1);
  await forty.close();
  const none = await openReport({ ...report, gates: report.gates.filter((gate) => gate.name === 'throws') });
  assert.equal(await none.locator('.mark').count(), 0);
  assert.match(await none.locator('#plot').innerText(), /No gate has figures to plot/);
  await none.close();
});

test("recorded runs: an arrow ends where the pipeline's figures are", { skip }, async () => {
  const args = [
    'runs',
    'exact',
    '--tier',
    'target',
    '--pipeline',
    'gpt-4o-2024-05-13,command-r',
    '--resamples',
    '20',
    '--format',
    'json',
  ];
  const runs = JSON.parse((await toolgate(args)).stdout) as RunsReport;
  const page = await pages.open(renderRunsHtml(runs), { viewport: { width: 390, height: 800 } });
  assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), 390);
  const { pipelines } = runs.gates[0]!.tiers.find(isMeasured)!;
  const ends = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.mark')].map((mark) => mark.dataset.from + ' ' + mark.dataset.to)",
  );
  assert.deepEqual(
    ends,
    pipelines.map(({ utility, asr }) =>
      [utility.without, asr.without, utility.with, asr.with].map(({ rate }) => rate).join(' '),
    ),
  );
  const { marks, zero, one } = await drawn(page);
  const [first] = pipelines;
  assert.ok(Math.abs(marks[0]!.x - (zero[0] + first!.utility.with.rate! * (one[0] - zero[0]))) < 1.5);
  // Both numbers of runs: what the row is over, and what AgentDojo's published figures count.
  assert.match(await page.locator('main').innerText(), /gpt-4o-2024-05-13\s+96\+600 of 97\+629 runs/);
  await page.locator('.mark').first().focus();
  assert.match((await page.locator('.tip').textContent()) ?? '', /^gpt-4o-2024-05-13|^command-r/);
  await page.close();
});
