import { type CommandLine, usage } from '../cli-options.ts';
import type { Io } from '../io.ts';
import { suggest } from '../near.ts';

type Command = (line: CommandLine, io: Io) => number | Promise<number>;

const COMMANDS: { readonly [name: string]: () => Promise<Command> } = {
  validate: async () => (await import('./scenarios-look.ts')).validateScenarios,
  list: async () => (await import('./scenarios-look.ts')).listScenarios,
  describe: async () => (await import('./scenarios-look.ts')).describeScenario,
  run: async () => (await import('./scenarios-run.ts')).runScenarios,
  matrix: async () => (await import('./scenarios-run.ts')).runMatrix,
  report: async () => (await import('./scenarios-store.ts')).reportStores,
  show: async () => (await import('./scenarios-store.ts')).showCase,
  record: async () => (await import('./scenarios-store.ts')).recordStore,
  calls: async () => (await import('./scenarios-calls.ts')).measureCalls,
};

/** Agents under injection. @returns the exit status of the command that the first word names */
export async function scenarios(line: CommandLine, io: Io): Promise<number> {
  const [name = '', ...words] = line.words;
  const names = Object.keys(COMMANDS);
  if (name === '') throw usage(`scenarios needs a command: ${names.join(', ')}`);
  if (!Object.hasOwn(COMMANDS, name)) {
    throw usage(
      `unknown command scenarios ${JSON.stringify(name)} (one of ${names.join(', ')})${suggest(name, names)}`,
    );
  }
  const command = await COMMANDS[name]!();
  return command({ ...line, words }, io);
}
