import { asArray, asOneOf, asRecord, asObject, asString, inside, parseJson, type Place, refuse } from './json-guard.ts';
import type { TextFile } from './text-file.ts';
import { type Effect, EFFECTS } from './types.ts';

/** What one tool does, and which of its arguments an action lands on, in order. */
export interface Tool {
  /** What every call of the tool does. */
  readonly effect: Effect;
  /** Names of arguments; empty: its calls have no target. */
  readonly targets: readonly string[];
}

/** The one table, assigned by hand, of every tool's effect and target arguments. */
export type ToolTable = ReadonlyMap<string, Tool>;

export const TOOLS_SCHEMA = 'toolgate-bench/tools@1';

/** @throws {BenchError} `input`, naming file and JSON path. */
export function parseToolTable(source: TextFile): ToolTable {
  const place: Place = { file: source.file, path: '$' };
  const top = asRecord(parseJson(source.text, place), place, ['schema', 'tools'], ['source']);
  asOneOf(top['schema'], inside(place, 'schema'), [TOOLS_SCHEMA], 'schema');
  const toolsPlace = inside(place, 'tools');
  const tools = Object.entries(asObject(top['tools'], toolsPlace));
  if (tools.length === 0) refuse(toolsPlace, 'no tool is listed');
  return new Map(tools.map(([name, tool]) => [name, parseTool(tool, inside(toolsPlace, name))]));
}

function parseTool(value: unknown, place: Place): Tool {
  const tool = asRecord(value, place, ['effect', 'targets']);
  return {
    effect: asOneOf(tool['effect'], inside(place, 'effect'), EFFECTS, 'effect'),
    targets: asArray(tool['targets'], inside(place, 'targets'), asString),
  };
}
