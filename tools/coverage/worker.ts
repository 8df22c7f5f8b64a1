// Simulates one line after another on a thread of its own, see `pool.ts`.
import { parentPort } from 'node:worker_threads';
import type { Line } from './pool.ts';
import { simulateCoverage } from './simulate.ts';

parentPort?.on('message', ({ scenario, rate, settings }: Line) => {
  parentPort?.postMessage(simulateCoverage(scenario, rate, settings));
});
