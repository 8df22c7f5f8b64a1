import type { Io } from './io.ts';
import { clip, plain } from './render/table.ts';
import type { Tier } from './types.ts';

/** A line on standard error that says how far a long measurement is. */
export interface Progress {
  readonly show: (gate: string, tier: Tier, done: number, total: number) => void;
  /** Takes the line away, for what is to stand there instead. */
  readonly clear: () => void;
}

/** How long nothing is shown, in milliseconds: most measurements are over by then. */
const PATIENCE_MS = 1000;

/** Where the counting of a gate and tier began: the rate is that since then. */
interface Begin {
  readonly at: number;
  readonly done: number;
  /** What was done when it was last looked at. */
  readonly last: number;
}

/** Shown on a terminal only, after the first second; not at all when `quiet`. */
export function createProgress(
  { stderr, env }: Pick<Io, 'stderr' | 'env'>,
  quiet: boolean,
  now: () => number = () => performance.now(),
): Progress {
  const silent = quiet || stderr.isTTY !== true || env['TERM'] === 'dumb';
  const began = now();
  const begins = new Map<string, Begin>();
  let shown = false;
  return {
    show(gate, tier, done, total) {
      if (silent) return;
      const key = `${tier} ${gate}`;
      const known = begins.get(key);
      // A tier may be replayed several times over: fewer are done than before.
      const begin = known !== undefined && known.last <= done ? known : { at: now(), done };
      begins.set(key, { ...begin, last: done });
      if (now() - began < PATIENCE_MS) return;
      const text = `${plain(gate)}, ${tier}: ${done} of ${total} checks${timeLeft(begin, now(), done, total)}`;
      stderr.write(`\r\u001b[K${clip(text, (stderr.columns || 80) - 1)}`);
      shown = true;
    },
    clear() {
      if (shown) stderr.write('\r\u001b[K');
      shown = false;
    },
  };
}

/** Empty as long as there is nothing to go by. */
function timeLeft(begin: Pick<Begin, 'at' | 'done'>, now: number, done: number, total: number): string {
  if (done === begin.done || now === begin.at) return '';
  const leftS = ((total - done) * (now - begin.at)) / (done - begin.done) / 1000;
  return `, ${leftS < 100 ? `${Math.ceil(leftS)} s` : `${Math.ceil(leftS / 60)} min`} left`;
}
