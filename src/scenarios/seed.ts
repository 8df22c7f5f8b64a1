import { createHash } from 'node:crypto';

/** A seed of its own for a thing with a name: the same in every run and at any concurrency. */
export function seedOf(seed: number, name: string): number {
  return createHash('sha256').update(`${seed}\n${name}`).digest().readUInt32BE(0);
}
