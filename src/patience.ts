import type { GateLimits } from './gate-thread.ts';

/** How long loading an adapter may take, and how long its thread may be busy with what is no call, in milliseconds. */
export function patienceMs({ timeoutMs }: GateLimits): number {
  return Math.max(10_000, 10 * timeoutMs);
}
