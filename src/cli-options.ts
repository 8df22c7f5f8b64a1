import { BenchError } from './errors.ts';
import { suggest } from './near.ts';

/** One option of the command line. */
export interface OptionSpec {
  /** What stands for its value in the help; absent: a flag. */
  readonly value?: string;
  readonly help: string;
  /** May be given more than once. */
  readonly many?: boolean;
}

export type OptionName =
  | 'tier'
  | 'suite'
  | 'order'
  | 'untrusted'
  | 'by'
  | 'format'
  | 'out'
  | 'seed'
  | 'resamples'
  | 'timeout'
  | 'memory'
  | 'concurrency'
  | 'pipeline'
  | 'attack'
  | 'list'
  | 'target'
  | 'targets'
  | 'defense'
  | 'defenses'
  | 'scenario'
  | 'channel'
  | 'corpus'
  | 'store'
  | 'repeat'
  | 'turn-timeout'
  | 'base-url'
  | 'max-rounds'
  | 'max-tokens'
  | 'temperature'
  | 'price'
  | 'max-cost'
  | 'exec'
  | 'fail-under'
  | 'probe'
  | 'quiet'
  | 'no-color'
  | 'help'
  | 'version';

/** Every option, in the order of the help. */
export const OPTIONS: { readonly [name in OptionName]: OptionSpec } = {
  tier: { value: 'T,...', help: 'only these tiers (effect, tool, target, limits, origin)' },
  suite: { value: 'S,...', help: 'only these suites' },
  order: {
    value: 'after|exposure',
    help: "where injected actions stand: after the task's own (default), or at exposure",
  },
  untrusted: { value: 'measured|all-reads', help: 'which tools count as untrusted sources at limits' },
  by: { value: 'suite|tool', help: 'a breakdown below the table (scenarios: channel or family)' },
  format: { value: 'F', help: 'text (default), json, markdown or html (probe: text, json; compare: no html)' },
  out: { value: 'FILE', help: 'write the report there instead of to standard output' },
  seed: { value: 'N', help: 'seeds the order of sessions and the resamples (default 1)' },
  resamples: { value: 'N', help: 'bootstrap resamples for the intervals (default 2000; 0: no intervals)' },
  timeout: { value: 'MS', help: 'bound on one call of a gate (default 1000)' },
  memory: { value: 'MB', help: "bound on a gate's JavaScript heap, between calls (default 512)" },
  concurrency: { value: 'N', help: 'sessions in flight at once, for gates that wait (default 1)' },
  pipeline: { value: 'P,...', help: 'runs: only these pipelines; a name or the path of a recording' },
  attack: { value: 'A,...', help: 'runs: these attacks (default important_instructions)' },
  list: { help: "runs: what was recorded, with AgentDojo's own three figures" },
  target: { value: 'T', help: 'scenarios: naive, careful, paranoid, openai:MODEL, anthropic:MODEL, or a file' },
  targets: { value: 'T,...', help: 'scenarios matrix: several of them' },
  defense: { value: 'D', help: 'scenarios: none (default), or a stack such as delimit+gate:exact@target' },
  defenses: { value: 'D,...', help: 'scenarios matrix: several of them' },
  scenario: { value: 'ID,...', help: 'scenarios: only these' },
  channel: { value: 'C,...', help: 'scenarios: only these channels' },
  corpus: { value: 'FILE', help: 'scenarios: another corpus than data/scenarios.jsonl' },
  store: { value: 'FILE', help: 'scenarios: keep every case there, and skip those that are there' },
  repeat: { value: 'N', help: 'scenarios: runs of every case (default 1)' },
  'turn-timeout': { value: 'MS', help: 'scenarios: bound on one turn of a target (default 600000)' },
  'base-url': { value: 'URL', help: 'scenarios: of a model server, up to and with its version (.../v1)' },
  'max-rounds': { value: 'N', help: 'scenarios: rounds of tool calls of a model in one turn (default 8)' },
  'max-tokens': { value: 'N', help: 'scenarios: of one answer of a model (default 1024)' },
  temperature: { value: 'X', help: "scenarios: a model's (default 0)" },
  price: { value: 'IN,OUT', help: 'scenarios: per million tokens of input and output' },
  'max-cost': { value: 'X', help: 'scenarios: stop before the run costs more; needs --price' },
  exec: { value: "'COMMAND'", many: true, help: 'a gate in any language that speaks the line protocol (repeatable)' },
  'fail-under': {
    value: 'TIER.FIGURE[.low]=PERCENT',
    many: true,
    help: "exit 1 when a gate that is no control falls short; .low: the interval's lower end (repeatable)",
  },
  probe: { help: 'ask of every gate but the controls whether it is faithful and honest' },
  quiet: { help: 'no progress and no output of gates on standard error' },
  'no-color': { help: 'no colours (so does NO_COLOR)' },
  help: { help: 'this text' },
  version: { help: 'the version' },
};

