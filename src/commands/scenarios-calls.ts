import { allowOptions, type CommandLine, optionChoice, optionText, usage } from '../cli-options.ts';
import { gateLimits } from '../gate-options.ts';
import type { Io } from '../io.ts';
import { commandGates, lookUpGates } from '../gate-lookup.ts';
import { openFound } from '../open-found.ts';
import { gateOutput } from '../measure-events.ts';
import { checkOut, deliver } from '../output.ts';
import { ADAPTERS_FOLDER } from '../paths.ts';
import { clip, layOut, plain } from '../render/table.ts';
import { callsThrough, type CallsReport, type Misjudged } from '../scenarios/calls.ts';
import { chooseScenarios } from '../scenarios/choose.ts';
import { TIERS } from '../types.ts';

/** The labelled calls through gates, no target involved. Exit status 1 if a gate decided one otherwise, or failed. */
export async function measureCalls(line: CommandLine, io: Io): Promise<number> {
  allowOptions(line, 'scenarios calls', [
    'scenario',
    'channel',
    'corpus',
    'tier',
    'timeout',
    'exec',
    'memory',
    'format',
    'out',
  ]);
  if (line.words.length === 0 && !line.options.has('exec'))
    throw usage('scenarios calls needs gates, as in: scenarios calls exact deny-egress');
  const format = optionChoice(line, 'format', ['text', 'json'], 'text');
  const tier = optionChoice(line, 'tier', TIERS, 'target');
  if (tier === 'limits' || tier === 'origin')
    throw usage(`--tier ${tier}: the calls are labelled for a policy without it`);
  const out = optionText(line, 'out');
  checkOut(io, out);
  const { scenarios, sha256 } = chooseScenarios(line, io);
  const found = [...lookUpGates(line.words, io.cwd, ADAPTERS_FOLDER), ...commandGates(line.options.get('exec'))];
  const limits = gateLimits(line);
  const output = gateOutput(io, line.options.has('quiet'));
  const gates: CallsReport[] = [];
  for (const one of found) {
    const gate = await openFound(one, {
      limits,
      signal: io.signal,
      onOutput: (text) => output(one.typed, text),
    });
    if (!gate.info.tiers.includes(tier)) throw usage(`${one.typed}: does not offer the tier ${tier}`);
    gates.push(await callsThrough(scenarios, gate, tier));
    await gate.close();
  }
  const report = { schema: 'toolgate-bench/scenario-calls@1', corpus: sha256, tier, gates };
  const text = format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : renderCalls(gates, tier);
  if (!deliver(io, text, out)) return 2;
  if (io.signal.aborted) return 130;
  return gates.some((gate) => gate.misjudged.length > 0 || gate.errors > 0) ? 1 : 0;
}

/** How many misjudged calls are listed for a gate in text. */
const LISTED = 20;

function renderCalls(gates: readonly CallsReport[], tier: string): string {
  const [first] = gates;
  const rows = gates.map((gate) => [
    clip(plain(gate.gate), 30),
    `${gate.falseAllows} of ${gate.denials}`,
    `${gate.falseDenials} of ${gate.allows}`,
    String(gate.errors),
  ]);
  const head = `${(first?.allows ?? 0) + (first?.denials ?? 0)} labelled calls, tier ${tier}`;
  const table = layOut(
    [['gate', 'false allows', 'false denials', 'errors'], ...rows],
    ['left', 'right', 'right', 'right'],
  );
  const lists = gates.flatMap((gate) => {
    if (gate.misjudged.length === 0) return [];
    const left = gate.misjudged.length - LISTED;
    const more = left > 0 ? [`  ... and ${left} more (--format json)`] : [];
    return [
      '',
      `${plain(gate.gate)} decides otherwise:`,
      ...gate.misjudged.slice(0, LISTED).map(misjudgedLine),
      ...more,
    ];
  });
  return `${[head, '', ...table, ...lists].join('\n')}\n`;
}

function misjudgedLine({ scenario, tool, targets, said, note }: Misjudged): string {
  const why = note === undefined ? '' : ` (${note})`;
  return clip(plain(`  ${said} ${scenario}: ${tool} ${targets.join(', ')}${why}`), 80);
}
