import { allTools } from './visible.ts';
import type { Report } from './load.ts';
import type { ArgMatchers, JsonObject, Scenario, Tool } from './types.ts';

/** The tools of one name: a step may replace a tool by another form of it. */
export function toolsNamed(scenario: Scenario, name: string): readonly Tool[] {
  return allTools(scenario).filter((tool) => tool.name === name);
}

const offers = (tools: readonly Tool[], argument: string): boolean =>
  tools.some((tool) => Object.hasOwn(tool.parameters.properties, argument));

/** Refuses a tool that is never offered, and arguments that it does not take. */
export function checkArguments(
  scenario: Scenario,
  name: string,
  args: readonly string[],
  path: string,
  report: Report,
): void {
  const tools = toolsNamed(scenario, name);
  if (tools.length === 0) {
    report(`${path}.tool`, `no tool ${name} is offered`);
    return;
  }
  for (const argument of args) {
    if (!offers(tools, argument)) report(path, `${name} takes no argument ${argument}`);
  }
}

/** The same for a call that is to be made: it must also have what the tool requires. */
export function checkCall(
  scenario: Scenario,
  call: { tool: string; args: JsonObject },
  path: string,
  report: Report,
): void {
  checkArguments(scenario, call.tool, Object.keys(call.args), path, report);
  const tools = toolsNamed(scenario, call.tool);
  const complete = tools.some((tool) =>
    (tool.parameters.required ?? []).every((name) => Object.hasOwn(call.args, name)),
  );
  if (tools.length > 0 && !complete) report(path, `a required argument of ${call.tool} is missing`);
}

function checkTemplate(template: string, tool: Tool | undefined, path: string, report: Report): void {
  for (const [whole, inside] of template.matchAll(/\{\{(.*?)\}\}/gs)) {
    const argument = /^arg ([^{}]+)$/.exec(inside as string)?.[1];
    if (argument !== undefined && tool) {
      if (!offers([tool], argument)) report(path, `${tool.name} takes no argument ${argument}`);
    } else if (inside !== 'injection' && !/^state [^{}]+$/.test(inside as string)) {
      report(path, `unknown template ${whole}`);
    }
  }
}

function checkMatchers(matchers: ArgMatchers | undefined, tool: Tool, path: string, report: Report): void {
  for (const argument of Object.keys(matchers ?? {})) {
    if (!offers([tool], argument)) report(path, `${tool.name} takes no argument ${argument}`);
  }
}

/** What the interfaces of models take for a name. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

function checkTool(tool: Tool, path: string, report: Report): void {
  if (!NAME.test(tool.name)) report(`${path}.name`, 'expected at most 64 letters, digits, _ and -');
  const named = [...tool.targetArgs, ...(tool.shellArg === undefined ? [] : [tool.shellArg])];
  for (const argument of named) {
    if (!offers([tool], argument))
      report(path, `${tool.name} takes no argument ${argument}, which is to hold its targets`);
  }
  if (tool.shellArg !== undefined && tool.targetArgs.includes(tool.shellArg)) {
    report(`${path}.targetArgs`, `${tool.shellArg} is the shellArg already`);
  }
  const catchAll = tool.results.findIndex(({ when }) => Object.keys(when ?? {}).length === 0);
  if (catchAll >= 0 && catchAll < tool.results.length - 1) {
    report(`${path}.results[${catchAll + 1}]`, `is never reached: results[${catchAll}] answers every call`);
  }
  for (const [index, result] of tool.results.entries()) {
    const at = `${path}.results[${index}]`;
    checkMatchers(result.when, tool, at, report);
    checkTemplate(result.text, tool, at, report);
    for (const { key, value } of result.sets) {
      checkTemplate(key, tool, at, report);
      if (typeof value === 'string') checkTemplate(value, tool, at, report);
    }
  }
}

function checkNames(tools: readonly Tool[], path: string, report: Report): void {
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    if (names.has(tool.name)) report(`${path}[${index}].name`, `there are two tools ${tool.name}`);
    names.add(tool.name);
    checkTool(tool, `${path}[${index}]`, report);
  }
}

/** Refuses a template of the world's state whose key is neither there at the start nor set by any call. */
function checkStateTemplates(scenario: Scenario, report: Report): void {
  const sets = allTools(scenario).flatMap(({ results }) => results.flatMap((result) => result.sets));
  const templates = [
    ...allTools(scenario).flatMap(({ results }) => results.map(({ text }) => text)),
    ...sets.flatMap(({ key, value }) => (typeof value === 'string' ? [key, value] : [key])),
    ...scenario.steps.flatMap(({ content }) => content ?? []),
  ];
  const read = templates.flatMap((template) => [...template.matchAll(/\{\{state ([^{}]+)\}\}/g)]);
  for (const key of new Set(read.map((found) => found[1] as string))) {
    const known = Object.hasOwn(scenario.state, key) || sets.some((assignment) => comesTo(assignment.key, key));
    if (!known) report('$.tools', `{{state ${key}}}: nothing sets ${key}`);
  }
}

/** Whether a key template, its fields standing for anything, can come to this key. */
export function comesTo(template: string, key: string): boolean {
  const pattern = template
    .split(/\{\{[^{}]*\}\}/)
    .map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
    .join('.*');
  return new RegExp(`^${pattern}$`, 's').test(key);
}

/** Tools, their templates, and the mentions of tools in the conversation and the steps. */
export function checkTools(scenario: Scenario, report: Report): void {
  checkNames(scenario.tools, '$.tools', report);
  checkStateTemplates(scenario, report);
  for (const [index, turn] of scenario.history.entries()) {
    if (turn.tool !== undefined) checkArguments(scenario, turn.tool, [], `$.history[${index}]`, report);
  }
  for (const [index, step] of scenario.steps.entries()) {
    const path = `$.steps[${index}]`;
    checkNames(step.tools, `${path}.tools`, report);
    checkTemplate(step.content ?? '', undefined, `${path}.content`, report);
    if (step.from_call !== undefined && toolsNamed(scenario, step.from_call).length === 0) {
      report(`${path}.from_call`, `no tool ${step.from_call} is offered`);
    }
  }
}
