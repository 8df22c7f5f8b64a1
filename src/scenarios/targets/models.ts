import { usage } from '../../cli-options.ts';
import type { Budget, Price } from '../budget.ts';
import type { Target } from '../target.ts';
import { anthropicTarget } from './anthropic.ts';
import { openaiTarget } from './openai.ts';

/** What the clients of models have in common. */
export interface ModelOptions {
  readonly baseUrl?: string | undefined;
  readonly maxRounds: number;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly price?: Price | undefined;
  readonly budget?: Budget | undefined;
  /** Attempts at one request, the first included. Default 6. */
  readonly attempts?: number;
  /** The first wait before another attempt, doubled each time, in milliseconds. Default 500. */
  readonly waitMs?: number;
  /** Bound on one request, in milliseconds. Default 120 000. */
  readonly requestMs?: number;
}

/** What a client needs to reach its server. */
export interface Connection extends ModelOptions {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly model: string;
}

/**
 * A model as a target. `openai:` takes its key from OPENAI_API_KEY (optional with a base URL) and its address from `--base-url` or
 * OPENAI_BASE_URL; `anthropic:` from ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL.
 * @throws {BenchError} `usage` when a key or an address is missing
 */
export function modelTarget(typed: string, env: Environment, options: ModelOptions): Target {
  const { api, model, root, key } = addressOf(typed, env, options);
  if (api === 'openai') {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    return openaiTarget(typed, { ...options, model, headers, url: `${root}/chat/completions` });
  }
  if (key === undefined || key === '') throw usage(`${typed}: no key; set ANTHROPIC_API_KEY`);
  const headers = { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
  return anthropicTarget(typed, { ...options, model, headers, url: `${root}/messages` });
}

type Environment = { readonly [name: string]: string | undefined };

/** Where a model is, and the key to it. @throws {BenchError} `usage` when there is no address, or it is none */
export function addressOf(
  typed: string,
  env: Environment,
  options: ModelOptions,
): { readonly api: string; readonly model: string; readonly root: string; readonly key: string | undefined } {
  const at = typed.indexOf(':');
  const [api, model] = [typed.slice(0, at), typed.slice(at + 1)];
  if (model === '') throw usage(`${typed}: name a model, as in ${api}:MODEL`);
  const prefix = api.toUpperCase();
  const base = options.baseUrl ?? env[`${prefix}_BASE_URL`];
  const key = env[`${prefix}_API_KEY`];
  if (base === undefined || base === '') {
    throw usage(`${typed}: no address; give --base-url or set ${prefix}_BASE_URL`);
  }
  if (!URL.canParse(base) || !/^https?:/.test(base))
    throw usage(`${typed}: the base URL is no http(s) address: ${base}`);
  const root = base.replace(/\/+$/, '');
  return { api, model, root, key };
}
