import { messageOf } from '../errors.ts';
import { seededRandom } from '../random.ts';
import { actionOf, originOf, targetsOf } from './actions.ts';
import type { DefenseAtWork, Detection, GateVerdict, Origin } from './defense.ts';
import type { Stack } from './defenses/index.ts';
import type { CaseError, CaseResult, RecordedCall, RecordedTurn } from './outcome.ts';
import type { Message, OfferedTool, Target, TargetInput, TargetResult, Usage } from './target.ts';
import type { ReferenceTarget } from './targets/reference.ts';
import type { Document, Json, JsonObject, MadeCall, Match, Parameters, Scenario, Tool } from './types.ts';
import type { Given, OpenWorld, Setting, Verdict, World } from './world.ts';

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
class CaseFault extends Error {
  readonly where: CaseError['where'];

  constructor(where: CaseError['where'], message: string) {
    super(message);
    this.where = where;
  }
}

/** What is known of a case under way. */
interface Course {
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

/** Runs one case. Never rejects for what target, defence or gate do; an interruption rejects. */
export async function runCase(spec: CaseSpec): Promise<CaseResult> {
  const detections: Detection[] = [];
  const random = seededRandom(spec.seed);
  const defenses: DefenseAtWork[] = [];
  const world = await spec.world.open(spec.scenario, spec.setting);
  const course: Course = {
    spec,
    world,
    defenses,
    turns: [],
    calls: [],
    finalTexts: [],
    results: [],
    conversation: [],
    userText: '',
    untrustedText: '',
    exposed: false,
  };
  const context = {
    random,
    policy: spec.scenario.policy,
    detected: (detection: Omit<Detection, 'injected'>, text: string) => {
      const injected = spec.setting === 'attack' && spec.scenario.injection.some((one) => text.includes(one.text));
      detections.push({ ...detection, injected });
    },
  };
  try {
    for (const defense of spec.stack.defenses)
      defenses.push(await guarded('defense', async () => defense.start(context)));
    for (let turn = 0; turn <= spec.scenario.steps.length; turn++) {
      const given = await world.begin(turn, madeCalls(course));
      if (given === undefined) {
        course.brokenAt = turn;
        break;
      }
      await runTurn(course, turn, given);
    }
  } catch (error) {
    if (spec.signal.aborted || !(error instanceof CaseFault)) throw error;
    course.fault = error;
  } finally {
    for (const defense of defenses) await defense.close?.();
  }
  return conclude(course, detections);
}

async function guarded<T>(where: CaseError['where'], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CaseFault) throw error;
    throw new CaseFault(where, messageOf(error));
  }
}

async function runTurn(course: Course, turn: number, given: Given): Promise<void> {
  const { spec, defenses } = course;
  if (given.newSession) await beginSession(course);
  course.exposed ||= given.exposes;
  const messages = await messagesOf(course, given);
  const tools = await toolsOf(course, given);
  const system = systemOf(given.system, defenses);
  const before = course.calls.length;
  let over = false;
  const input: TargetInput = {
    ...(system !== '' && { system }),
    messages: [...course.conversation, ...messages],
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    call: async (name, args) => {
      try {
        return await callTool(course, turn, given, tools, { name, args, late: over });
      } catch (error) {
        // A target that swallows this ends in an error all the same.
        if (error instanceof CaseFault && !over) course.fault ??= error;
        throw error;
      }
    },
    signal: spec.signal,
    seed: spec.seed,
  };
  const record = (text: string | null): void => {
    const shown = tools.map(({ name, description }) => ({ name, description }));
    course.turns.push({ ...(system !== '' && { system }), tools: shown, messages, text });
  };
  try {
    const result = await guarded('target', () => runTarget(spec, input, turn));
    if (course.fault) throw course.fault;
    record(result.text);
    course.results.push(result);
    course.finalTexts.push(result.text);
    const made = course.calls.slice(before).filter(({ fate }) => fate !== 'late');
    const asked = made.map(({ tool, args, returned }): Message => ({ role: 'tool', tool, args, content: returned }));
    course.conversation.push(...messages, ...asked, { role: 'assistant', content: result.text });
  } catch (error) {
    record(null);
    throw course.fault ?? error;
  } finally {
    over = true;
  }
}

async function beginSession(course: Course): Promise<void> {
  course.conversation = [];
  course.userText = '';
  course.untrustedText = '';
  for (const defense of course.defenses) await defense.newSession?.();
}

