import { openGate, type OpenGate, type ThreadSlot } from './gate.ts';
import type { FoundGate } from './gate-lookup.ts';
import type { ThreadOptions } from './gate-thread.ts';

/**
 * Opens an adapter's file in a thread, or a command as a process of its own.
 * @throws {BenchError} `gate` when it cannot be loaded
 */
export async function openFound(
  { url, typed }: FoundGate,
  options: ThreadOptions,
  slot?: ThreadSlot,
): Promise<OpenGate> {
  if (url !== null) return openGate(url, typed, options, slot);
  const { openExecGate } = await import('./exec/exec-gate.ts');
  return openExecGate(typed, options);
}
