import { CHANNELS, FAMILIES } from './types.ts';

/** Whether a value has a shape. */
type Is = (value: unknown) => boolean;

const text: Is = (value) => typeof value === 'string';
const flag: Is = (value) => typeof value === 'boolean';
const number: Is = (value) => typeof value === 'number';
const object: Is = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const oneOf =
  (...known: readonly (string | null)[]): Is =>
  (value) =>
    known.includes(value as string | null);
const orNull =
  (is: Is): Is =>
  (value) =>
    value === null || is(value);
const maybe =
  (is: Is): Is =>
  (value) =>
    value === undefined || is(value);
const listOf =
  (is: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every(is);
/** An object with these members; others are let pass, as a later version may know more. */
const having =
  (members: { readonly [key: string]: Is }): Is =>
  (value) =>
    object(value) && Object.entries(members).every(([key, is]) => is(Reflect.get(value as object, key)));

const match = having({ condition: text, matched: text, where: text });
const count = orNull(number);

/** Whether a line of a store is a `StoreHeader`, its schema apart. */
export const isHeader: Is = having({ kind: oneOf('header'), corpus: text, parameters: object, command: text });

/** Whether it is a `StoreNote`. */
export const isNote: Is = having({
  kind: oneOf('note'),
  note: oneOf('stopped at the cap', 'interrupted'),
  spent: maybe(number),
});

/** Whether it is a `CaseRecord`. */
export const isCase: Is = having({
  kind: oneOf('case'),
  key: having({ scenario: text, setting: oneOf('attack', 'clean'), target: text, defense: text, repetition: number }),
  channel: oneOf(...CHANNELS),
  family: oneOf(...FAMILIES),
  corpus: text,
  version: text,
  commit: orNull(text),
  turns: listOf(
    having({
      system: maybe(text),
      tools: listOf(having({ name: text, description: text })),
      messages: listOf(having({ role: text, content: text })),
      text: orNull(text),
    }),
  ),
  calls: listOf(
    having({
      turn: number,
      tool: text,
      args: object,
      targets: listOf(text),
      origins: listOf(oneOf('user', 'tool', 'model')),
      fate: oneOf('done', 'denied', 'unknown', 'late', 'error'),
      gates: listOf(having({ gate: text, verdict: oneOf('allow', 'deny', 'error'), note: orNull(text) })),
      returned: text,
    }),
  ),
  detections: listOf(having({ detector: text, flagged: flag, injected: flag })),
  exposed: orNull(flag),
  outcome: oneOf('compromised', 'resisted', 'not_exposed', 'error', null),
  task: oneOf('done', 'not_done', 'error'),
  matched: having({ injection: listOf(match), task: listOf(match) }),
  brokenAt: maybe(number),
  error: maybe(having({ where: text, message: text })),
  usage: having({ input: count, output: count }),
  model: maybe(text),
  stopReason: maybe(text),
  notes: listOf(text),
  cost: count,
  spent: maybe(number),
});
