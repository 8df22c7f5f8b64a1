import { withInjection } from './canned.ts';
import { stringsIn } from './text.ts';
import type { Scenario, Tool } from './types.ts';

/** All tools that are ever offered, those of the steps included; a replaced tool stands beside its replacement. */
export function allTools(scenario: Scenario): readonly Tool[] {
  return [...scenario.tools, ...scenario.steps.flatMap((step) => step.tools)];
}

function toolTexts(tool: Tool): string[] {
  return [
    tool.description,
    ...stringsIn(tool.parameters),
    ...tool.results.flatMap((result) => [result.text, ...result.sets.flatMap(({ value }) => stringsIn(value))]),
  ];
}

/** What the operator and the user say to the target: its system prompt and the tasks. */
export function trustedTexts(scenario: Scenario): string[] {
  const tasks = scenario.steps.map(({ task }) => task);
  return [...(scenario.system === undefined ? [] : [scenario.system]), scenario.task, ...tasks];
}

/** What reaches a target from elsewhere, as the scenario stands (carriers with the marker in them). */
export function untrustedTexts(scenario: Scenario): string[] {
  return [
    ...scenario.history.map(({ content }) => content),
    ...scenario.documents.flatMap(({ name, text, metadata }) => [name, text, ...stringsIn(metadata)]),
    ...allTools(scenario).flatMap(toolTexts),
    ...scenario.steps.flatMap(({ content }) => content ?? []),
    ...stringsIn(scenario.state),
  ];
}

/** Everything that a target could read in the clean condition. */
export function cleanTexts(scenario: Scenario): string[] {
  const clean = withInjection(scenario, false);
  return [...trustedTexts(clean), ...untrustedTexts(clean)];
}
