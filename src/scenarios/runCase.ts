import { seededRandom } from '../random.ts';
import { callTool } from './callTool.ts';
import { checkedResult } from './checkedResult.ts';
import { messagesOf, systemOf, toolsOf } from './conversation.ts';
import { CaseFault, type CaseSpec, type Course, guarded, madeCalls } from './course.ts';
import type { DefenseAtWork, Detection } from './defense.ts';
import type { CaseResult } from './outcome.ts';
import type { Message, TargetInput, TargetResult, Usage } from './target.ts';
import type { Match } from './types.ts';
import type { Given, Verdict } from './world.ts';

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
    usage: usageOf(course),
    ...(last?.model !== undefined && { model: last.model }),
    ...(last?.stopReason !== undefined && { stopReason: last.stopReason }),
    ...(last?.parameters !== undefined && { parameters: last.parameters }),
    notes: course.results.flatMap(({ notes = [] }) => notes),
  };
}

/** What a turn that ended in an error took, its target cannot tell; reference targets take nothing. */
function usageOf({ spec, turns, results }: Course): Usage {
  const lost = spec.target.kind === 'target' && turns.some(({ text }) => text === null);
  if (lost) return { input: null, output: null };
  return results.reduce((sum: Usage, { usage }) => added(sum, usage), { input: 0, output: 0 });
}

/** Usage that is unknown in one place is unknown in sum. */
function added(sum: Usage, usage: Usage | undefined): Usage {
  const add = (one: number | null, other: number | null): number | null =>
    one === null || other === null ? null : one + other;
  if (usage === undefined) return sum;
  return { input: add(sum.input, usage.input), output: add(sum.output, usage.output) };
}
