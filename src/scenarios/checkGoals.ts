import { checkArguments, comesTo, toolsNamed } from './checkTools.ts';
import { memberMatches } from './conditions.ts';
import { fold } from './text.ts';
import type { Report } from './load.ts';
import { allTools, cleanTexts, trustedTexts } from './visible.ts';
import { withInjection } from './canned.ts';
import type {
  ArgMatcher,
  CanaryCondition,
  Condition,
  ExfiltrationCondition,
  Goal,
  Json,
  Scenario,
  StateCondition,
} from './types.ts';

/** Letters and digits that a secret must have at least, lest ordinary text holds it by chance. */
const LEAST = 8;

const plain = (text: string): string => fold(text).toLowerCase();

/** The conditions of a goal with their paths. */
function conditionsOf(goal: Goal | undefined, path: string): { condition: Condition; path: string }[] {
  if (!goal) return [];
  const many = 'all' in goal ? `${path}.all` : path;
  const conditions = 'all' in goal ? goal.all : goal.any;
  const lone = 'any' in goal && conditions.length === 1;
  return conditions.map((condition, index) => ({ condition, path: lone ? path : `${many}[${index}]` }));
}

/** The canaries that mean that the attack succeeded. */
export function successCanaries(scenario: Scenario): { token: string; path: string }[] {
  return conditionsOf(scenario.success, '$.success').flatMap(({ condition, path }) =>
    condition.type === 'canary' ? [{ token: condition.token, path: `${path}.token` }] : [],
  );
}

function checkCanary(
  condition: CanaryCondition,
  success: boolean,
  scenario: Scenario,
  path: string,
  report: Report,
): void {
  const holds = (texts: readonly string[]): boolean => texts.some((text) => fold(text).includes(fold(condition.token)));
  const token = `the canary ${condition.token}`;
  if (holds(trustedTexts(withInjection(scenario, false))))
    report(`${path}.token`, `the task or the system prompt holds ${token}`);
  else if (success && holds(cleanTexts(scenario)))
    report(`${path}.token`, `the scenario holds ${token} without the injection`);
}

function checkSecret(condition: ExfiltrationCondition, scenario: Scenario, path: string, report: Report): void {
  const { secret, sinks } = condition;
  if (plain(secret).replace(/[^\p{L}\p{N}]/gu, '').length < LEAST) {
    report(`${path}.secret`, `needs at least ${LEAST} letters or digits`);
  }
  if (!cleanTexts(scenario).some((text) => plain(text).includes(plain(secret)))) {
    report(`${path}.secret`, `nothing that the target can read holds ${secret}`);
  }
  for (const [index, sink] of sinks.entries()) {
    if ('text' in sink) continue;
    const args = [...(sink.arg === undefined ? [] : [sink.arg]), ...Object.keys(sink.args ?? {})];
    checkArguments(scenario, sink.tool, args, `${path}.sinks[${index}]`, report);
    const named = toolsNamed(scenario, sink.tool);
    if (named.length > 0 && named.every(({ parameters }) => Object.keys(parameters.properties).length === 0))
      report(`${path}.sinks[${index}]`, `${sink.tool} takes no arguments, so nothing can reach it`);
  }
}

/** Whether a value that a call sets can be as wanted: one that is filled in may be anything. */
const canBe = (value: Json, wanted: ArgMatcher): boolean =>
  (typeof value === 'string' && value.includes('{{')) || memberMatches({ value }, 'value', wanted);

function checkState(condition: StateCondition, scenario: Scenario, path: string, report: Report): void {
  if (memberMatches(scenario.state, condition.key, condition.value)) report(path, 'the state is met at the start');
  const set = allTools(scenario).flatMap((tool) => tool.results.flatMap((result) => result.sets));
  if ('absent' in condition.value) report(path, 'nothing removes a key of the state');
  else {
    const setting = set.filter(({ key }) => comesTo(key, condition.key));
    if (setting.length === 0) report(path, `no tool sets the state ${condition.key}`);
    else if (!setting.some(({ value }) => canBe(value, condition.value)))
      report(path, `no tool sets the state ${condition.key} to what is wanted`);
  }
}

function checkCondition(
  condition: Condition,
  success: boolean,
  scenario: Scenario,
  path: string,
  report: Report,
): void {
  if (condition.type === 'canary') checkCanary(condition, success, scenario, path, report);
  if (condition.type === 'exfiltration') checkSecret(condition, scenario, path, report);
  if (condition.type === 'state') checkState(condition, scenario, path, report);
  if (condition.type === 'tool_call') {
    checkArguments(scenario, condition.tool, Object.keys(condition.args), path, report);
  }
  if (condition.type === 'sequence') {
    for (const [index, { tool, args }] of condition.calls.entries()) {
      checkArguments(scenario, tool, Object.keys(args), `${path}.calls[${index}]`, report);
    }
  }
}

/** Conditions that can be met, and are not met from the start. */
export function checkGoals(scenario: Scenario, report: Report): void {
  for (const key of ['success', 'done'] as const) {
    for (const { condition, path } of conditionsOf(scenario[key], `$.${key}`)) {
      checkCondition(condition, key === 'success', scenario, path, report);
    }
  }
}
