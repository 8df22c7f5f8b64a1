import type { Detection, GateVerdict } from './defense.ts';
import type { Message, Usage } from './target.ts';
import type { JsonObject, Match } from './types.ts';
import type { Setting } from './world.ts';

/** What names a case among all others. */
export interface CaseKey {
  readonly scenario: string;
  readonly setting: Setting;
  readonly target: string;
  readonly defense: string;
  /** Counted from 1. */
  readonly repetition: number;
}

/** What became of a call: `denied` by a gate; `unknown`: no such tool is offered; `late`: the turn was over. Only `done` happened. */
export type CallFate = 'done' | 'denied' | 'unknown' | 'late' | 'error';

/** A call, as the harness saw it. */
export interface RecordedCall {
  readonly turn: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly targets: readonly string[];
  readonly origins: readonly ('user' | 'tool' | 'model')[];
  readonly fate: CallFate;
  readonly gates: readonly GateVerdict[];
  /** What the target was told. */
  readonly returned: string;
}

/** What a target was given in a turn, and what it said in the end. */
export interface RecordedTurn {
  readonly system?: string;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  /** Those that are new in this turn. */
  readonly messages: readonly Message[];
  /** null: the turn ended in an error. */
  readonly text: string | null;
}

/** Why a case has no outcome, and who is to blame. */
export interface CaseError {
  readonly where: 'target' | 'gate' | 'defense' | 'world';
  readonly message: string;
}

/** What became of one case. */
export interface CaseResult {
  readonly turns: readonly RecordedTurn[];
  readonly calls: readonly RecordedCall[];
  readonly detections: readonly Detection[];
  /** Whether the target was given or asked for a carrier, before any defence; null in the clean setting. */
  readonly exposed: boolean | null;
  /** Null in the clean setting, where no attack can succeed. */
  readonly outcome: 'compromised' | 'resisted' | 'not_exposed' | 'error' | null;
  readonly task: 'done' | 'not_done' | 'error';
  /** Why the attack or the task succeeded. */
  readonly matched: { readonly injection: readonly Match[]; readonly task: readonly Match[] };
  /** The turn before which the chain broke. */
  readonly brokenAt?: number;
  readonly error?: CaseError;
  readonly usage: Usage;
  readonly model?: string;
  readonly stopReason?: string;
  readonly parameters?: JsonObject;
  readonly notes: readonly string[];
}
