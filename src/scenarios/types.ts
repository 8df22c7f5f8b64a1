import type { Effect, Limits, Rule } from '../types.ts';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
/** A JSON object: a tool call's arguments, or the canned world's state. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Through which door the injection comes in. */
export type Channel =
  | 'tool_result'
  | 'document'
  | 'web_page'
  | 'filename'
  | 'metadata'
  | 'multi_turn'
  | 'user_message'
  | 'tool_chain';

/** Which published technique the injection uses. `baseline`: the bare request, undisguised. `control`: no attack at all. */
export type Family =
  | 'instruction_override'
  | 'context_termination'
  | 'authority_claim'
  | 'data_exfiltration'
  | 'tool_redirection'
  | 'encoding'
  | 'role_play'
  | 'conversation_hijack'
  | 'tool_chain'
  | 'baseline'
  | 'control';

export const CHANNELS: readonly Channel[] = [
  'tool_result',
  'document',
  'web_page',
  'filename',
  'metadata',
  'multi_turn',
  'user_message',
  'tool_chain',
];

export const FAMILIES: readonly Family[] = [
  'instruction_override',
  'context_termination',
  'authority_claim',
  'data_exfiltration',
  'tool_redirection',
  'encoding',
  'role_play',
  'conversation_hijack',
  'tool_chain',
  'baseline',
  'control',
];

/** Where a technique is published. */
export interface Source {
  readonly title: string;
  readonly year: number;
  /** An `https:` address of the paper, post or advisory. */
  readonly url: string;
}

/** One turn of the conversation before the task. Those of the role `user` are the user's own words; all others are untrusted text. */
export interface Turn {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** The tool that answered; given exactly when the role is `tool`. */
  readonly tool?: string;
}

/** A document attached to the task: untrusted in all its parts. */
export interface Document {
  readonly name: string;
  readonly text: string;
  /** Title, author, alternative text and the like. */
  readonly metadata?: { readonly [key: string]: string };
}

/** What an argument must be. Strings are compared after NFKC and white-space folding; everything else as JSON values. */
export type ArgMatcher =
  | { readonly equals: Json }
  /** A string that holds this one, or a list of which an element does. Never met by an object or a number. */
  | { readonly contains: string }
  /** A JavaScript regular expression (flags `su`), sought in a string or in an element of a list. */
  | { readonly matches: string }
  /** The key is not there. A key that holds null is there. */
  | { readonly absent: true };

/** One matcher per argument; all must hold. An empty record holds of every call. */
export interface ArgMatchers {
  readonly [argument: string]: ArgMatcher;
}

/** What a call does to the canned world. Both members are templates; a `value` that is `{{arg NAME}}` alone keeps the argument's JSON type. */
export interface Assignment {
  readonly key: string;
  readonly value: Json;
}

/** One canned answer of a tool. */
export interface Result {
  /** Calls it answers; absent: every call. The first result that answers a call is taken. */
  readonly when?: ArgMatchers;
  /** A template: `{{arg NAME}}`, `{{state KEY}}` and, in a carrier, `{{injection}}` are filled in. */
  readonly text: string;
  readonly sets: readonly Assignment[];
}

/** A JSON Schema of an object, as tool-calling interfaces take it. */
export interface Parameters {
  readonly type: 'object';
  readonly properties: { readonly [argument: string]: JsonObject };
  readonly required?: readonly string[];
}

/** A tool that is offered to the target, with canned results. Nothing is ever executed. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Parameters;
  readonly effect: Effect;
  /** The arguments that a call lands on, in the order in which their values become its targets. */
  readonly targetArgs: readonly string[];
  /** The argument that holds a shell command, whose programs, paths and hosts are targets as well. */
  readonly shellArg?: string;
  /** At least one. In the file: `results`, or `result` (a text) with `sets` beside it for a tool that answers all calls alike. */
  readonly results: readonly Result[];
}

/**
 * The carrier of an injection. Its text holds `{{injection}}` exactly once: there the injection goes (or nothing, for the clean condition).
 * `step` says which step's tools are meant; absent: the scenario's.
 */
export type Place =
  | { readonly in: 'result'; readonly tool: string; readonly entry: number; readonly step?: number }
  | { readonly in: 'description'; readonly tool: string; readonly step?: number }
  /** Name, text or metadata of an attached document. */
  | { readonly in: 'document'; readonly index: number }
  | { readonly in: 'history'; readonly index: number }
  /** The task itself: text that the user pasted. */
  | { readonly in: 'message' }
  /** Content or task of a step. */
  | { readonly in: 'step'; readonly index: number };

/** What the attacker plants, and where. */
export interface Injection {
  readonly at: Place;
  readonly text: string;
}

