import type { GroundTruthAction, InjectionTask, UserTask } from '../corpus.ts';

/** The schema of a recording; docs/recorded-runs-format.md says what each member means. */
export const RUNS_SCHEMA = 'toolgate-bench/runs@1';

/** What ended a run early: the model's context was full, its provider failed, or something else. */
export const RUN_ERRORS = ['context', 'server', 'other'] as const;
export type RunError = (typeof RUN_ERRORS)[number];

/** What the extractor found and did not write: runs of no pair of the corpus, or that are no attack on a user task. */
export const LEFT_OUT = ['denialOfService', 'goalAlone', 'outsideCorpus', 'unreadable'] as const;
export type LeftOutOfRecording = Readonly<Record<(typeof LEFT_OUT)[number], number>>;

/** Whether an attack, by its name, wants nothing but failure: it has no goal that could be met, and is no targeted attack. */
export function isDenialOfService(attack: string): boolean {
  return /(^|_)dos(_|$)/.test(attack);
}

/** What one model did once: on a user task alone (benign), or on one with an attack on it. */
export interface RecordedRun {
  readonly userTask: UserTask;
  /** null: no attack. */
  readonly attack: string | null;
  /** null: no attack. */
  readonly injectionTask: InjectionTask | null;
  /** AgentDojo's verdict on the user's task; null: none was recorded. */
  readonly utility: boolean | null;
  /** AgentDojo's verdict on the attacker's goal (its `security`); null: none was recorded, or no attack. */
  readonly goalMet: boolean | null;
  /** What ended it early; its verdicts are then AgentDojo's defaults and mean nothing. null: nothing did. */
  readonly error: RunError | null;
  /** The proposed calls of known tools, as indices into the recording's actions. null: no trace was recorded. */
  readonly calls: readonly number[] | null;
  /** The request is not the corpus's: the run is of another version of the user task. */
  readonly otherVersion: boolean;
  /** Proposed calls of tools that do not exist; no gate is shown them. */
  readonly unknownTools: number;
  /** Proposed calls with arguments that no tool can take; what could be read of their targets is in `calls`. */
  readonly malformed: number;
}

/** The runs of one pipeline: one file. */
export interface Recording {
  /** The file, as a user would recognize it. */
  readonly file: string;
  readonly pipeline: string;
  /** Each distinct action once, with the origins that its targets had. */
  readonly actions: readonly GroundTruthAction[];
  /** Benign runs first, then attack by attack. */
  readonly runs: readonly RecordedRun[];
  /** The attacks that the recording has, sorted. */
  readonly attacks: readonly string[];
  readonly leftOut: LeftOutOfRecording;
}
