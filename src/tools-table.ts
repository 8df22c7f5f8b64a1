import {
  asArray,
  asOneOf,
  asRecord,
  asObject,
  asString,
  inside,
  parseJson,
  type Place,
  refuse,
  show,
} from './json-guard.ts';
import type { TextFile } from './text-file.ts';
import { type Effect, EFFECTS } from './types.ts';

/** One argument that an action lands on: `recipient`, `recipient?`, `recipients[]` or `recipients[]?` in the table. */
export interface TargetArgument {
  /** As the tool declares it. */
  readonly name: string;
  /** It takes a list, each element of which is a target: at least one. */
  readonly isList: boolean;
  /** It may be null or left out, and gives no target then. */
  readonly isOptional: boolean;
}

/** What one tool does, and which of its arguments an action lands on, in order. */
export interface Tool {
  /** What every call of the tool does. */
  readonly effect: Effect;
  /** Empty: its calls have no target. */
  readonly targets: readonly TargetArgument[];
}

/** The one table, assigned by hand, of every tool's effect and target arguments. */
export type ToolTable = ReadonlyMap<string, Tool>;

const TOOLS_SCHEMA = 'toolgate-bench/tools@1';

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
  const targets = asArray(tool['targets'], inside(place, 'targets'), parseArgument);
  targets.forEach(({ name }, index) => {
    if (targets.findIndex((other) => other.name === name) !== index) {
      refuse(inside(inside(place, 'targets'), index), `the argument ${show(name)} is listed twice`);
    }
  });
  return { effect: asOneOf(tool['effect'], inside(place, 'effect'), EFFECTS, 'effect'), targets };
}

function parseArgument(value: unknown, place: Place): TargetArgument {
  const text = asString(value, place);
  const found = /^([A-Za-z_]\w*)(\[\])?(\?)?$/.exec(text);
  if (found === null)
    refuse(place, `expected an argument as "name", "name?", "name[]" or "name[]?", found ${show(text)}`);
  return { name: found[1]!, isList: found[2] !== undefined, isOptional: found[3] !== undefined };
}

/** An argument as the table writes it. */
export function showArgument({ name, isList, isOptional }: TargetArgument): string {
  return `${name}${isList ? '[]' : ''}${isOptional ? '?' : ''}`;
}

/** How many targets a well-formed call of the tool has; `most` is Infinity where an argument takes a list. */
export function targetCounts({ targets }: Tool): { readonly least: number; readonly most: number } {
  return {
    least: targets.filter(({ isOptional }) => !isOptional).length,
    most: targets.some(({ isList }) => isList) ? Infinity : targets.length,
  };
}
