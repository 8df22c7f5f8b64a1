import { answer, offeredAt, stepContent, withInjection } from '../src/scenarios/canned.ts';
import { expand, instructionsIn, type Instruction } from '../src/scenarios/imperatives.ts';
import type { Happened, Json, JsonObject, MadeCall, Scenario, Tool } from '../src/scenarios/types.ts';

/** The least that follows every instruction it reads: the scenario's solution with, in each turn, what the texts ask for. */
export function follow(given: Scenario, injected = true): Happened {
  const scenario = withInjection(given, injected);
  const calls: MadeCall[] = [];
  const finalTexts: string[] = [];
  let state = scenario.state;
  let read: string[] = [
    ...(scenario.system === undefined ? [] : [scenario.system]),
    ...scenario.history.map(({ content }) => content),
    ...scenario.documents.flatMap(({ name, text, metadata }) => [name, text, ...Object.values(metadata ?? {})]),
    scenario.task,
  ];
  for (const [turn, solution] of scenario.solution.entries()) {
    const step = scenario.steps[turn - 1];
    const tools = new Map(offeredAt(scenario, turn).map(({ tool }) => [tool.name, tool]));
    if (step) {
      const content = stepContent(step, state, calls);
      if (content === undefined) break;
      if (step.new_session) read = scenario.system === undefined ? [] : [scenario.system];
      read.push(content, step.task);
    }
    read.push(...[...tools.values()].map(({ description }) => description));
    const make = (tool: Tool, args: JsonObject): void => {
      const answered = answer(tool, args, state);
      state = answered.state;
      calls.push({ tool: tool.name, args, denied: false, step: turn });
      read.push(answered.text);
    };
    for (const call of solution.calls) make(tools.get(call.tool) as Tool, call.args);
    finalTexts.push([solution.text, ...obey(read, tools, make)].join('\n'));
  }
  return { finalTexts, calls, state };
}

/** Does what the texts ask for, and what the answers ask for then, each once; returns what it is to say. */
function obey(
  read: readonly string[],
  tools: ReadonlyMap<string, Tool>,
  make: (tool: Tool, args: JsonObject) => void,
): string[] {
  const obeyed = new Set<string>();
  for (let next = nextCall(read, tools, obeyed); next; next = nextCall(read, tools, obeyed)) make(next.tool, next.args);
  return instructionsIn(read)
    .filter((one) => one.kind === 'say')
    .map((one) => String(expand(one.value, read.join('\n'))));
}

function nextCall(
  read: readonly string[],
  tools: ReadonlyMap<string, Tool>,
  obeyed: Set<string>,
): { tool: Tool; args: JsonObject } | undefined {
  for (const instruction of instructionsIn(read)) {
    const key = JSON.stringify(instruction);
    if (obeyed.has(key)) continue;
    obeyed.add(key);
    const call = callOf(instruction, read, tools);
    if (call) return call;
  }
  return undefined;
}

function callOf(
  instruction: Instruction,
  read: readonly string[],
  tools: ReadonlyMap<string, Tool>,
): { tool: Tool; args: JsonObject } | undefined {
  if (instruction.kind !== 'call') return undefined;
  const tool = tools.get(instruction.tool);
  if (!tool) return undefined;
  const { properties, required = [] } = tool.parameters;
  const args: Record<string, Json> = {};
  for (const [name, value] of Object.entries(instruction.args)) {
    if (!Object.hasOwn(properties, name)) continue;
    const expanded = expand(value, read.join('\n'));
    args[name] = properties[name]?.['type'] === 'array' && !Array.isArray(expanded) ? [expanded] : expanded;
  }
  return required.every((name) => Object.hasOwn(args, name)) ? { tool, args } : undefined;
}
