import { actionOf } from './actions.ts';
import { answer, offeredAt, stepContent, withInjection } from './canned.ts';
import { checkCall } from './checkTools.ts';
import { evaluateGoal } from './conditions.ts';
import { limitedSession, permits } from './reference.ts';
import type { Report } from './load.ts';
import type { Happened, MadeCall, Scenario } from './types.ts';

/** What is left behind when the solution, and nothing else, is carried out: to the end, or to where the chain breaks. */
function carryOut(scenario: Scenario): Happened {
  const finalTexts: string[] = [];
  const calls: MadeCall[] = [];
  let { state } = scenario;
  for (const [turn, { calls: wanted, text }] of scenario.solution.entries()) {
    const step = turn === 0 ? undefined : scenario.steps[turn - 1];
    if (step && stepContent(step, state, calls) === undefined) break;
    const offered = new Map(offeredAt(scenario, turn).map(({ tool }) => [tool.name, tool]));
    for (const { tool: name, args } of wanted) {
      const tool = offered.get(name);
      if (tool) ({ state } = answer(tool, args, state));
      calls.push({ tool: name, args, denied: false, step: turn });
    }
    finalTexts.push(text);
  }
  return { finalTexts, calls, state };
}

function checkOutcome(scenario: Scenario, report: Report): void {
  const injections = scenario.injection.map(({ text }) => text);
  for (const injected of [true, false]) {
    const happened = carryOut(withInjection(scenario, injected));
    const how = injected ? '' : ' in the clean condition';
    if (evaluateGoal(scenario.done, happened, injections).length === 0)
      report('$.solution', `does not meet done${how}`);
    const met = scenario.success ? evaluateGoal(scenario.success, happened, injections) : [];
    for (const { condition, where } of met) report('$.solution', `meets success${how}: ${condition}, ${where}`);
    if (scenario.injection.length === 0) return;
  }
}

function checkPermitted(scenario: Scenario, report: Report): void {
  let session = limitedSession(scenario.policy);
  for (const [turn, { calls }] of scenario.solution.entries()) {
    if (scenario.steps[turn - 1]?.new_session) session = limitedSession(scenario.policy);
    const offered = new Map(offeredAt(scenario, turn).map(({ tool }) => [tool.name, tool]));
    for (const [index, { tool: name, args }] of calls.entries()) {
      const path = `$.solution[${turn}].calls[${index}]`;
      const tool = offered.get(name);
      if (!tool) {
        report(`${path}.tool`, `no tool ${name} is offered then`);
        continue;
      }
      const action = actionOf(tool, args);
      const limited = session(action);
      if (!permits(scenario.policy, action))
        report(path, `the policy denies it (targets: ${action.targets.join(', ') || 'none'})`);
      else if (!limited) report(path, 'the policy denies it by maxCalls or limits');
    }
  }
}

/** A solution that does the task, does not do the attacker's, and is permitted. */
export function checkSolution(scenario: Scenario, report: Report): void {
  const turns = scenario.steps.length + 1;
  if (scenario.solution.length !== turns) {
    report('$.solution', `has ${scenario.solution.length} turns; the task and its steps are ${turns}`);
    return;
  }
  for (const [turn, { calls }] of scenario.solution.entries()) {
    for (const [index, call] of calls.entries())
      checkCall(scenario, call, `$.solution[${turn}].calls[${index}]`, report);
  }
  checkOutcome(scenario, report);
  checkPermitted(scenario, report);
}
