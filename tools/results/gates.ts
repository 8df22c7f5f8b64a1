import type { Tier } from '../../src/types.ts';

/** A gate whose figures are published, and what its report does not tell. */
export interface ListedGate {
  /** As in `npm run results -- NAME`. */
  readonly name: string;
  /** How the bench's command line names it. */
  readonly args: readonly string[];
  readonly kind: 'bench' | 'npm' | 'pypi';
  /** Absent where the lock file of `engines/` tells. */
  readonly licence?: string;
  /** Why a tier is not offered. */
  readonly missing: { readonly [tier in Tier]?: string };
  /** What a reader must know about how it was translated, or about what its probe found. */
  readonly note?: string;
  /** Where the gate's own documentation or source tells of what its probe found. */
  readonly source?: string;
}

const bench = (name: string, note: string): ListedGate => ({ name, args: [name], kind: 'bench', missing: {}, note });
const engine = (name: string): ListedGate => ({ name, args: [name], kind: 'npm', missing: {} });

/** The command that runs a gate of `examples/python/gates`. */
export function uvCommand(name: string): string {
  return `uv run examples/python/gates/${name.replaceAll('-', '_')}_gate.py`;
}

const python = (
  name: string,
  licence: string,
  missing: ListedGate['missing'],
  note: string,
  source?: string,
): ListedGate => ({
  name,
  args: ['--exec', uvCommand(name)],
  kind: 'pypi',
  licence,
  missing,
  note,
  ...(source !== undefined && { source }),
});

const SCANNER = 'it scans text and reads no policy, so every tier would show the same verdicts';

/** Every gate, in the order of the tables. */
export const GATES: readonly ListedGate[] = [
  bench('allow-all', 'A control: allows everything.'),
  bench('deny-egress', 'A control: denies everything but reads.'),
  bench('deny-all', 'A control: denies everything.'),
  bench('exact', 'The reference gate: the policy spec, taken literally.'),
  engine('cedar'),
  engine('casl'),
  engine('casbin'),
  engine('cel'),
  engine('json-logic'),
  engine('opa'),
  engine('agent-governance'),
  engine('atp-provenance'),
  {
    ...engine('vard'),
    missing: { tool: SCANNER, target: SCANNER, limits: SCANNER, origin: SCANNER },
    note: 'A scanner of text, for contrast: an address or an account number holds no phrase that it knows. What the probe calls leaks are calls that no policy permits.',
    source: 'https://github.com/andersmyrmel/vard',
  },
  python(
    'action-guardrail',
    'MIT',
    {},
    'What no rule matches is allowed, and a rule is for one tool; so every call is put to it under one name, with the tool as a parameter.',
  ),
  python(
    'agent-action-policy',
    'MIT',
    { limits: 'it compares no numbers and keeps nothing of earlier calls' },
    'Its rules are regular expressions over the joined arguments; literals are escaped and the whole text is covered.',
  ),
  python(
    'agent-airlock',
    'Apache-2.0',
    { limits: 'its rate limits refill with the clock, and no rule ties egress to what was read' },
    'Targets are types of a parameter (`Literal`). It publishes 524 of 609 for AgentDojo with a list of tools: the figure of the tier `tool` here.',
  ),
  python(
    'agent-guardrail',
    'MIT',
    {
      limits: 'it counts spend per agent, not calls per tool, and is not told what was read',
      origin: 'a rule sees the text of a target, not where it came from',
    },
    'Its list of targets is not tied to its list of tools; both ignore case, targets are normalized like paths, and a call without a target passes. Its policies are kept in memory here, and not in its SQLite file.',
    'https://github.com/eren-solutions/agent-guardrail',
  ),
  python(
    'toolgate-sdk',
    'MIT',
    {
      target: 'a scope holds operations and categories, no targets',
      limits: 'its limits are fixed sums of risk, not counts per task',
      origin: 'its origins are those of instructions, which the bench does not tell',
    },
    'It adds up a risk for every call it allows, and asks a human once that is high: a denial here. How risky a call is, it takes from words in names and from what came before. So it denies what the policy permits, and the probe sees verdicts that depend on position and on names.',
    'https://github.com/Abishek0070/XO15_CS01#readme',
  ),
];
