import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { usage } from '../../cli-options.ts';
import { BenchError, messageOf } from '../../errors.ts';
import { commandGates, type FoundGate, lookUpGate } from '../../gate-lookup.ts';
import type { ThreadOptions } from '../../gate-thread.ts';
import { suggest } from '../../near.ts';
import { openFound } from '../../open-found.ts';
import { ADAPTERS_FOLDER } from '../../paths.ts';
import { TIERS } from '../../types.ts';
import type { Defense } from '../defense.ts';
import { allowlist } from './allowlist.ts';
import { delimit } from './delimit.ts';
import { type Detector, filterWith, instructionLines } from './filter.ts';
import { gateDefense } from './gate.ts';
import { hierarchy } from './hierarchy.ts';
import { repeat } from './repeat.ts';
import { splitOutsideCommands } from './split.ts';
import { spotlight } from './spotlight.ts';

/** The built-in defences that need nothing else. */
const BUILT_IN: readonly Defense[] = [
  delimit,
  spotlight,
  hierarchy,
  repeat,
  filterWith(instructionLines, 'filter'),
  allowlist,
];

/** Defences that work together, under the name that reports show. */
export interface Stack {
  readonly name: string;
  readonly defenses: readonly Defense[];
}

/** What loading a defence needs. */
export interface StackOptions {
  readonly cwd: string;
  readonly thread: ThreadOptions;
}

/**
 * Reads a stack: names joined by `+`, or `none`.
 * @throws {BenchError} `usage` for an unknown name or tier; `gate` for an adapter or a detector that cannot be loaded
 */
export async function loadStack(typed: string, options: StackOptions): Promise<Stack> {
  if (typed === 'none') return { name: 'none', defenses: [] };
  const names = splitOutsideCommands(typed, '+');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw usage(`the defence ${twice} is twice in ${typed}`);
  const defenses: Defense[] = [];
  for (const name of names) defenses.push(await loadDefense(name, options));
  return { name: typed, defenses };
}

async function loadDefense(name: string, options: StackOptions): Promise<Defense> {
  const found = BUILT_IN.find((defense) => defense.name === name);
  if (found) return found;
  if (name.startsWith('gate:') || name.startsWith('exec:')) return loadGateDefense(name, options);
  if (name.startsWith('filter:'))
    return filterWith(await loadDetector(name.slice('filter:'.length), options.cwd), name);
  const known = [
    'none',
    ...BUILT_IN.map((defense) => defense.name),
    'gate:NAME@TIER',
    "exec:'COMMAND'@TIER",
    'filter:FILE',
  ];
  throw usage(`unknown defence ${JSON.stringify(name)} (one of ${known.join(', ')})${suggest(name, known)}`);
}

async function loadGateDefense(name: string, { cwd, thread }: StackOptions): Promise<Defense> {
  const kind = name.slice(0, 'gate:'.length);
  const at = name.lastIndexOf('@');
  const typed = name.slice(kind.length, at < 0 ? undefined : at);
  const tier = TIERS.find((one) => one === name.slice(at + 1));
  if (at < 0 || tier === undefined) {
    throw usage(`${name}: name a tier, as in ${kind}${typed || 'exact'}@target (one of ${TIERS.join(', ')})`);
  }
  const found = kind === 'exec:' ? commandGate(typed) : lookUpGate(typed, cwd, ADAPTERS_FOLDER);
  const gate = await openFound(found, thread);
  if (gate.info.tiers.includes(tier)) return gateDefense(gate, tier, name);
  await gate.close();
  throw usage(`${name}: the gate does not offer the tier ${tier} (it offers ${gate.info.tiers.join(', ')})`);
}

/** A gate in any language, as `--exec` names it. Quotes keep commas and plus signs in it. */
function commandGate(typed: string): FoundGate {
  const command = /^(['"])(.*)\1$/s.exec(typed)?.[2] ?? typed;
  if (command.trim() === '') throw usage("exec: names no command; as in exec:'python3 my_gate.py'@target");
  return commandGates([command])[0]!;
}

async function loadDetector(file: string, cwd: string): Promise<Detector> {
  const module = await importFile(file, cwd);
  const detector = module['default'] as Partial<Detector> | undefined;
  if (typeof detector?.name === 'string' && typeof detector.detect === 'function') return detector as Detector;
  throw new BenchError('gate', `${file}: has no default export { name, detect(text, origin) }`);
}

/** Imports a file of the user's. @throws {BenchError} `gate` when that fails */
export async function importFile(file: string, cwd: string): Promise<{ readonly [name: string]: unknown }> {
  try {
    return (await import(pathToFileURL(resolve(cwd, file)).href)) as { [name: string]: unknown };
  } catch (error) {
    throw new BenchError('gate', `${file}: cannot be loaded: ${messageOf(error)}`, { cause: error });
  }
}
