import { parentPort } from 'node:worker_threads';
import { createHost } from './host.mjs';
import { quarantine } from './quarantine.mjs';

/** @import { Envelope } from './messages.ts' */

if (parentPort === null) throw new Error('runs as a worker thread only');
const post = parentPort.postMessage.bind(parentPort);
const answer = createHost(post);

quarantine();
parentPort.on('message', (/** @type {Envelope} */ envelope) => {
  void answer(envelope).then((reply) => post(reply));
});
