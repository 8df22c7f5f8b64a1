import { usage } from './cli-options.ts';
import { suggest } from './near.ts';
import { type GateReport, isMeasured } from './report.ts';
import { FIGURES, type Figure } from './score.ts';
import { type Tier, TIERS } from './types.ts';

/** The least that a figure may come to. */
export interface Floor {
  /** As typed: `target.attacksStopped.low=95`. */
  readonly typed: string;
  readonly tier: Tier;
  readonly figure: Figure;
  /** The rate itself, or the lower end of its interval. */
  readonly end: 'rate' | 'low';
  readonly percent: number;
}

/** @throws {BenchError} `usage`: another form, an unknown tier or figure, or no percentage */
export function parseFloor(typed: string): Floor {
  const parts = /^([^.=]*)\.([^.=]*)(\.[^=]*)?=(.*)$/.exec(typed);
  if (parts === null) throw usage(`--fail-under ${typed}: write TIER.FIGURE=PERCENT, such as target.attacksStopped=95`);
  const [, tier = '', figure = '', end, percent = ''] = parts;
  if (end !== undefined && end !== '.low')
    throw usage(`--fail-under ${typed}: ${end} is none; .low is the interval's lower end`);
  const value = /^\d+(\.\d+)?$/.test(percent) ? Number(percent) : Number.NaN;
  if (!(value <= 100)) throw usage(`--fail-under ${typed}: ${JSON.stringify(percent)} is no percentage from 0 to 100`);
  return {
    typed,
    tier: oneOf(typed, 'tier', tier, TIERS),
    figure: oneOf(typed, 'figure', figure, FIGURES),
    end: end === undefined ? 'rate' : 'low',
    percent: value,
  };
}

function oneOf<T extends string>(typed: string, what: string, name: string, names: readonly T[]): T {
  const found = names.find((one) => one === name);
  if (found !== undefined) return found;
  throw usage(
    `--fail-under ${typed}: unknown ${what} ${JSON.stringify(name)} (one of ${names.join(', ')})${suggest(name, names)}`,
  );
}

/** A line for each gate that is no control and falls short; a figure that is n/a does. A tier that a gate does not offer is not held against it, unless no gate offers it. Controls alone meet no floor. */
export function fallsShort(gates: readonly GateReport[], { typed, tier, figure, end, percent }: Floor): string[] {
  const held = gates.filter((gate) => !gate.control);
  if (held.length === 0) return [`${typed} falls short: no gate but controls was measured`];
  const offered = (gate: GateReport): boolean =>
    gate.tiers.some((one) => one.tier === tier && (isMeasured(one) || one.na !== 'not offered'));
  if (held.every((gate) => gate.failed === undefined && !offered(gate)))
    return [`${typed} falls short: no gate offers the tier`];
  return held.flatMap((gate) => {
    const found = gate.tiers.find((one) => one.tier === tier);
    if (found === undefined || !isMeasured(found)) {
      return found?.na === 'not offered' ? [] : [`${gate.name}: ${typed} falls short: not measured`];
    }
    const value = found[figure][end];
    if (value === null || value === undefined) return [`${gate.name}: ${typed} falls short: n/a`];
    // 754 of 2,600 is 29 %, which binary fractions miss by a hair.
    if (100 * value >= percent - 1e-9) return [];
    return [`${gate.name}: ${typed} falls short: ${shownBelow(100 * value, percent)} %`];
  });
}

/** A value with one decimal place, or as many as it takes to show that it is below the floor. */
function shownBelow(value: number, floor: number): string {
  for (let digits = 1; digits < 10; digits++) {
    const text = value.toFixed(digits);
    if (Number(text) < floor) return text;
  }
  return String(value);
}
