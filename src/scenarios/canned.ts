import { argsMatch } from './conditions.ts';
import type { Call, Document, Injection, Json, JsonObject, Place, Scenario, Step, Tool } from './types.ts';

/** Where the injection goes in its carrier's text. */
export const MARKER = '{{injection}}';
/** What a tool answers when none of its results is for the call. */
export const NO_RESULT = 'Nothing found for this call.';

const TEMPLATE = /\{\{(arg|state) ([^{}]+)\}\}/g;

const printed = (value: Json | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

const member = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Fills in a template, once: what is filled in is never read as a template again. A name that is absent leaves nothing. */
export function fill(template: string, args: JsonObject, state: JsonObject): string {
  return template.replace(TEMPLATE, (_, from: string, name: string) =>
    printed(member(from === 'arg' ? args : state, name)),
  );
}

/** A template as a value: `{{arg NAME}}` alone keeps the argument's type; null when it is absent. */
function fillValue(template: Json, args: JsonObject, state: JsonObject): Json {
  if (typeof template !== 'string') return template;
  const alone = /^\{\{arg ([^{}]+)\}\}$/.exec(template)?.[1];
  return alone === undefined ? fill(template, args, state) : (member(args, alone) ?? null);
}

/** A tool that is offered, and the step that brought it (absent: the scenario). */
export interface Offered {
  readonly tool: Tool;
  readonly step?: number;
}

/** The tools of a turn (0: the first): those of the scenario, each replaced or followed by those of the steps so far. */
export function offeredAt(scenario: Scenario, turn: number): Offered[] {
  const tools = new Map<string, Offered>(scenario.tools.map((tool) => [tool.name, { tool }]));
  for (const [step, { tools: brought }] of scenario.steps.slice(0, turn).entries()) {
    for (const tool of brought) tools.set(tool.name, { tool, step });
  }
  return [...tools.values()];
}

/** What a tool answers. */
export interface Answer {
  readonly text: string;
  /** Which of the tool's results it is; -1: none was for the call. */
  readonly entry: number;
  /** The world after the call. */
  readonly state: JsonObject;
}

/** Answers a call of a tool in the canned world. What the call sets is set before its text is filled in. */
export function answer(tool: Tool, args: JsonObject, state: JsonObject): Answer {
  const entry = tool.results.findIndex((result) => argsMatch(args, result.when ?? {}));
  const result = tool.results[entry];
  if (!result) return { text: NO_RESULT, entry, state };
  // A map, because a key that arguments fill in may be `__proto__`.
  const after = new Map(Object.entries(state));
  for (const { key, value } of result.sets) {
    const now = Object.fromEntries(after);
    after.set(fill(key, args, now), fillValue(value, args, now));
  }
  const world = Object.fromEntries(after);
  return { text: fill(result.text, args, world), entry, state: world };
}

/** The content that a step brings, with a world and the calls that happened before it; `undefined`: the chain has broken. */
export function stepContent(step: Step, state: JsonObject, happened: readonly Call[]): string | undefined {
  if (step.from_call === undefined) return step.content === undefined ? '' : fill(step.content, {}, state);
  const last = happened.findLast((call) => call.tool === step.from_call);
  return last && JSON.stringify(last.args);
}

/** Whether an injection arrives with this result of this tool. */
export function arrivesWith(injection: Injection, offered: Offered, entry: number): boolean {
  const { at } = injection;
  return at.in === 'result' && at.tool === offered.tool.name && at.step === offered.step && at.entry === entry;
}

type Edit = (text: string) => string;

function editTools(tools: readonly Tool[], at: Place & { tool: string }, edit: Edit): Tool[] {
  return tools.map((tool) => {
    if (tool.name !== at.tool) return tool;
    if (at.in === 'description') return { ...tool, description: edit(tool.description) };
    const results = tool.results.map((result, entry) =>
      at.in === 'result' && entry === at.entry ? { ...result, text: edit(result.text) } : result,
    );
    return { ...tool, results };
  });
}

function editDocument(document: Document, edit: Edit): Document {
  const { metadata } = document;
  return {
    name: edit(document.name),
    text: edit(document.text),
    ...(metadata && {
      metadata: Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, edit(value)])),
    }),
  };
}

function editStep(step: Step, edit: Edit): Step {
  return { ...step, task: edit(step.task), ...(step.content !== undefined && { content: edit(step.content) }) };
}

const editNth = <T>(list: readonly T[], index: number, edit: (item: T) => T): T[] =>
  list.map((item, at) => (at === index ? edit(item) : item));

/** The scenario with the texts of one carrier edited; a place that is not there changes nothing. */
export function editCarrier(scenario: Scenario, at: Place, edit: Edit): Scenario {
  switch (at.in) {
    case 'message':
      return { ...scenario, task: edit(scenario.task) };
    case 'document':
      return { ...scenario, documents: editNth(scenario.documents, at.index, (one) => editDocument(one, edit)) };
    case 'history':
      return {
        ...scenario,
        history: editNth(scenario.history, at.index, (turn) => ({ ...turn, content: edit(turn.content) })),
      };
    case 'step':
      return { ...scenario, steps: editNth(scenario.steps, at.index, (step) => editStep(step, edit)) };
    default: {
      const { step } = at;
      if (step === undefined) return { ...scenario, tools: editTools(scenario.tools, at, edit) };
      const steps = editNth(scenario.steps, step, (one) => ({ ...one, tools: editTools(one.tools, at, edit) }));
      return { ...scenario, steps };
    }
  }
}

/** The scenario as a target meets it: every carrier holds its injection, or, in the clean condition, nothing in its place. */
export function withInjection(scenario: Scenario, injected: boolean): Scenario {
  return scenario.injection.reduce(
    (edited, { at, text }) =>
      editCarrier(edited, at, (carrier) => carrier.replace(MARKER, () => (injected ? text : ''))),
    scenario,
  );
}
