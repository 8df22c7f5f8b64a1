import { type Corpus, countTasks, type GroundTruthAction, type InjectionTask, type UserTask } from '../corpus.ts';
import { RUNS_SCHEMA } from '../runs/recording.ts';
import type { CaseRecord } from './caseRecord.ts';
import { originOf, targetsOf } from './actions.ts';
import { CHANNELS, type Call, type Scenario } from './types.ts';
import { allTools, cleanTexts } from './visible.ts';

/** The corpus that recorded scenario runs are of. */
const RECORDED_CORPUS = 'toolgate-scenarios';

/**
 * Live runs in the recorded runs' format (docs/recorded-runs-format.md): a suite is a channel, a user task a scenario, an attack its family.
 * A control is a run without an attack. Calls of tools that were not offered are counted, not shown to a gate; what a gate denied was proposed
 * all the same and is there.
 * @param records of one target and one stack, one repetition
 */
export function recordedRuns(records: readonly CaseRecord[], scenarios: readonly Scenario[], pipeline: string): string {
  const effects = new Map(
    scenarios.map((one) => [one.id, new Map(allTools(one).map((tool) => [tool.name, tool.effect]))]),
  );
  const numbers = new Map<string, number>();
  const runs = records.map((record) => {
    const known = record.calls.filter(({ fate }) => fate !== 'unknown' && fate !== 'late');
    const calls = known.map(({ tool, targets, origins }) => {
      const effect = effects.get(record.key.scenario)?.get(tool);
      const action = JSON.stringify({ kind: 'action', type: tool, effect, targets, origins });
      if (!numbers.has(action)) numbers.set(action, numbers.size);
      return numbers.get(action)!;
    });
    const unknown = record.calls.filter(({ fate }) => fate === 'unknown').length;
    return JSON.stringify({
      kind: 'run',
      suite: record.channel,
      user: record.key.scenario,
      ...(record.outcome !== null && { attack: record.family, injection: record.key.scenario }),
      utility: record.task === 'error' ? null : record.task === 'done',
      ...(record.outcome !== null && { goalMet: record.outcome === 'error' ? null : record.outcome === 'compromised' }),
      ...((record.error || record.task === 'error') && { error: 'other' }),
      calls,
      ...(unknown > 0 && { unknownTools: unknown }),
    });
  });
  const header = {
    kind: 'header',
    schema: RUNS_SCHEMA,
    pipeline,
    corpus: RECORDED_CORPUS,
    version: records[0]?.corpus.slice(0, 12) ?? '',
    counts: { actions: numbers.size, runs: runs.length },
  };
  return [JSON.stringify(header), ...numbers.keys(), ...runs, ''].join('\n');
}

/**
 * The scenarios as a corpus of the replay bench, so that recorded runs can be read and put through gates: a user task's actions are those of the
 * solution, an injection task's are the calls that its policy must deny.
 * @param sha256 of the corpus file
 */
export function scenarioCorpus(scenarios: readonly Scenario[], sha256: string): Corpus {
  const tools = new Map(
    scenarios.flatMap((scenario) =>
      allTools(scenario).map(({ name, effect, targetArgs, shellArg }) => {
        const args = shellArg === undefined ? targetArgs : [...targetArgs, shellArg];
        // A scenario does not say how many targets an argument takes.
        return [name, { effect, targets: args.map((arg) => ({ name: arg, isList: true, isOptional: true })) }] as const;
      }),
    ),
  );
  const suites = CHANNELS.map((name) => {
    const inChannel = scenarios.filter(({ channel }) => channel === name);
    const attacks = inChannel.filter(({ injection }) => injection.length > 0);
    return { name, isPaired: true, userTasks: inChannel.map(userTaskOf), injectionTasks: attacks.map(injectionTaskOf) };
  }).filter(({ userTasks }) => userTasks.length > 0);
  const untrusted = scenarios.flatMap(({ policy }) => policy.limits?.untrustedSources ?? []);
  return {
    header: {
      id: RECORDED_CORPUS,
      package: RECORDED_CORPUS,
      version: sha256.slice(0, 12),
      counts: countTasks(suites),
      untrustedSources: [...new Set(untrusted)].toSorted(),
    },
    suites,
    tools,
    sha256,
    toolsSha256: sha256,
  };
}

function actionsOf(
  scenario: Scenario,
  calls: readonly (Call & { readonly targets?: readonly string[] })[],
): GroundTruthAction[] {
  const userText = [scenario.task, ...scenario.steps.map(({ task }) => task)].join('\n');
  const seen = cleanTexts(scenario).join('\n');
  return calls.flatMap(({ tool: name, args, targets: given }) => {
    const tool = allTools(scenario).find((one) => one.name === name);
    if (!tool) return [];
    const targets = given ?? targetsOf(tool, args);
    return [
      { type: name, effect: tool.effect, targets, origins: targets.map((target) => originOf(target, userText, seen)) },
    ];
  });
}

function userTaskOf(scenario: Scenario): UserTask {
  const actions = actionsOf(
    scenario,
    scenario.solution.flatMap(({ calls }) => calls),
  );
  const named = actions.flatMap(({ targets, origins }) => targets.filter((_, index) => origins[index] === 'user'));
  return { suite: scenario.channel, id: scenario.id, actions, named: [...new Set(named)], exposure: 0 };
}

/**
 * A run's calls are attributed to the injection by the targets that they share with it, and both the task's commands and the attacker's
 * name the same programs: what the task itself uses is taken out, unless nothing is left.
 */
function injectionTaskOf(scenario: Scenario): InjectionTask {
  const own = new Set(
    userTaskOf(scenario).actions.flatMap(({ type, targets }) => targets.map((one) => `${type} ${one}`)),
  );
  const denied = scenario.calls.filter(({ expect }) => expect === 'deny');
  const actions = actionsOf(scenario, denied).map((action) => {
    const kept = action.targets.flatMap((target, index) => (own.has(`${action.type} ${target}`) ? [] : [index]));
    if (kept.length === 0) return action;
    const [targets, origins] = [kept.map((at) => action.targets[at]!), kept.map((at) => action.origins[at]!)];
    return { ...action, targets, origins };
  });
  return { suite: scenario.channel, id: scenario.id, actions };
}
