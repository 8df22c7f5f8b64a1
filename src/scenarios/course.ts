import { messageOf } from '../errors.ts';
import type { DefenseAtWork } from './defense.ts';
import type { Stack } from './defenses/index.ts';
import type { CaseError, RecordedCall, RecordedTurn } from './outcome.ts';
import type { Message, Target, TargetResult } from './target.ts';
import type { ReferenceTarget } from './targets/reference.ts';
import type { MadeCall, Scenario } from './types.ts';
import type { OpenWorld, Setting, World } from './world.ts';

/** A target, or one that is told how the task is done. */
export type AnyTarget =
  | { readonly kind: 'target'; readonly name: string; readonly target: Target }
  | { readonly kind: 'reference'; readonly name: string; readonly target: ReferenceTarget };

/** One case to run. */
export interface CaseSpec {
  readonly scenario: Scenario;
  readonly setting: Setting;
  readonly target: AnyTarget;
  readonly stack: Stack;
  readonly seed: number;
  readonly world: World;
  /** Bound on one turn of the target, in milliseconds. */
  readonly turnMs: number;
  readonly signal: AbortSignal;
}

/** Ends a case: something of the bench's surroundings, not the target's choice, went wrong. */
export class CaseFault extends Error {
  readonly where: CaseError['where'];

  constructor(where: CaseError['where'], message: string) {
    super(message);
    this.where = where;
  }
}

/** What is known of a case under way. */
export interface Course {
  readonly spec: CaseSpec;
  readonly world: OpenWorld;
  readonly defenses: readonly DefenseAtWork[];
  readonly turns: RecordedTurn[];
  readonly calls: RecordedCall[];
  readonly finalTexts: string[];
  readonly results: TargetResult[];
  /** The conversation so far, as the target saw it. */
  conversation: Message[];
  /** The user's own words, and all others, in this conversation: what origins are told from. */
  userText: string;
  untrustedText: string;
  exposed: boolean;
  brokenAt?: number;
  fault?: CaseFault;
}

/** Does a piece of work whose failure ends the case, and says whose it is. */
export async function guarded<T>(where: CaseError['where'], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CaseFault) throw error;
    throw new CaseFault(where, messageOf(error));
  }
}

/** The calls as conditions and the world look at them. */
export function madeCalls(course: Course): MadeCall[] {
  return course.calls.map(({ tool, args, fate, turn }) => ({ tool, args, denied: fate !== 'done', step: turn }));
}
