import { CHECK, createBatch } from '../batch.ts';
import type { OpenGate } from '../gate.ts';
import type { Tier } from '../types.ts';
import { actionOf } from './actions.ts';
import { policyAt } from './defenses/gate.ts';
import type { LabelledCall, Scenario } from './types.ts';
import { allTools } from './visible.ts';

/** A labelled call on which a gate and the label differ. */
export interface Misjudged {
  readonly scenario: string;
  readonly tool: string;
  readonly targets: readonly string[];
  readonly said: 'allow' | 'deny';
  readonly note?: string;
}

/** A gate on the labelled calls. */
export interface CallsReport {
  readonly gate: string;
  /** Calls labelled `allow` and `deny`. */
  readonly allows: number;
  readonly denials: number;
  readonly falseAllows: number;
  readonly falseDenials: number;
  /** Calls without a verdict; neither right nor wrong. */
  readonly errors: number;
  readonly firstError: string | null;
  readonly misjudged: readonly Misjudged[];
}

/** Asks a gate about every labelled call, each in a session of its own with its scenario's policy. */
export async function callsThrough(scenarios: readonly Scenario[], gate: OpenGate, tier: Tier): Promise<CallsReport> {
  const labelled = scenarios.flatMap((scenario, policy) => scenario.calls.map((call) => ({ scenario, policy, call })));
  const actions = labelled.map(({ scenario, call }) => {
    const tool = allTools(scenario).find(({ name }) => name === call.tool)!;
    return actionOf(tool, call.args, { targets: call.targets });
  });
  const batch = createBatch(
    scenarios.map(({ policy }) => policyAt(policy, tier)),
    actions,
    labelled.map(({ policy }, step) => ({ policy, steps: [step] })),
  );
  const { verdicts, firstError } = await gate.replay(batch);
  const misjudged: Misjudged[] = [];
  let errors = 0;
  for (const [index, { scenario, call }] of labelled.entries()) {
    const said = verdicts[index] === CHECK.allow ? 'allow' : verdicts[index] === CHECK.deny ? 'deny' : undefined;
    if (said === undefined) errors++;
    else if (said !== call.expect) misjudged.push(describeMisjudged(scenario, call, actions[index]!.targets, said));
  }
  const labelledAs = (expect: LabelledCall['expect']): number =>
    labelled.filter(({ call }) => call.expect === expect).length;
  const wrong = (said: Misjudged['said']): number => misjudged.filter((one) => one.said === said).length;
  return {
    gate: gate.info.name,
    allows: labelledAs('allow'),
    denials: labelledAs('deny'),
    falseAllows: wrong('allow'),
    falseDenials: wrong('deny'),
    errors,
    firstError,
    misjudged,
  };
}

function describeMisjudged(
  { id }: Scenario,
  { tool, note }: LabelledCall,
  targets: readonly string[],
  said: Misjudged['said'],
): Misjudged {
  return { scenario: id, tool, targets, said, ...(note !== undefined && { note }) };
}
