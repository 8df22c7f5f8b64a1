import { parentPort, workerData } from 'node:worker_threads';
import { createHost } from './host.mjs';
import { heapGuard } from './heap-guard.mjs';
import { quarantine } from './quarantine.mjs';

/** @import { Envelope } from './messages.ts' */

if (parentPort === null) throw new Error('runs as a worker thread only');
const guard = heapGuard(workerData);
quarantine();
// The bench talks over a port of its own: a gate can reach `parentPort`, where it would see what comes and answer for itself.
parentPort.once('message', (/** @type {import('node:worker_threads').MessagePort} */ port) => {
  const post = port.postMessage.bind(port);
  const answer = createHost(post, guard);
  port.on('message', (/** @type {Envelope} */ envelope) => {
    void answer(envelope).then((reply) => post(reply));
  });
});
