import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Row } from './document.ts';
import type { Scenario } from './scenarios.ts';
import type { Settings } from './simulate.ts';

/** One line of a table, yet to be simulated. It has random streams of its own, so the threads do not show in the result. */
export interface Line {
  readonly scenario: Scenario;
  readonly rate: number;
  readonly settings: Settings;
}

/** Simulates the lines on all processors; the rows come in the order of the lines. */
export async function simulateLines(lines: readonly Line[], started: (line: Line) => void): Promise<Row[]> {
  const rows: Row[] = [];
  const waiting = lines.entries();
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url));
    // The iterator is shared: each thread takes the next line that no other has taken.
    for (const [index, line] of waiting) {
      started(line);
      worker.postMessage(line);
      const [methods] = (await once(worker, 'message')) as [Row['methods']];
      rows[index] = { figure: line.scenario.figure, rate: line.rate, methods };
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return rows;
}
