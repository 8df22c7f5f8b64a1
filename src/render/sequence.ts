import { CHECK } from '../batch.ts';
import type { GroundTruthAction } from '../corpus.ts';
import { policyInWords } from '../policy-words.ts';
import type { Origin, PolicySpec } from '../types.ts';
import { layOut, plain } from './table.ts';

/** One call of a sequence, and what became of it. */
export interface ExplainedStep {
  readonly action: GroundTruthAction;
  readonly origins: readonly Origin[];
  readonly askedBy: string;
  /** A byte of `CHECK`. */
  readonly verdict: number;
  /** The gate's reason, or its error. */
  readonly note: string | null;
}

const VERDICTS: { readonly [verdict: number]: string } = {
  [CHECK.allow]: 'allow',
  [CHECK.deny]: 'deny',
  [CHECK.error]: 'error',
  [CHECK.noSession]: 'error',
  [CHECK.notReached]: 'not reached',
};

/** The policy in words, then every call in order. */
export function renderSequence(title: string, policy: PolicySpec, steps: readonly ExplainedStep[]): string[] {
  const rows = steps.map(({ action, origins, askedBy, verdict, note }, at) => {
    const targets = action.targets.map((target, index) => `${JSON.stringify(plain(target))} (${origins[index]})`);
    return [
      `${at + 1}`,
      askedBy,
      VERDICTS[verdict]!,
      `${action.type} ${targets.join(', ')}`.trimEnd(),
      plain(note ?? ''),
    ];
  });
  const head = ['', 'asked by', 'verdict', 'call, with targets and their origins', 'reason'];
  return [
    plain(title),
    '',
    ...policyInWords(policy).map(plain),
    '',
    ...layOut([head, ...rows], ['right', 'left', 'left', 'left', 'left']),
  ];
}
