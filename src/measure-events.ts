import { complain, type Io } from './io.ts';
import type { MeasureEvents } from './measure.ts';
import type { Progress } from './progress.ts';
import { plain } from './render/table.ts';
import { isTrusted } from './probe/findings.ts';
import { type GateReport, isMeasured } from './report.ts';

/** Passes what a gate writes on to standard error, each line with the gate's name as typed. */
export function gateOutput(io: Io, quiet: boolean): (gate: string, text: string) => void {
  return (gate, text) => {
    if (!quiet) io.stderr.write(text.replace(/^(?=[^\n])/gm, () => `[${plain(gate)}] `));
  };
}

/** The same while gates are measured; shows how far they are, too. */
export function listeners(io: Io, quiet: boolean, progress: Progress): MeasureEvents {
  const output = gateOutput(io, quiet);
  const say = (gate: string, text: string): void => {
    if (!quiet) progress.clear();
    output(gate, text);
  };
  return { onOutput: say, onWarning: (gate, message) => say(gate, `${plain(message)}\n`), onProgress: progress.show };
}

/** 130 interrupted; 2 an adapter did not load; 1 a call of a gate failed, or its probe found something; else 0. */
export function statusOf(reports: readonly GateReport<{ readonly errors: number }>[], interrupted: boolean): number {
  if (interrupted) return 130;
  if (reports.some((gate) => gate.failed !== undefined)) return 2;
  const short = (gate: (typeof reports)[number]): boolean =>
    gate.tiers.some((tier) => isMeasured(tier) && tier.errors > 0) ||
    (gate.probe !== undefined && !isTrusted(gate.probe));
  return reports.some(short) ? 1 : 0;
}

/** A line for each adapter that could not be loaded. */
export function complainOfUnloaded(io: Io, reports: readonly GateReport<object>[]): void {
  for (const { failed } of reports) if (failed !== undefined && failed !== 'interrupted') complain(io, failed);
}
