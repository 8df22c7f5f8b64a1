import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../errors.ts';
import type { FoundGate } from '../gate-lookup.ts';
import type { ThreadOptions } from '../gate-thread.ts';
import { isMeasured, type OutcomeBits, type Report } from '../report.ts';
import type { Tier } from '../types.ts';

/** What a gate came to in a process of its own, tier by tier; where there is nothing, why. */
export interface FreshProcess {
  readonly outcomes: ReadonlyMap<Tier, OutcomeBits>;
  readonly unchecked: readonly string[];
}

/**
 * Measures a gate by the bench's own command, in a new process with a command line that any measurement could have. Its
 * environment and working folder are this process's. Never rejects.
 */
export async function measureInFreshProcess(
  found: FoundGate,
  tiers: readonly Tier[],
  seed: number,
  { limits, signal }: Pick<ThreadOptions, 'limits' | 'signal'>,
): Promise<FreshProcess> {
  const gate = found.url === null ? ['--exec', found.typed] : [fileURLToPath(found.url)];
  const bounds = ['--timeout', limits.timeoutMs, '--memory', limits.memoryMb].map(String);
  const options = ['--tier', tiers.join(), '--seed', String(seed), '--resamples', '0', '--format', 'json', '--quiet'];
  const ended = await run([benchFile(), ...gate, ...options, ...bounds], signal);
  if (signal?.aborted) return { outcomes: new Map(), unchecked: ['interrupted'] };
  const report = asReport(ended.stdout);
  // The gate asked for stands last, after the controls.
  const measured = report?.gates.at(-1);
  if (measured === undefined || measured.failed !== undefined) {
    const why = measured?.failed ?? (ended.stderr.trim().split('\n').at(-1) || 'the command left no report');
    return { outcomes: new Map(), unchecked: [`in a fresh process: ${why}`] };
  }
  const outcomes = new Map<Tier, OutcomeBits>();
  const unchecked: string[] = [];
  for (const tier of measured.tiers) {
    if (!isMeasured(tier)) unchecked.push(`${tier.tier}, in a fresh process: ${tier.na}`);
    else if (tier.firstError !== null) unchecked.push(`${tier.tier}, in a fresh process: ${tier.firstError}`);
    else outcomes.set(tier.tier, tier.outcomes);
  }
  return { outcomes, unchecked };
}

/** The bench as it runs here: from its sources, or from its build. */
function benchFile(): string {
  const isSource = import.meta.url.endsWith('.ts');
  return fileURLToPath(new URL(isSource ? '../../run.mjs' : '../bin.js', import.meta.url));
}

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], signal: AbortSignal | undefined): Promise<Ended> {
  return new Promise((resolve) => {
    const ended = { stdout: '', stderr: '' };
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(signal && { signal }) });
    child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.stderr += text));
    child.on('error', (error) => resolve({ stdout: '', stderr: messageOf(error) }));
    child.on('close', () => resolve(ended));
  });
}

function asReport(text: string): Report | undefined {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return undefined;
  }
}