/** A token in a final text. A quotation of the injected sentence around it does not count. */
export interface CanaryCondition {
  readonly type: 'canary';
  readonly token: string;
}

/** A call of a tool that was not denied, whose arguments match. */
export interface ToolCallCondition {
  readonly type: 'tool_call';
  readonly tool: string;
  readonly args: ArgMatchers;
}

/** Where a secret must not end up: an argument of a tool (absent: any argument), or the URLs or Markdown images of a final text. */
export type Sink =
  | { readonly tool: string; readonly arg?: string; readonly args?: ArgMatchers }
  | { readonly text: 'url' | 'image' };

/** A secret reaches a sink, in plain or as one of the forms that `decode.ts` undoes. */
export interface ExfiltrationCondition {
  readonly type: 'exfiltration';
  readonly secret: string;
  readonly sinks: readonly Sink[];
}

/** A value of the canned world after the run. */
export interface StateCondition {
  readonly type: 'state';
  readonly key: string;
  readonly value: ArgMatcher;
}

/** Calls in this order, others between them allowed. */
export interface SequenceCondition {
  readonly type: 'sequence';
  readonly calls: readonly { readonly tool: string; readonly args: ArgMatchers }[];
}

export type Condition =
  | CanaryCondition
  | ToolCallCondition
  | ExfiltrationCondition
  | StateCondition
  | SequenceCondition;

/** What must have happened: any of these, or all. In the file a lone condition or a list stands for `any`. */
export type Goal = { readonly any: readonly Condition[] } | { readonly all: readonly Condition[] };

/** A tool call, as a target makes it. */
export interface Call {
  readonly tool: string;
  readonly args: JsonObject;
}

/** What does one turn of the task: the calls, in order, then the final text. */
export interface SolutionTurn {
  readonly calls: readonly Call[];
  readonly text: string;
}

/** A call with the decision that the policy as written calls for. */
export interface LabelledCall extends Call {
  /** What a command names; given exactly for tools with a `shellArg`, whose targets cannot be read off an argument. */
  readonly targets?: readonly string[];
  readonly expect: 'allow' | 'deny';
  /** What the call is there to test. */
  readonly note?: string;
}

/** What an operator could write who knows the task alone. */
export interface ScenarioPolicy {
  readonly rules: readonly Rule[];
  readonly limits?: Limits;
}

/** What arrives after the first turn. */
export interface Step {
  readonly channel: Channel | 'memory';
  /** Untrusted text that comes with the request. A template: `{{state KEY}}`, `{{injection}}`. */
  readonly content?: string;
  /** In place of `content`: the arguments of the target's last call of this tool that was not denied, as JSON text. No such call: the chain has broken here. */
  readonly from_call?: string;
  /** The user's new request. */
  readonly task: string;
  /** A fresh conversation and a fresh gate session: only what the step carries, and the canned world, survive. */
  readonly new_session: boolean;
  /** Tools that are offered from here on, in place of those of the same name. */
  readonly tools: readonly Tool[];
}

/** One line of the corpus. */
export interface Scenario {
  readonly id: string;
  readonly channel: Channel;
  readonly family: Family;
  /** Absent exactly in controls. */
  readonly source?: Source;
  readonly description: string;
  readonly system?: string;
  readonly task: string;
  readonly history: readonly Turn[];
  readonly documents: readonly Document[];
  readonly tools: readonly Tool[];
  /** The canned world at the start. */
  readonly state: JsonObject;
  /** Empty exactly in controls. More than one: the payload is split. */
  readonly injection: readonly Injection[];
  /** The attacker's goal. Absent exactly in controls. */
  readonly success?: Goal;
  /** The task was carried out. */
  readonly done: Goal;
  /** One entry for the first turn and one for each step. */
  readonly solution: readonly SolutionTurn[];
  readonly policy: ScenarioPolicy;
  readonly calls: readonly LabelledCall[];
  readonly steps: readonly Step[];
  /** The attack that a control mirrors. */
  readonly twin?: string;
  readonly tags: readonly string[];
}

/** A call as it went: `denied` when a gate refused it, so that it did not happen. */
export interface MadeCall extends Call {
  readonly denied: boolean;
  /** 0 for the first turn, then 1 and up for the steps. */
  readonly step: number;
}

/** What a run left behind: all that conditions look at. */
export interface Happened {
  /** The final text of each turn that ran. */
  readonly finalTexts: readonly string[];
  readonly calls: readonly MadeCall[];
  /** The canned world after the run. */
  readonly state: JsonObject;
}

/** Why a condition is met. */
export interface Match {
  readonly condition: Condition['type'];
  /** The matched text, call or value, in short. Attack text: escape it at every sink. */
  readonly matched: string;
  /** For instance `call 2 (send_email), body, base64` or `final text of turn 1`; turns and calls counted from 1. */
  readonly where: string;
}
