import { CHECK } from '../batch.ts';
import type { Tier } from '../types.ts';
import type { ClassReport, ProbeExample } from './findings.ts';
import type { ProbeBatch } from './probe-batch.ts';
import { type Probe, PROBE_CLASSES, type ProbeClass } from './types.ts';

type Failure = 'leaks' | 'lenient' | 'refused' | 'errors';
const WORST_FIRST: readonly Failure[] = ['leaks', 'refused', 'errors', 'lenient'];

interface Tally extends Record<Failure, number> {
  probes: number;
  example: ProbeExample | null;
  exampleOf: Failure;
}

/** Collects verdicts on probes, tier after tier, into a report per class. */
export interface FaithfulTally {
  /**
   * @param how `again`: the probes were counted before, and only failures that were not found then are added; `cut`: the
   * gate hung or died, so that the first check without a verdict is an error of its class
   */
  add(tier: Tier, probeBatch: ProbeBatch, verdicts: Uint8Array, how?: { again?: boolean; cut?: boolean }): void;
  classes(): ClassReport[];
}

export function createFaithfulTally(): FaithfulTally {
  const tallies = new Map<ProbeClass, Tally>();
  const failed = new Set<Probe>();
  return {
    add(tier, probeBatch, seen, { again = false, cut = false } = {}) {
      const verdicts = cut ? withHang(seen) : seen;
      if (!again) {
        for (const probe of reached(probeBatch, verdicts)) tallyOf(tallies, probe.class).probes++;
      }
      for (const { probe, check } of firstFaults(probeBatch, verdicts)) {
        if (failed.has(probe)) continue;
        failed.add(probe);
        record(tallyOf(tallies, probe.class), probe, exampleOf(tier, probeBatch, probe, check, verdicts[check]!));
      }
    },
    classes: () =>
      PROBE_CLASSES.filter((name) => tallies.has(name)).map((name) => {
        const { exampleOf: _, ...report } = tallies.get(name)!;
        return { class: name, ...report };
      }),
  };
}

function tallyOf(tallies: Map<ProbeClass, Tally>, name: ProbeClass): Tally {
  const known = tallies.get(name);
  if (known !== undefined) return known;
  const fresh: Tally = { probes: 0, leaks: 0, lenient: 0, refused: 0, errors: 0, example: null, exampleOf: 'lenient' };
  tallies.set(name, fresh);
  return fresh;
}

/** Checks run in their order, so the first that was not reached is the one that did not come back. */
function withHang(verdicts: Uint8Array): Uint8Array {
  const hung = verdicts.indexOf(CHECK.notReached);
  return hung < 0 ? verdicts : verdicts.with(hung, CHECK.error);
}

/** The probes of which every check was made: a gate that hung leaves the rest out. */
function reached({ probes, judges }: ProbeBatch, verdicts: Uint8Array): Set<Probe> {
  const whole = new Set(probes);
  judges.forEach((index, check) => {
    if (index >= 0 && verdicts[check] === CHECK.notReached) whole.delete(probes[index]!);
  });
  return whole;
}

function firstFaults(
  { probes, judges, expected }: ProbeBatch,
  verdicts: Uint8Array,
): { probe: Probe; check: number }[] {
  const faults = new Map<number, number>();
  judges.forEach((index, check) => {
    const verdict = verdicts[check]!;
    if (index < 0 || verdict === CHECK.notReached || faults.has(index)) return;
    if (verdict !== (expected[check] === 1 ? CHECK.allow : CHECK.deny)) faults.set(index, check);
  });
  return [...faults].map(([index, check]) => ({ probe: probes[index]!, check }));
}

function exampleOf(
  tier: Tier,
  { batch, expected }: ProbeBatch,
  probe: Probe,
  check: number,
  verdict: number,
): ProbeExample {
  const { type, targets } = batch.actions[batch.steps[check]!]!;
  return {
    tier,
    literal: probe.literal,
    tool: type,
    targets,
    verdict: verdict === CHECK.allow ? 'allow' : verdict === CHECK.deny ? 'deny' : 'error',
    expected: expected[check] === 1 ? 'allow' : 'deny',
  };
}

function record(tally: Tally, { kind }: Probe, example: ProbeExample): void {
  const failure = failureOf(kind, example);
  tally[failure]++;
  const rank = WORST_FIRST.indexOf(failure) - WORST_FIRST.indexOf(tally.exampleOf);
  if (tally.example === null || rank < 0 || (rank === 0 && sizeOf(example) < sizeOf(tally.example))) {
    tally.example = example;
    tally.exampleOf = failure;
  }
}

function failureOf(kind: Probe['kind'], { verdict }: ProbeExample): Failure {
  if (verdict === 'error') return 'errors';
  if (verdict === 'deny') return 'refused';
  return kind === 'leak' ? 'leaks' : 'lenient';
}

/** In characters; a literal of one sign or none explains little, so it comes last. */
function sizeOf({ literal, tool, targets }: ProbeExample): number {
  return JSON.stringify([literal, tool, targets]).length + (literal.length < 3 ? 1000 : 0);
}