function systemOf(system: string | undefined, defenses: readonly DefenseAtWork[]): string {
  return defenses.reduce((text, defense) => defense.system?.(text) ?? text, system ?? '');
}

async function defended(course: Course, text: string, origin: Origin): Promise<string> {
  course.untrustedText += `\n${text}`;
  let seen = text;
  for (const defense of course.defenses) {
    const filter = defense.filter?.bind(defense);
    if (filter) seen = await guarded('defense', async () => filter(seen, origin));
  }
  for (const defense of course.defenses) seen = defense.mark?.(seen, origin) ?? seen;
  return seen;
}

function documentText({ name, text, metadata = {} }: Document): string {
  const lines = Object.entries(metadata).map(([key, value]) => `${key}: ${value}`);
  return [`Document: ${name}`, ...lines, '', text].join('\n');
}

/** The messages that a turn adds. Only the task and the user's earlier turns are trusted. */
async function messagesOf(course: Course, given: Given): Promise<Message[]> {
  const messages: Message[] = [];
  for (const { role, content, tool } of given.history) {
    if (role === 'user') course.userText += `\n${content}`;
    const text = role === 'user' ? content : await defended(course, content, 'history');
    messages.push({ role, content: text, ...(tool !== undefined && { tool }) });
  }
  course.userText += `\n${given.task}`;
  const parts = [given.task];
  for (const document of given.documents) parts.push(await defended(course, documentText(document), 'document'));
  if (given.content !== undefined) parts.push(await defended(course, given.content, 'step'));
  return [...messages, { role: 'user', content: parts.join('\n\n') }];
}

async function toolsOf(course: Course, given: Given): Promise<Tool[]> {
  const chosen = course.defenses.reduce((tools, defense) => defense.tools?.(tools) ?? tools, given.tools);
  const shown: Tool[] = [];
  for (const tool of chosen) {
    const description = await defended(course, tool.description, 'description');
    const parameters = (await describedAnew(course, tool.parameters as unknown as Json)) as unknown as Parameters;
    shown.push({ ...tool, description, parameters });
  }
  return shown;
}

/** The descriptions within a JSON Schema are written by whoever wrote the tool, too. */
async function describedAnew(course: Course, value: Json): Promise<Json> {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((item: Json) => describedAnew(course, item)));
  const members: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    const isText = key === 'description' && typeof item === 'string';
    members.push([key, isText ? await defended(course, item, 'description') : await describedAnew(course, item)]);
  }
  return Object.fromEntries(members);
}

/** What a target passes, which is of any type when it is a file of the user's. */
interface Asked {
  readonly name: unknown;
  readonly args: unknown;
  readonly late: boolean;
}

/** Takes a call through the gates and the world. A fault of a gate ends the case, whatever the target makes of it. */
async function callTool(
  course: Course,
  turn: number,
  given: Given,
  tools: readonly OfferedTool[],
  asked: Asked,
): Promise<string> {
  const name = typeof asked.name === 'string' ? asked.name : '';
  const args = plainArguments(asked.args);
  const late = asked.late;
  // What the target asks for, a gate's denial or a tool that a defence took away notwithstanding.
  if (!late) course.exposed ||= await course.world.wouldExpose(name, args ?? {});
  const tool = given.tools.find((one) => one.name === name);
  const targets = tool && args ? targetsOf(tool, args) : [];
  const origins = targets.map((target) => originOf(target, course.userText, course.untrustedText));
  const note = (fate: RecordedCall['fate'], returned: string, gates: readonly GateVerdict[] = []): string => {
    course.calls.push({ turn, tool: name, args: args ?? {}, targets, origins, fate, gates, returned });
    return returned;
  };
  if (late) return note('late', 'The turn is over.');
  if (!tool || !tools.some((one) => one.name === name)) return note('unknown', `Error: there is no tool ${name}.`);
  if (!args) return note('unknown', 'Error: the arguments are not a JSON object.');
  const gates = await askGates(course, tool, args, origins);
  const failed = gates.find(({ verdict }) => verdict === 'error');
  if (failed) {
    note('error', '', gates);
    throw new CaseFault('gate', `${failed.gate}: ${failed.note ?? 'no verdict'}`);
  }
  const denied = gates.find(({ verdict }) => verdict === 'deny');
  if (denied) return note('denied', `Denied: this call of ${name} is not permitted.`, gates);
  const { text } = await guarded('world', () => course.world.call(name, args));
  const shown = await defended(course, text, 'result');
  const after = course.defenses.map((defense) => defense.afterResult?.(given.task) ?? '').join('');
  return note('done', shown + after, gates);
}

