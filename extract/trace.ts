import type { Origin } from '../src/types.ts';
import type { GroundTruthAction } from '../src/corpus.ts';
import type { ToolTable } from '../src/tools-table.ts';
import type { RawCall, RawMessage } from './raw_run.ts';
import { isProse, proseDigest, targetsOf } from './targets.ts';
import { originOf } from './text_rules.ts';

/** The calls of a run, and what was odd about them. */
export interface Trace {
  /** The text of the first user message; undefined: there is none. */
  readonly request: string | undefined;
  /** The calls of known tools, in order: what each does and lands on, and nothing else of what was said. */
  readonly calls: readonly GroundTruthAction[];
  /** Calls of tools that the table does not know. They are in no other member. */
  readonly unknownTools: number;
  /** Calls whose arguments are no object, or whose target arguments hold something that is no target. */
  readonly malformed: number;
  /** Target arguments that were text reading as a list literal. */
  readonly listLiterals: number;
  /** Targets that are prose, and stand as a digest. */
  readonly prose: number;
}

/** Reads a run's messages: what each call lands on, and whether the request or an earlier result had said so. */
export function traceOf(messages: readonly RawMessage[], tools: ToolTable): Trace {
  const request = messages.find((message) => message.role === 'user')?.text;
  const lowerRequest = request?.toLowerCase() ?? '';
  const lowerResults: string[] = [];
  const calls: GroundTruthAction[] = [];
  const odd = { unknownTools: 0, malformed: 0, listLiterals: 0, prose: 0 };
  for (const message of messages) {
    if (message.role === 'tool') lowerResults.push(message.text.toLowerCase());
    for (const call of message.calls) {
      const traced = traceCall(call, tools, (target) => originOf(target, lowerRequest, lowerResults), odd);
      if (traced !== undefined) calls.push(traced);
    }
  }
  return { request, calls, ...odd };
}

type Oddities = { -readonly [name in 'unknownTools' | 'malformed' | 'listLiterals' | 'prose']: number };

function traceCall(
  call: RawCall,
  tools: ToolTable,
  origin: (target: string) => Origin,
  odd: Oddities,
): GroundTruthAction | undefined {
  const entry = typeof call.tool === 'string' ? tools.get(call.tool) : undefined;
  if (entry === undefined) {
    odd.unknownTools++;
    return undefined;
  }
  const args = call.args ?? {};
  const isRecord = typeof args === 'object' && !Array.isArray(args);
  const found = entry.targets.map(({ name }) => targetsOf(isRecord ? (args as Record<string, unknown>)[name] : null));
  const targets = found.flatMap((argument) => argument.targets);
  if (!isRecord || found.some((argument) => argument.malformed)) odd.malformed++;
  odd.listLiterals += found.filter((argument) => argument.listLiteral).length;
  odd.prose += targets.filter(isProse).length;
  return {
    type: call.tool as string,
    effect: entry.effect,
    targets: targets.map((target) => (isProse(target) ? proseDigest(target) : target)),
    origins: targets.map(origin),
  };
}
