import type { Random } from '../random.ts';
import type { Action } from '../types.ts';
import type { ScenarioPolicy, Tool } from './types.ts';

/** Where a piece of untrusted text comes from. */
export type Origin = 'result' | 'description' | 'document' | 'history' | 'step';

/** What a defence may know of a case: never the injection, nor what counts as success. */
export interface DefenseContext {
  /** Drawn from the case's seed. */
  readonly random: Random;
  /** What an operator could write who knows the task alone. */
  readonly policy: ScenarioPolicy;
  /** Notes what a detector said of a text. */
  readonly detected: (detection: Omit<Detection, 'injected'>, text: string) => void;
}

/** What a detector said of one text. */
export interface Detection {
  readonly detector: string;
  readonly origin: Origin;
  readonly flagged: boolean;
  /** Whether the text holds an injection, or a part of one: the truth that the verdict is held against. */
  readonly injected: boolean;
}

/** What a gate said of one call. */
export interface GateVerdict {
  readonly gate: string;
  readonly verdict: 'allow' | 'deny' | 'error';
  /** Text from outside; null: none. */
  readonly note: string | null;
}

/** A defence at work on one case. Every member is optional: what it lacks, it leaves alone. */
export interface DefenseAtWork {
  /** The operator's system prompt; empty when there is none. */
  system?(system: string): string;
  /** Takes out parts of untrusted text; runs before anything marks it. */
  filter?(text: string, origin: Origin): string | Promise<string>;
  /** Marks untrusted text. */
  mark?(text: string, origin: Origin): string;
  /** Chooses among the tools. */
  tools?(tools: readonly Tool[]): readonly Tool[];
  /** What follows a tool's result, the user's latest request given. */
  afterResult?(request: string): string;
  /** Decides on a call; `origins` of its targets are filled in when `wantsOrigins`. */
  check?(action: Action): Promise<GateVerdict>;
  readonly wantsOrigins?: boolean;
  /** A fresh conversation has begun. */
  newSession?(): Promise<void>;
  close?(): Promise<void>;
}

/** A defence: one of a stack. */
export interface Defense {
  /** As the user typed it. */
  readonly name: string;
  start(context: DefenseContext): DefenseAtWork | Promise<DefenseAtWork>;
  close?(): Promise<void>;
}