/** A copy of its own: what a target does to its arguments afterwards changes no record. */
function plainArguments(args: unknown): JsonObject | undefined {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return undefined;
  try {
    return JSON.parse(JSON.stringify(args)) as JsonObject;
  } catch {
    return undefined;
  }
}

/** Every gate of the stack is asked until one does not allow. */
async function askGates(
  course: Course,
  tool: Tool,
  args: JsonObject,
  origins: RecordedCall['origins'],
): Promise<GateVerdict[]> {
  const verdicts: GateVerdict[] = [];
  for (const defense of course.defenses) {
    if (!defense.check) continue;
    const verdict = await defense.check(actionOf(tool, args, defense.wantsOrigins ? { origins } : {}));
    verdicts.push(verdict);
    if (verdict.verdict !== 'allow') break;
  }
  return verdicts;
}

/** Runs a target for one turn, in bounded time. */
async function runTarget(
  { target, scenario, turnMs, signal }: CaseSpec,
  input: TargetInput,
  turn: number,
): Promise<TargetResult> {
  const late = new AbortController();
  const bounded: TargetInput = { ...input, signal: AbortSignal.any([signal, late.signal]) };
  let timer: NodeJS.Timeout | undefined;
  let interrupt = (): void => {};
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`did not finish its turn within ${turnMs} ms`));
      late.abort();
    }, turnMs);
    interrupt = () => reject(new Error('interrupted'));
    signal.addEventListener('abort', interrupt);
  });
  try {
    const running =
      target.kind === 'reference'
        ? target.target.run(bounded, scenario.solution, turn)
        : Promise.resolve(target.target.run(bounded));
    return checkedResult(await Promise.race([running, ended]));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
  }
}

function checkedResult(result: unknown): TargetResult {
  if (typeof (result as TargetResult | null | undefined)?.text === 'string') return result as TargetResult;
  throw new Error('returned something else than { text }');
}

function madeCalls(course: Course): MadeCall[] {
  return course.calls.map(({ tool, args, fate, turn }) => ({ tool, args, denied: fate !== 'done', step: turn }));
}

async function conclude(course: Course, detections: readonly Detection[]): Promise<CaseResult> {
  const { spec, world, brokenAt, exposed } = course;
  const { task, injection } = await world.finish(course.finalTexts, madeCalls(course));
  const raised = [task, injection].find((verdict) => verdict !== undefined && 'raised' in verdict);
  const fault = course.fault ?? (raised && 'raised' in raised ? new CaseFault('world', raised.raised) : undefined);
  const matches = (verdict: Verdict | undefined): readonly Match[] =>
    verdict && 'matches' in verdict ? verdict.matches : [];
  const attack = spec.setting === 'attack';
  const compromised = attack && matches(injection).length > 0;
  const last = course.results.at(-1);
  return {
    turns: course.turns,
    calls: course.calls,
    detections,
    exposed: attack ? exposed : null,
    outcome: !attack ? null : fault ? 'error' : compromised ? 'compromised' : exposed ? 'resisted' : 'not_exposed',
    task: fault ? 'error' : matches(task).length > 0 ? 'done' : 'not_done',
    matched: { injection: attack ? matches(injection) : [], task: matches(task) },
    ...(brokenAt !== undefined && { brokenAt }),
    ...(fault && { error: { where: fault.where, message: fault.message } }),
    usage: course.results.reduce((sum, { usage }) => added(sum, usage), { input: 0, output: 0 } as Usage),
    ...(last?.model !== undefined && { model: last.model }),
    ...(last?.stopReason !== undefined && { stopReason: last.stopReason }),
    ...(last?.parameters !== undefined && { parameters: last.parameters }),
    notes: course.results.flatMap(({ notes = [] }) => notes),
  };
}

/** Usage that is unknown in one place is unknown in sum. */
function added(sum: Usage, usage: Usage | undefined): Usage {
  const add = (one: number | null, other: number | null): number | null =>
    one === null || other === null ? null : one + other;
  if (usage === undefined) return sum;
  return { input: add(sum.input, usage.input), output: add(sum.output, usage.output) };
}
