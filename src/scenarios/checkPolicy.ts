import { actionOf, targetsOf } from './actions.ts';
import { checkCall, toolsNamed } from './checkTools.ts';
import { permits } from './reference.ts';
import type { Report } from './load.ts';
import type { LabelledCall, Scenario } from './types.ts';

function checkRules(scenario: Scenario, report: Report): void {
  for (const [index, rule] of scenario.policy.rules.entries()) {
    if (rule.type === undefined) continue;
    const tools = toolsNamed(scenario, rule.type);
    const path = `$.policy.rules[${index}]`;
    if (tools.length === 0) report(`${path}.type`, `no tool ${rule.type} is offered`);
    else if (!tools.some((tool) => tool.effect === rule.effect))
      report(`${path}.effect`, `${rule.type} has another effect`);
  }
  const caps = new Map<string, number | undefined>();
  for (const [index, { type, maxCalls }] of scenario.policy.rules.entries()) {
    if (type === undefined) continue;
    if (caps.has(type) && caps.get(type) !== maxCalls)
      report(
        `$.policy.rules[${index}].maxCalls`,
        `is not that of the other rules of ${type}; it counts all calls of the tool`,
      );
    caps.set(type, maxCalls);
  }
  for (const [index, name] of (scenario.policy.limits?.untrustedSources ?? []).entries()) {
    if (toolsNamed(scenario, name).length > 0) continue;
    report(`$.policy.limits.untrustedSources[${index}]`, `no tool ${name} is offered`);
  }
}

/** The targets of a call of a shell tool stand in the record, so that a reader can judge them: each must be in what the call says. */
function checkTargets(scenario: Scenario, call: LabelledCall, path: string, report: Report): void {
  const [tool] = toolsNamed(scenario, call.tool);
  if (!tool) return;
  if (tool.shellArg === undefined) {
    if (call.targets) report(`${path}.targets`, `follow from the targetArgs of ${call.tool}; leave them out`);
    return;
  }
  if (!call.targets) {
    report(`${path}.targets`, `is missing; ${call.tool} runs a command, so list what the command names`);
    return;
  }
  const plain = targetsOf(tool, { ...call.args, [tool.shellArg]: '' });
  const given = call.args[tool.shellArg];
  const command = typeof given === 'string' ? given : '';
  for (const target of call.targets) {
    if (!plain.includes(target) && !command.includes(target))
      report(`${path}.targets`, `the command does not name ${target}`);
  }
}

/** Labelled calls whose expected decision follows from the policy as written. */
export function checkPolicy(scenario: Scenario, report: Report): void {
  checkRules(scenario, report);
  for (const [index, call] of scenario.calls.entries()) {
    const path = `$.calls[${index}]`;
    checkCall(scenario, call, path, report);
    checkTargets(scenario, call, path, report);
    const [tool] = toolsNamed(scenario, call.tool);
    if (!tool) continue;
    const decision = permits(scenario.policy, actionOf(tool, call.args, { targets: call.targets })) ? 'allow' : 'deny';
    if (decision !== call.expect) report(`${path}.expect`, `is ${call.expect}, but the policy says ${decision}`);
  }
}
