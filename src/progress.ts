import type { Io } from './io.ts';
import { clip, plain } from './render/table.ts';
import type { Tier } from './types.ts';

/** A line on standard error that says how far a long measurement is. */
export interface Progress {
  readonly show: (gate: string, tier: Tier, done: number, total: number) => void;
  readonly clear: () => void;
}

/** Shown on a terminal only, after the first second. */
export function createProgress({ stderr }: Io, quiet: boolean, now: () => number = () => performance.now()): Progress {
  const began = now();
  const starts = new Map<string, number>();
  let shown = false;
  const clear = (): void => {
    if (shown) stderr.write('\r\u001b[K');
    shown = false;
  };
  return {
    show(gate, tier, done, total) {
      const key = `${tier} ${gate}`;
      const start = starts.get(key) ?? now();
      starts.set(key, start);
      if (quiet || stderr.isTTY !== true || now() - began < 1000) return;
      const leftS = done === 0 ? null : ((now() - start) / done) * ((total - done) / 1000);
      const left = leftS === null ? '' : `, ${Math.ceil(leftS)} s left`;
      stderr.write(`\r\u001b[K${clip(`${plain(gate)}, ${tier}: ${done} of ${total} checks${left}`, 79)}`);
      shown = true;
    },
    clear,
  };
}
