import { actionOf, originOf, targetsOf } from './actions.ts';
import { defended } from './conversation.ts';
import { CaseFault, type Course, guarded } from './course.ts';
import type { GateVerdict } from './defense.ts';
import { jsonObjectOf } from './jsonObject.ts';
import { deniedCall, unknownTool } from './notMade.ts';
import type { RecordedCall } from './outcome.ts';
import type { OfferedTool } from './target.ts';
import type { JsonObject, Tool } from './types.ts';
import type { Given } from './world.ts';

/** What a target passes, which is of any type when it is a file of the user's. */
export interface Asked {
  readonly name: unknown;
  readonly args: unknown;
  readonly late: boolean;
}

/** Takes a call through the gates and the world. A fault of a gate ends the case, whatever the target makes of it. */
export async function callTool(
  course: Course,
  turn: number,
  given: Given,
  tools: readonly OfferedTool[],
  asked: Asked,
): Promise<string> {
  const name = typeof asked.name === 'string' ? asked.name : '';
  const args = jsonObjectOf(asked.args);
  const late = asked.late;
  // What the target asks for, a gate's denial or a tool that a defence took away notwithstanding.
  if (!late) course.exposed ||= await course.world.wouldExpose(name, args ?? {});
  const tool = given.tools.find((one) => one.name === name);
  const targets = tool && args ? targetsOf(tool, args) : [];
  const origins = targets.map((target) => originOf(target, course.userText, course.untrustedText));
  const note = (fate: RecordedCall['fate'], returned: string, gates: readonly GateVerdict[] = []): string => {
    course.calls.push({ turn, tool: name, args: args ?? {}, targets, origins, fate, gates, returned });
    return returned;
  };
  if (late) return note('late', 'The turn is over.');
  if (!tool || !tools.some((one) => one.name === name)) return note('unknown', unknownTool(name));
  if (!args) return note('unknown', 'Error: the arguments are not a JSON object.');
  const gates = await askGates(course, tool, args, origins);
  const failed = gates.find(({ verdict }) => verdict === 'error');
  if (failed) {
    note('error', '', gates);
    throw new CaseFault('gate', `${failed.gate}: ${failed.note ?? 'no verdict'}`);
  }
  const denied = gates.find(({ verdict }) => verdict === 'deny');
  if (denied) return note('denied', deniedCall(name), gates);
  const { text } = await guarded('world', () => course.world.call(name, args));
  const shown = await defended(course, text, 'result');
  const after = course.defenses.map((defense) => defense.afterResult?.(given.task) ?? '').join('');
  return note('done', shown + after, gates);
}

/** Every gate of the stack is asked until one does not allow. */
async function askGates(
  course: Course,
  tool: Tool,
  args: JsonObject,
  origins: RecordedCall['origins'],
): Promise<GateVerdict[]> {
  const verdicts: GateVerdict[] = [];
  for (const defense of course.defenses) {
    if (!defense.check) continue;
    const verdict = await defense.check(actionOf(tool, args, defense.wantsOrigins ? { origins } : {}));
    verdicts.push(verdict);
    if (verdict.verdict !== 'allow') break;
  }
  return verdicts;
}
