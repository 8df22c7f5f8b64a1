import type { Batch } from '../batch.ts';
import type { Gate, Session } from '../types.ts';
import type { ReplayTiming } from './messages.ts';

export interface Listener {
  readonly onError: (check: number | null, message: string) => void;
  readonly onWarning: (message: string) => void;
  readonly onNote: ((check: number, note: string | null) => void) | null;
  readonly onSample?: () => void;
}
export function deepFreeze<T>(value: T): T;
export function replay(
  gate: Gate,
  batch: Batch,
  verdicts: Uint8Array,
  calls: Int32Array,
  listener: Listener,
): ReplayTiming | Promise<ReplayTiming>;
export function describe(thrown: unknown): string;
export function usable(session: unknown): Session;
export function reasonOf(verdict: unknown): string | null;
export function kindOf(value: unknown): string;
