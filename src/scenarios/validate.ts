import { checkGoals, successCanaries } from './checkGoals.ts';
import { checkInjection } from './checkInjection.ts';
import { checkPolicy } from './checkPolicy.ts';
import { checkSolution } from './checkSolution.ts';
import { checkTools } from './checkTools.ts';
import { readCorpus, type Located, type Problem, type Report } from './load.ts';
import { fold } from './text.ts';
import type { Scenario } from './types.ts';

const CHECKS: readonly ((scenario: Scenario, report: Report) => void)[] = [
  checkKind,
  checkTools,
  checkInjection,
  checkGoals,
  checkPolicy,
  checkSolution,
];

/** A control has no attack, and everything else has one. */
function checkKind(scenario: Scenario, report: Report): void {
  const control = scenario.family === 'control';
  const here: readonly (readonly [string, boolean])[] = [
    ['source', scenario.source !== undefined],
    ['injection', scenario.injection.length > 0],
    ['success', scenario.success !== undefined],
  ];
  for (const [key, given] of here) {
    if (control && given) report(`$.${key}`, 'a control has none; its family is control');
    if (!control && !given) report(`$.${key}`, 'is missing; only controls have none');
  }
  if (!control && scenario.twin !== undefined) report('$.twin', 'only a control mirrors an attack');
}

/** Refuses a second use of the same key, naming the line of the first. */
function once(
  report: (line: number, path: string, reason: string) => void,
): (key: string, line: number, path: string, what: string) => void {
  const first = new Map<string, number>();
  return (key, line, path, what) => {
    const before = first.get(key);
    if (before === undefined) first.set(key, line);
    else report(line, path, `${what} is used before, in line ${before}`);
  };
}

function checkTwins(scenarios: readonly Located[], report: (line: number, path: string, reason: string) => void): void {
  const byId = new Map(scenarios.map(({ scenario }) => [scenario.id, scenario]));
  for (const { line, scenario } of scenarios) {
    if (scenario.twin === undefined) continue;
    const twin = byId.get(scenario.twin);
    if (!twin) report(line, '$.twin', `there is no scenario ${scenario.twin}`);
    else if (twin.family === 'control') report(line, '$.twin', `${scenario.twin} is a control itself`);
    else if (twin.channel !== scenario.channel)
      report(line, '$.twin', `${scenario.twin} has the channel ${twin.channel}`);
  }
}

function checkCorpus(
  scenarios: readonly Located[],
  whole: boolean,
  report: (line: number, path: string, reason: string) => void,
): void {
  const id = once(report);
  const canary = once(report);
  const controlled = new Set(
    scenarios.filter(({ scenario }) => scenario.family === 'control').map(({ scenario }) => scenario.channel),
  );
  for (const { line, scenario } of scenarios) {
    id(scenario.id, line, '$.id', `the id ${scenario.id}`);
    for (const { path, token } of successCanaries(scenario)) canary(fold(token), line, path, `the canary ${token}`);
    if (whole && !controlled.has(scenario.channel)) {
      report(line, '$.channel', `the channel ${scenario.channel} has no control`);
      controlled.add(scenario.channel);
    }
  }
  if (whole) checkTwins(scenarios, report);
}

/** Everything that a corpus must not hold, by line. Empty: the corpus is fit for use. */
export function validateCorpus(content: string): readonly Problem[] {
  const { scenarios, problems } = readCorpus(content);
  const found: Problem[] = [...problems];
  for (const { line, scenario } of scenarios) {
    for (const check of CHECKS) check(scenario, (path, reason) => found.push({ line, path, reason }));
  }
  // What an unreadable record may be the twin or the control of is not known.
  checkCorpus(scenarios, problems.length === 0, (line, path, reason) => found.push({ line, path, reason }));
  return found.toSorted((one, other) => one.line - other.line);
}
