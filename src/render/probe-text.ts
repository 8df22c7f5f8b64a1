import type { ClassReport, FlagReport, ProbeReport } from '../probe/findings.ts';
import { isTrusted } from '../probe/findings.ts';
import type { ProbedGate, ProbeRun } from '../probe/run-report.ts';
import { clip, layOut, plain, wrap } from './table.ts';

const COLUMNS = 80;

/** The report of `probe` for a terminal of 80 columns. */
export function renderProbeText(run: ProbeRun): string {
  return run.gates.map((gate) => `${gateLines(gate).join('\n')}\n`).join('\n');
}

function gateLines({ name, file, failed, probe }: ProbedGate): string[] {
  if (probe === undefined) return wrap(`${shown(name)}: not loaded: ${plain(failed ?? '')}`, COLUMNS, '  ');
  const title = name === file ? shown(name) : `${shown(name)} (${shown(file)})`;
  return [
    title,
    ...indented(verdictOn(probe)),
    ...classTable(probe.classes),
    ...probe.classes.flatMap(exampleLines),
    ...probe.flags.flatMap(flagLines),
    ...(probe.firstError === null ? [] : indented(`first error: ${plain(probe.firstError)}`)),
    ...probe.unchecked.flatMap((what) => indented(`not checked further: ${plain(what)}`)),
  ];
}

/** One sentence: is the gate faithful, and is it honest. The main report prints it as well. */
export function verdictOn(probe: ProbeReport): string {
  const { probes, leaks, lenient, refused, errors, flags, unchecked } = probe;
  const found = [
    count(leaks, 'leak'),
    count(refused, 'wrong denial'),
    count(errors, 'error'),
    count(lenient, 'lenient reading'),
    ...new Set(flags.map(({ flag }) => flag)),
    ...(unchecked.length > 0 ? ['not finished'] : []),
    ...(probe.firstError !== null && errors === 0 ? ['errors outside of the probes'] : []),
  ].filter((text) => text !== '');
  const trusted = isTrusted(probe) ? 'faithful and honest as far as it shows' : 'not to be trusted as it is';
  return `${probes} probes: ${trusted}${found.length === 0 ? '' : `: ${found.join(', ')}`}`;
}

function count(n: number, what: string): string {
  return n === 0 ? '' : `${n} ${what}${n === 1 ? '' : 's'}`;
}

function classTable(classes: readonly ClassReport[]): string[] {
  const rows = classes.map(({ class: name, probes, leaks, refused, errors, lenient }) =>
    [name, probes, leaks, refused, errors, lenient].map(String),
  );
  const heads = ['  class', 'probes', 'leaks', 'wrong denials', 'errors', 'lenient'];
  return layOut(
    [heads, ...rows.map(([name, ...cells]) => [`  ${name}`, ...cells])],
    ['left', 'right', 'right', 'right', 'right', 'right'],
  );
}

function exampleLines({ class: name, example }: ClassReport): string[] {
  if (example === null) return [];
  const { tier, literal, tool, targets, verdict, expected } = example;
  return indented(
    `${name}, ${tier}: ${quote(literal)} -> ${quote(tool)} [${targets.map(quote).join(', ')}] -> ${verdict}, expected ${expected}`,
  );
}

function flagLines({ flag, tier, differences, of, example }: FlagReport): string[] {
  const { tool, targets, verdicts } = example;
  return indented(
    `${flag}, ${tier}: ${differences} of ${of} verdicts differ, first: ${quote(tool)} [${targets.map(quote).join(', ')}]: ${verdicts[0]}, then ${verdicts[1]}`,
  );
}

/** Text from outside may hold one long word, which stays whole. */
const indented = (text: string): string[] => wrap(text, COLUMNS - 2, '  ').map((line) => `  ${line}`);
const shown = (text: string): string => clip(plain(text), COLUMNS / 2);
const quote = (text: string): string => clip(plain(JSON.stringify(text)), 60);
