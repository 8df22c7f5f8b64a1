import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { usage } from '../../cli-options.ts';
import { BenchError } from '../../errors.ts';
import { suggest } from '../../near.ts';
import { importFile } from '../defenses/index.ts';
import type { AnyTarget } from '../course.ts';
import type { Target } from '../target.ts';
import type { ModelOptions } from './models.ts';
import { requireReachable } from './reach.ts';
import { careful, naive, paranoid } from './reference.ts';

const REFERENCE = [naive, careful, paranoid];

/** What loading a target needs. */
export interface TargetOptions {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string | undefined };
  readonly model: ModelOptions;
}

/**
 * Finds a target: a built-in name, `openai:MODEL`, `anthropic:MODEL`, or a file.
 * @throws {BenchError} `usage` for an unknown name, a missing key or base URL; `gate` for a file that cannot be loaded
 */
export async function loadTarget(typed: string, options: TargetOptions): Promise<AnyTarget> {
  const reference = REFERENCE.find(({ name }) => name === typed);
  if (reference) return { kind: 'reference', name: typed, target: reference };
  if (/^(?:openai|anthropic):/.test(typed)) {
    const { addressOf, modelTarget } = await import('./models.ts');
    const target = modelTarget(typed, options.env, options.model);
    await requireReachable(typed, addressOf(typed, options.env, options.model).root);
    return { kind: 'target', name: typed, target };
  }
  const found = typed === '' ? undefined : statSync(resolve(options.cwd, typed), { throwIfNoEntry: false });
  if (found?.isDirectory()) throw usage(`${typed}: is a folder; name the target's file`);
  if (found) return { kind: 'target', name: typed, target: await fileTarget(typed, options.cwd) };
  const known = [...REFERENCE.map(({ name }) => name), 'openai:MODEL', 'anthropic:MODEL'];
  throw usage(
    `unknown target ${JSON.stringify(typed)} (one of ${known.join(', ')}, or a file)${suggest(typed, known)}`,
  );
}

async function fileTarget(file: string, cwd: string): Promise<Target> {
  const target = (await importFile(file, cwd))['default'] as Partial<Target> | undefined;
  if (typeof target?.name === 'string' && typeof target.run === 'function') return target as Target;
  throw new BenchError('gate', `${file}: has no default export { name, run({ system, messages, tools, call }) }`);
}
