import { OPTIONS } from '../cli-options.ts';
import { wrap } from '../render/table.ts';

/** The text of `--help`, 80 columns wide. */
export function helpText(): string {
  const commands: [string, string][] = [
    ['[GATE...]', 'gates on the ground truth; without one, the controls and the reference'],
    [
      'explain GATE SUITE/TASK',
      'SUITE/user_task_N[/injection_task_M], or a recorded run PIPELINE/SUITE/user_task_N/ATTACK/injection_task_M: verdict by verdict, with the policy',
    ],
    ['compare BASE HEAD', 'two JSON reports, pair by pair; exit status 1 when a figure is clearly worse'],
    ['report FILE', 'a saved JSON report in another --format; nothing is measured'],
    ['runs [GATE...]', 'gates on what real models did, as AgentDojo recorded it'],
    ['probe GATE...', 'is the gate faithful to its policy, and honest?'],
    ['validate [FILE]', 'check a corpus'],
    ['init FILE', 'write a new adapter to fill in'],
    ['scenarios ...', 'agents under injection, with defences and gates; see docs/scenarios.md'],
  ];
  const options = Object.entries(OPTIONS).map(([name, option]): [string, string] => [
    `--${name}${option.value === undefined ? '' : ` ${option.value}`}`,
    option.help,
  ]);
  return `toolgate-bench measures gates that authorize an AI agent's tool calls.

usage: toolgate-bench [COMMAND] [OPTION...]

A GATE is an adapter's file, a name in the adapters folder, or a package.

${list(commands)}
options:
${list(options)}
exit status: 0 done; 1 measured and found short, or gate errors; 2 usage,
refused input, or an adapter that cannot be loaded; 130 interrupted
`;
}

function list(entries: readonly [string, string][]): string {
  const indent = ' '.repeat(28);
  return entries
    .map(([left, right]) => {
      const first = left.length > 24 ? `  ${left}\n${indent}` : `  ${left.padEnd(26)}`;
      return `${first}${wrap(right, 52).join(`\n${indent}`)}\n`;
    })
    .join('');
}
