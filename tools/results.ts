import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { overview, readmeTable, resultsPage, section } from './results/document.ts';
import { GATES, type ListedGate, uvCommand } from './results/gates.ts';
import { type GateRow, measureProbe, measureRow, measureTime, ROOT } from './results/measure.ts';
import { asPublished, differences, JSON_FILE, readPublished } from './results/published.ts';

/**
 * `npm run results`: measures every gate and writes docs/results.json, docs/results.md and the README's part.
 * `-- --check`: measures the figures again, and fails where a file is not what they say; probe states (but with `--probe`) and
 * times are taken from docs/results.json. `-- --times [NAME...]`, `-- --probes [NAME...]`: measures that part alone, the times best
 * on a machine that is idle. `-- --render`: measures nothing, and writes the documents from docs/results.json.
 * `-- NAME...`: measures those gates alone, and prints what docs/results.md says of them, or with `--check` compares them.
 */

const options = new Set(process.argv.slice(2).filter((arg) => arg.startsWith('--')));
const names = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const checking = options.has('--check');
const probing = !checking || options.has('--probe');

/** Lets uv install what a gate needs, before the bench waits for its answer. */
function prepare({ kind, name }: ListedGate): void {
  if (kind !== 'pypi') return;
  const ended = spawnSync(uvCommand(name), {
    cwd: ROOT,
    shell: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (ended.status !== 0)
    throw new Error(`${uvCommand(name)}: ${ended.stderr.trim()}; install uv with: pip install uv`);
}

/** One gate after another for the sake of its times; two at once where there are none to take. */
async function measureAll(gates: readonly ListedGate[]): Promise<GateRow[]> {
  const rows: GateRow[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < gates.length; index = next++) {
      const gate = gates[index]!;
      process.stderr.write(`${gate.name}\n`);
      const row = await measureRow(gate, probing && gate.kind !== 'bench');
      rows[index] = checking ? row : { ...row, usACheck: await measureTime(gate) };
    }
  };
  await Promise.all(Array.from({ length: checking ? 2 : 1 }, lane));
  return rows;
}

/** A statistic a line, so that a difference shows where it is. */
function asJson(rows: readonly GateRow[]): string {
  const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');
  return `${JSON.stringify(rows, null, 1).replaceAll(/\{[^{}[\]]*\}/g, flat)}\n`;
}

/** @returns whether the file is as it should be */
function put(file: string, text: string): boolean {
  if (!checking) writeFileSync(`${ROOT}${file}`, text);
  else if (readFileSync(`${ROOT}${file}`, 'utf8') !== text) {
    process.stderr.write(`${file} is not what was measured; run: npm run results\n`);
    return false;
  }
  return true;
}

function putAll(rows: readonly GateRow[]): boolean {
  const readme = readFileSync(`${ROOT}README.md`, 'utf8');
  const block = /(<!-- generated: npm run results -->\n)[^<]*(<!-- end -->)/;
  if (!block.test(readme)) throw new Error('README.md has no block for the gates measured');
  const files = {
    [JSON_FILE]: asJson(rows),
    'docs/results.md': resultsPage(rows),
    'README.md': readme.replace(block, (_, open, close) => `${open}\n${readmeTable(rows)}\n\n${close}`),
  };
  return Object.entries(files)
    .map(([file, text]) => put(file, text))
    .every(Boolean);
}

/** Compares rows with what is published of them, and where it is all rows the documents, too. */
function check(rows: readonly GateRow[]): void {
  const published = readPublished();
  const comparable = asPublished(rows, published, probing);
  const found = differences(comparable, published);
  for (const line of found) process.stderr.write(`${line}\n`);
  if (found.length > 0 || (names.length === 0 && !putAll(comparable))) process.exitCode = 1;
}

/** What is published, with one part of it measured again, of every gate or of those named. */
async function partsAgain(part: 'times' | 'probes'): Promise<GateRow[]> {
  const rows: GateRow[] = [];
  for (const row of readPublished()) {
    const gate = GATES.find(({ name }) => name === row.name)!;
    const isMeant = names.length === 0 || names.includes(gate.name);
    if (isMeant) prepare(gate);
    if (!isMeant) rows.push(row);
    else if (part === 'times') rows.push({ ...row, usACheck: await measureTime(gate) });
    else rows.push({ ...row, probe: gate.kind === 'bench' ? null : await measureProbe(gate) });
  }
  return rows;
}

const unknown = names.find((name) => !GATES.some((gate) => gate.name === name));
if (unknown !== undefined) {
  process.stderr.write(`no gate ${unknown}; there are ${GATES.map(({ name }) => name).join(', ')}\n`);
  process.exitCode = 2;
} else if (options.has('--render')) {
  putAll(readPublished());
} else if (options.has('--times') || options.has('--probes')) {
  putAll(await partsAgain(options.has('--times') ? 'times' : 'probes'));
} else {
  const gates = names.length === 0 ? GATES : GATES.filter(({ name }) => names.includes(name));
  gates.forEach(prepare);
  const rows = await measureAll(gates);
  if (checking) check(rows);
  else if (names.length === 0) putAll(rows);
  else process.stdout.write(`${overview(rows)}\n\n${rows.map(section).join('\n\n')}\n`);
}
