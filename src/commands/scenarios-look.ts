import { allowOptions, type CommandLine, usage } from '../cli-options.ts';
import type { Io } from '../io.ts';
import { layOut, plain, wrap } from '../render/table.ts';
import { chooseScenarios, corpusFile, scenarioNamed } from '../scenarios/choose.ts';
import { showProblem } from '../scenarios/load.ts';
import type { Goal, Scenario } from '../scenarios/types.ts';
import { validateCorpus } from '../scenarios/validate.ts';
import { readTextFile } from '../text-file.ts';

/** Checks a corpus. Exit status 0, or 2 when anything is wrong, which is told line by line. */
export function validateScenarios(line: CommandLine, io: Io): number {
  allowOptions(line, 'scenarios validate', ['corpus']);
  if (line.words.length > 1) throw usage(`scenarios validate takes one file, found ${line.words.length}`);
  const [typed] = line.words;
  const named: CommandLine =
    typed === undefined ? line : { ...line, options: new Map([...line.options, ['corpus', [typed]]]) };
  const { file, shown } = corpusFile(named, io);
  const problems = validateCorpus(readTextFile(file, shown).text);
  for (const problem of problems) io.stderr.write(`${plain(showProblem(shown, problem))}\n`);
  if (problems.length > 0) return 2;
  const { scenarios, sha256 } = chooseScenarios(named, io);
  const controls = scenarios.filter(({ family }) => family === 'control').length;
  io.stdout.write(`${shown}: sound: ${scenarios.length - controls} adversarial scenarios, ${controls} controls\n`);
  io.stdout.write(`sha256 ${sha256} ${shown}\n`);
  return 0;
}

/** One line a scenario: id, channel, family. */
export function listScenarios(line: CommandLine, io: Io): number {
  allowOptions(line, 'scenarios list', ['corpus', 'scenario', 'channel']);
  if (line.words.length > 0) throw usage('scenarios list takes no words; see --channel and --scenario');
  const { scenarios } = chooseScenarios(line, io);
  const rows = scenarios.map(({ id, channel, family }) => [id, channel, family]);
  io.stdout.write(`${layOut(rows, ['left', 'left', 'left']).join('\n')}\n`);
  return 0;
}

/** What a scenario is about. */
export function describeScenario(line: CommandLine, io: Io): number {
  allowOptions(line, 'scenarios describe', ['corpus']);
  const [id, ...more] = line.words;
  if (id === undefined || more.length > 0) throw usage('scenarios describe takes one id; see scenarios list');
  const { scenarios } = chooseScenarios(line, io);
  const facts = factsOf(scenarioNamed(scenarios, id));
  for (const [name, value] of facts) {
    const text = value.split('\n').map(plain).join('\n');
    const lines = text.split('\n').flatMap((one) => wrap(one, 64));
    io.stdout.write(`${name.padEnd(12)}  ${lines.join(`\n${' '.repeat(14)}`)}\n`);
  }
  return 0;
}

function factsOf(scenario: Scenario): [string, string][] {
  const { source, steps, tags } = scenario;
  const facts: [string, string | undefined][] = [
    ['id', scenario.id],
    ['channel', scenario.channel],
    ['family', scenario.family],
    ['source', source && `${source.title}, ${source.year}\n${source.url}`],
    ['twin of', scenario.twin],
    ['about', scenario.description],
    ['system', scenario.system],
    ['task', scenario.task],
    ['tools', scenario.tools.map(({ name, effect }) => `${name} (${effect})`).join(', ') || undefined],
    ['injection', scenario.injection.map(({ text }) => text).join('\n') || undefined],
    ['success', scenario.success && goalText(scenario.success)],
    ['done', goalText(scenario.done)],
    ['steps', steps.map((step, index) => `${index + 1}: ${step.channel}: ${step.task}`).join('\n') || undefined],
    [
      'calls',
      scenario.calls.map(({ tool, args, expect }) => `${expect} ${tool} ${JSON.stringify(args)}`).join('\n') ||
        undefined,
    ],
    ['tags', tags.join(', ') || undefined],
  ];
  return facts.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]));
}

function goalText(goal: Goal): string {
  const [word, conditions] = 'all' in goal ? ['all of', goal.all] : ['any of', goal.any];
  const shown = conditions.map(({ type, ...rest }) => `${type} ${JSON.stringify(rest)}`);
  return shown.length === 1 ? shown[0]! : `${word}\n${shown.join('\n')}`;
}
