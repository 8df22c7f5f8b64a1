import { openGate, type OpenGate } from './gate.ts';
import type { FoundGate } from './gate-lookup.ts';
import type { ThreadOptions } from './gate-thread.ts';
import { createOwnHost } from './own-host.ts';

/**
 * Opens an adapter's file in a thread, the bench's own beside the bench, or a command as a process of its own.
 * @throws {BenchError} `gate` when it cannot be loaded
 */
export async function openFound({ url, typed, own }: FoundGate, options: ThreadOptions): Promise<OpenGate> {
  if (url !== null) return openGate(url, typed, options, own === null ? undefined : createOwnHost());
  const { openExecGate } = await import('./exec/exec-gate.ts');
  return openExecGate(typed, options);
}
