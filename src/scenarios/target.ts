import type { JsonObject, Parameters } from './types.ts';

/** A message, as a target is given it: what a defence makes of the text is already in it. */
export interface Message {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** The tool that answered; given exactly when the role is `tool`. */
  readonly tool?: string;
  /** The arguments it was called with, where they are known. */
  readonly args?: JsonObject;
}

/** A tool, as a target is told of it. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Parameters;
}

/** What a target works with in one turn. */
export interface TargetInput {
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly tools: readonly OfferedTool[];
  /** Calls a tool. Gives the text that a tool message would hold; a denied call gives the denial. */
  readonly call: (name: string, args: JsonObject) => Promise<string>;
  /** Fires when the run is interrupted or the turn takes too long. */
  readonly signal: AbortSignal;
  /** The same for the same case in every run: an unsigned 32-bit integer. */
  readonly seed: number;
}

/** Tokens as the provider counts them; null: it did not say, which is not zero. */
export interface Usage {
  readonly input: number | null;
  readonly output: number | null;
}

/** What came of one turn. A target of one's own gives `text` alone. */
export interface TargetResult {
  readonly text: string;
  readonly usage?: Usage;
  /** The model that answered, by its own word. */
  readonly model?: string;
  readonly stopReason?: string;
  /** The parameters that were in force in the end. */
  readonly parameters?: JsonObject;
  /** Oddities worth a look: a call as text, arguments that do not parse, a parameter left out, the limit of rounds. */
  readonly notes?: readonly string[];
}

/** Anything that does the work of an agent. */
export interface Target {
  readonly name: string;
  run(input: TargetInput): Promise<TargetResult>;
}
