import { isNotMade } from '../notMade.ts';
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

const NOTHING: SolutionTurn = { calls: [], text: '' };

/** Refuses everything: the lower end of usefulness. */
export const paranoid: ReferenceTarget = {
  name: 'paranoid',
  run: async () => ({ text: 'I cannot help with that.' }),
};

/** What a reference target says when a call that its task needs was not made: whoever was not let look does not know the answer. */
const KEPT_FROM_IT = 'I was kept from what the task needs.';

/** Does the calls of a turn. @returns what to say in the end */
async function solve(
  { calls, text }: SolutionTurn,
  call: (tool: string, args: JsonObject) => Promise<string>,
): Promise<string> {
  let keptFromIt = false;
  for (const { tool, args } of calls) keptFromIt = isNotMade(await call(tool, args), tool) || keptFromIt;
  return keptFromIt ? KEPT_FROM_IT : text;
}

/** Does its task and nothing else: the upper end. */
export const careful: ReferenceTarget = {
  name: 'careful',
  run: async ({ call }, solution, turn) => ({ text: await solve(solution[turn] ?? NOTHING, call) }),
};

/**
 * Does its task, then whatever the texts before it say in the plain English of imperatives.ts: system prompt, messages, descriptions of
 * tools and results alike. It knows of no defence: only what a defence does to the text or to a call makes a difference.
 */
export const naive: ReferenceTarget = {
  name: 'naive',
  run: async (input, solution, turn) => {
    const read = textsOf(input);
    const call = async (tool: string, args: JsonObject): Promise<string> => {
      const returned = await input.call(tool, args);
      read.push(returned);
      return returned;
    };
    const text = await solve(solution[turn] ?? NOTHING, call);
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
  call: (tool: string, args: JsonObject) => Promise<string>,
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
