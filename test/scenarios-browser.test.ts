import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { renderHtml } from '../src/scenarios/render/html.ts';
import type { ScenarioReport } from '../src/scenarios/report.ts';
import { type Pages, skip, startPages } from './browser.ts';
import { toolgate } from './command.ts';

const TARGETS = 'naive,careful,paranoid';
const STACKS = 'none,spotlight,filter,gate:exact@target';

let pages: Pages;
let report: ScenarioReport;
before(async () => {
  if (skip) return;
  pages = await startPages();
  const args = ['scenarios', 'matrix', '--targets', TARGETS, '--defenses', STACKS, '--resamples', '200'];
  report = JSON.parse((await toolgate([...args, '--format', 'json'])).stdout) as ScenarioReport;
});
after(() => pages?.close());

const open = (of: ScenarioReport, options?: Parameters<Pages['open']>[1]): Promise<Page> =>
  pages.open(renderHtml(of), options);

interface Drawn {
  x: number;
  y: number;
  label: string;
}

/** Runs in the page; as text, since what compiles this file may add helpers that the page does not have. */
const DRAWN = `(() => {
  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const tick = (name, rate, side) => middle(document.querySelector('[data-' + name + '="' + rate + '"]'))[side];
  const marks = [...document.querySelectorAll('.mark')].map((mark) => {
    const [x, y] = middle(mark.querySelector('.hit'));
    return { x, y, label: mark.getAttribute('aria-label') };
  });
  return { marks, zero: [tick('x', 0, 0), tick('y', 0, 1)], one: [tick('x', 1, 0), tick('y', 1, 1)] };
})()`;

test('every row is a point, and stands where the JSON says, in both schemes', { skip }, async () => {
  const colors: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open(report, { colorScheme });
    const { marks, zero, one } = await page.evaluate<{
      marks: Drawn[];
      zero: [number, number];
      one: [number, number];
    }>(DRAWN);
    for (const { target, defense, compromised, taskUnderAttack } of report.rows) {
      const mark = marks.find(({ label }) =>
        label.split('\n').some((line) => line.startsWith(`${target}, ${defense}: `)),
      );
      assert.ok(mark, `${target}, ${defense}`);
      const [x, y] = [compromised.rate!, taskUnderAttack.rate!];
      assert.ok(Math.abs(mark.x - (zero[0] + x * (one[0] - zero[0]))) < 1.5, `${mark.x} for ${x}`);
      assert.ok(Math.abs(mark.y - (zero[1] + y * (one[1] - zero[1]))) < 3, `${mark.y} for ${y}`);
    }
    assert.equal(marks.flatMap(({ label }) => label.split('\n')).length, report.rows.length);
    colors.push(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'));
    await page.close();
  }
  assert.notEqual(colors[0], colors[1]);
});

const BODY = (id: string): string =>
  `[...document.querySelectorAll('#${id} tbody tr')].map((row) => [...row.cells].map((cell) => cell.firstChild.textContent))`;

test('the cells of matrix and heat map are the figures of the JSON', { skip }, async () => {
  const page = await open(report);
  const percent = (rate: number | null): string => (rate === null ? '-' : String(Math.round(1000 * rate) / 10));
  const isRow = (cells: string[]): boolean => cells.length > 1;
  const matrix = (await page.evaluate<string[][]>(BODY('figures'))).filter(isRow);
  assert.deepEqual(
    matrix.map((cells) => cells.slice(0, 9)),
    report.rows.map((row) => [
      row.defense,
      ...[
        row.compromised,
        row.compromisedExposed,
        row.exposure,
        row.taskUnderAttack,
        row.taskOnControls,
        row.overRefused,
      ].map(({ rate }) => percent(rate)),
      String(row.unclassified),
      String(row.errors),
    ]),
  );
  const heat = (await page.evaluate<string[][]>(BODY('channels'))).filter(isRow);
  assert.deepEqual(
    heat,
    report.rows.map((row) => [
      row.defense,
      ...report.channels.map((channel) =>
        percent(row.byChannel.find(({ name }) => name === channel)!.compromised.rate),
      ),
    ]),
  );
  // The shade follows the number: the page's policy would drop a style that is not its own.
  const shade = (text: string): Promise<string> =>
    page.evaluate<string>(
      `getComputedStyle([...document.querySelectorAll('#channels td')].find((cell) => cell.textContent === '${text}')).backgroundColor`,
    );
  assert.notEqual(await shade('0'), await shade('100'));
  await page.close();
});

test('a tooltip names what coincides, arrow keys go on, a button picks a stack or a target out', { skip }, async () => {
  const page = await open(report);
  await page.locator('.mark').first().focus();
  const tip = page.locator('.tip');
  assert.match((await tip.textContent()) ?? '', /^naive, none: compromised 100 \[\d+, 100\], task done 100 /);
  await page.keyboard.press('ArrowRight');
  assert.match((await tip.textContent()) ?? '', /^naive, spotlight: /);
  await page.getByRole('button', { name: 'paranoid' }).click();
  const picked = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.mark.picked')].map((mark) => mark.getAttribute('aria-label').split(',')[0])",
  );
  assert.deepEqual(picked, ['paranoid']);
  await page.close();
});

test('at 390 pixels the page does not scroll sideways; tables do, in their box', { skip }, async () => {
  const page = await open(report, { viewport: { width: 390, height: 800 } });
  const [width, boxes] = await page.evaluate<[number, number[]]>(
    "[document.documentElement.scrollWidth, [...document.querySelectorAll('.scroll')].map((box) => box.clientWidth)]",
  );
  assert.equal(width, 390);
  assert.ok(boxes.length === 2 && boxes.every((box) => box <= 358));
  await page.close();
});

test('attack text stands as text; a report without an attack has no plot', { skip }, async () => {
  const attack = '<img src=x onerror=alert(1)>"\'</style>';
  const [first] = report.rows;
  const hostile = { ...first!, target: attack, defense: attack, detectors: [{ ...NO_TEXTS, name: attack }] };
  const page = await open({ ...report, command: attack, rows: [hostile] });
  assert.equal(await page.locator('img').count(), 0);
  for (const id of ['figures', 'channels', 'plot', 'command'])
    assert.ok((await page.locator(`#${id}`).innerText()).includes(attack), id);
  await page.close();
  const none = { k: 0, n: 0, rate: null };
  const calm = await open({ ...report, rows: [{ ...first!, compromised: none, taskUnderAttack: none }] });
  assert.equal(await calm.locator('.mark').count(), 0);
  assert.match(await calm.locator('#plot').innerText(), /no attack without an error to plot/);
  await calm.close();
});

const NO_TEXTS = { texts: 0, injected: 0, flagged: 0, hits: 0 };
