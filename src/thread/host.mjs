import { createLiveSessions } from './live.mjs';
import { loadGate } from './load.mjs';
import { deepFreeze, describe, replay } from './replay.mjs';

/**
 * @import { Batch } from '../batch.ts'
 * @import { Gate } from '../types.ts'
 * @import { Envelope, Reply, Request } from './messages.ts'
 */

/**
 * What loads gates and runs batches through them, one request at a time: in a thread of its own, or beside the bench.
 * @param {(note: Reply) => void} send takes the first error and the first warning of a replay, as they happen
 * @param {() => void} [onSample] called between two checks now and then
 * @returns {(envelope: Envelope) => Promise<Reply>} never rejects for what a gate does
 */
export function createHost(send, onSample = () => {}) {
  /** @type {Gate[]} */
  const gates = [];
  /** @type {Batch[]} */
  const batches = [];
  const live = createLiveSessions(gates);

  return async ({ request, verdicts, calls }) => {
    const callNumbers = new Int32Array(calls);
    if (request.kind === 'load') return load(request.url, callNumbers);
    if (request.kind === 'replay') return run(request, new Uint8Array(verdicts), callNumbers);
    callNumbers[0] = 1;
    const reply = await live(request);
    callNumbers[0] = 0;
    return reply;
  };

  /**
   * @param {string} url
   * @param {Int32Array} calls
   * @returns {Promise<Reply>}
   */
  async function load(url, calls) {
    calls[0] = 1;
    try {
      const { gate, info } = await loadGate(url);
      calls[0] = 0;
      return { kind: 'loaded', gate: gates.push(gate) - 1, ...info };
    } catch (error) {
      return { kind: 'refused', message: describe(error).replace(/^Error: /, '') };
    }
  }

  /**
   * The batch of a number: sent along the first time, and kept, frozen, for the tiers and gates after.
   * @param {number} id
   * @param {Batch | null} sent
   */
  function keep(id, sent) {
    if (sent !== null) {
      deepFreeze(sent.policies);
      deepFreeze(sent.actions);
      batches[id] = sent;
    }
    return batches[id];
  }

  /**
   * @param {Extract<Request, { kind: 'replay' }>} request
   * @param {Uint8Array} verdicts
   * @param {Int32Array} calls
   * @returns {Promise<Reply>}
   */
  async function run({ gate, batchId, batch: sent, detail }, verdicts, calls) {
    const batch = keep(batchId, sent);
    /** @type {(string | null)[]} */
    const notes = detail ? Array.from({ length: batch.steps.length }, () => null) : [];
    let errors = 0;
    let warnings = 0;
    const replaying = replay(gates[gate], batch, verdicts, calls, {
      onError: (check, message) => {
        if (errors++ === 0) send({ kind: 'error', check, message });
      },
      onWarning: (message) => {
        if (warnings++ === 0) send({ kind: 'warning', message });
      },
      onNote: detail
        ? (check, note) => {
            notes[check] = note;
          }
        : null,
      onSample,
    });
    const timing = await replaying;
    return { kind: 'replayed', timing, errors, notes };
  }
}
