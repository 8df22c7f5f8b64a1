import { allowOptions, type CommandLine, parseCommandLine } from './cli-options.ts';
import { BenchError } from './errors.ts';
import { complain, type Io } from './io.ts';

type Command = (line: CommandLine, io: Io) => number | Promise<number>;

/** Commands are loaded when they are called for: `--help` needs none of them. */
const COMMANDS: { readonly [name: string]: () => Promise<Command> } = {
  compare: async () => (await import('./commands/compare.ts')).compare,
  explain: async () => (await import('./commands/explain.ts')).explain,
  report: async () => (await import('./commands/report.ts')).report,
  runs: async () => (await import('./commands/runs.ts')).runs,
  validate: async () => (await import('./commands/validate.ts')).validate,
  scenarios: async () => (await import('./commands/scenarios.ts')).scenarios,
  probe: async () => (await import('./commands/probe.ts')).probe,
  init: async () => (await import('./commands/init.ts')).init,
};

/** Runs one command line. @returns the exit status; see the help */
export async function main(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(parseCommandLine(args), io);
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    for (const message of error.message.split('\n')) complain(io, message);
    return 2;
  }
}

async function dispatch(line: CommandLine, io: Io): Promise<number> {
  if (line.options.has('help')) {
    io.stdout.write((await import('./commands/help.ts')).helpText());
    return 0;
  }
  if (line.options.has('version')) {
    allowOptions(line, '--version', ['version']);
    io.stdout.write(`${(await import('./version.ts')).packageVersion()}\n`);
    return 0;
  }
  const [first = ''] = line.words;
  if (!Object.hasOwn(COMMANDS, first)) return (await import('./commands/bench.ts')).bench(line, io);
  const command = await COMMANDS[first]!();
  return command({ ...line, words: line.words.slice(1) }, io);
}
