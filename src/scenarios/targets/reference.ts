import { expand, instructionsIn, type Instruction } from '../imperatives.ts';
import type { OfferedTool, TargetInput, TargetResult } from '../target.ts';
import { stringsIn } from '../text.ts';
import type { JsonObject, SolutionTurn } from '../types.ts';

/** A target that knows how the task is done; `turn` counts the task and its steps from 0. */
export interface ReferenceTarget {
  readonly name: string;
  run(input: TargetInput, solution: readonly SolutionTurn[], turn: number): Promise<TargetResult>;
}

/** How often the naive target looks for new instructions in one turn: results of calls may hold more. */
const ROUNDS = 8;

/** Refuses everything: the lower end of usefulness. */
export const paranoid: ReferenceTarget = {
  name: 'paranoid',
  run: async () => ({ text: 'I cannot help with that.' }),
};

/** Does its task and nothing else: the upper end. */
export const careful: ReferenceTarget = {
  name: 'careful',
  run: async ({ call }, solution, turn) => {
    const { calls, text } = solution[turn] ?? { calls: [], text: '' };
    for (const { tool, args } of calls) await call(tool, args);
    return { text };
  },
};

/**
 * Does its task, then whatever the texts before it say in the plain English of imperatives.ts: system prompt, messages, descriptions of
 * tools and results alike. It knows of no defence: only what a defence does to the text or to a call makes a difference.
 */
export const naive: ReferenceTarget = {
  name: 'naive',
  run: async (input, solution, turn) => {
    const read = textsOf(input);
    const call = async (tool: string, args: JsonObject): Promise<void> => {
      read.push(await input.call(tool, args));
    };
    const { calls, text } = solution[turn] ?? { calls: [], text: '' };
    for (const { tool, args } of calls) await call(tool, args);
    const said: string[] = [];
    const followed = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const found = instructionsIn(read.flatMap(readable)).filter((one) => !followed.has(JSON.stringify(one)));
      if (found.length === 0) break;
      for (const instruction of found) {
        followed.add(JSON.stringify(instruction));
        await follow(instruction, input.tools, read, call, said);
      }
    }
    return { text: [text, ...said].join('\n') };
  },
};

async function follow(
  instruction: Instruction,
  tools: readonly OfferedTool[],
  read: readonly string[],
  call: (tool: string, args: JsonObject) => Promise<void>,
  said: string[],
): Promise<void> {
  const all = read.join('\n');
  if (instruction.kind === 'say') said.push(String(expand(instruction.value, all)));
  else {
    const properties = tools.find(({ name }) => name === instruction.tool)?.parameters.properties;
    if (!properties) return;
    const args = Object.entries(instruction.args)
      .filter(([name]) => Object.hasOwn(properties, name))
      .map(([name, value]) => {
        const given = expand(value, all);
        return [name, properties[name]?.['type'] === 'array' && !Array.isArray(given) ? [given] : given] as const;
      });
    await call(instruction.tool, Object.fromEntries(args) as JsonObject);
  }
}

function textsOf({ system, messages, tools }: TargetInput): string[] {
  return [
    ...(system === undefined ? [] : [system]),
    ...messages.map(({ content }) => content),
    ...tools.flatMap(({ description, parameters }) => [description, ...stringsIn(parameters)]),
  ];
}

/** A text, and the JSON within it and within its paragraphs, apart from what stands around it. */
function readable(text: string): string[] {
  const inner = [text, ...text.split('\n\n')].flatMap((part) => /[[{][^]*[\]}]/.exec(part)?.[0] ?? []);
  return [...new Set([text, ...inner])];
}