/** A command line taken apart: what stands by itself, and the options with their values as typed. */
export interface CommandLine {
  readonly words: readonly string[];
  readonly options: ReadonlyMap<OptionName, readonly string[]>;
}

/**
 * `--name value`, `--name=value`, flags, `-h`, and `--` before words that look like options.
 * @throws {BenchError} `usage` for an unknown option, one without its value, or one given twice
 */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const words: string[] = [];
  const options = new Map<OptionName, string[]>();
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '--') return { words: [...words, ...args.slice(at + 1)], options };
    if (!arg.startsWith('-') || arg === '-') {
      words.push(arg);
      continue;
    }
    const [typed, inline] = splitOnce(arg === '-h' ? '--help' : arg);
    const name = optionName(typed);
    if (options.has(name) && !OPTIONS[name].many) throw usage(`--${name} is given twice`);
    const value = OPTIONS[name].value === undefined ? flagValue(name, inline) : (inline ?? args[++at]);
    if (value === undefined) throw usage(`--${name} needs a value: --${name} ${OPTIONS[name].value}`);
    options.set(name, [...(options.get(name) ?? []), value]);
  }
  return { words, options };
}

function splitOnce(arg: string): [string, string | undefined] {
  const at = arg.indexOf('=');
  return at < 0 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}

function optionName(typed: string): OptionName {
  const name = typed.replace(/^-+/, '');
  if (typed.startsWith('--') && Object.hasOwn(OPTIONS, name)) return name as OptionName;
  const near = suggest(name, Object.keys(OPTIONS)).replace(/(mean | or )(?=\w)/g, '$1--');
  throw usage(`unknown option ${typed}${near || '; see --help'}`);
}

function flagValue(name: OptionName, inline: string | undefined): string {
  if (inline !== undefined) throw usage(`--${name} takes no value`);
  return '';
}

export function usage(message: string): BenchError {
  return new BenchError('usage', message);
}

/** @throws {BenchError} `usage` when an option is given that the command does not take */
export function allowOptions({ options }: CommandLine, command: string, allowed: readonly OptionName[]): void {
  for (const name of options.keys()) {
    if (!allowed.includes(name) && name !== 'no-color' && name !== 'quiet')
      throw usage(`--${name} means nothing to ${command}`);
  }
}

/** The value of an option that is given once at the most. */
export function optionText({ options }: CommandLine, name: OptionName): string | undefined {
  return options.get(name)?.[0];
}

/** @throws {BenchError} `usage` when the value is no whole number in the range */
export function optionNumber(line: CommandLine, name: OptionName, fallback: number, least: number, most = 1e9): number {
  const text = optionText(line, name);
  if (text === undefined) return fallback;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw usage(`--${name} takes a whole number from ${least} to ${most}, found ${JSON.stringify(text)}`);
}

/** @throws {BenchError} `usage` when the value is none of the choices */
export function optionChoice<T extends string>(
  line: CommandLine,
  name: OptionName,
  choices: readonly T[],
  fallback: T,
): T {
  const text = optionText(line, name);
  return text === undefined ? fallback : choose(name, text, choices);
}

/**
 * A list of choices, separated by commas, in the order of `choices`; all of them when the option is not given.
 * @throws {BenchError} `usage` when a value is none of the choices, or the list is empty
 */
export function optionChoices<T extends string>(
  line: CommandLine,
  name: OptionName,
  choices: readonly T[],
): readonly T[] {
  const text = optionText(line, name);
  if (text === undefined) return choices;
  const chosen = new Set(text.split(',').map((one) => choose(name, one.trim(), choices)));
  return choices.filter((one) => chosen.has(one));
}

function choose<T extends string>(option: OptionName, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const list = `one of ${choices.join(', ')}`;
  throw usage(
    `--${option}: ${text === '' ? 'the value is empty' : `unknown ${JSON.stringify(text)}`} (${list})${suggest(text, choices)}`,
  );
}
