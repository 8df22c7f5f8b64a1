import type { GateThread, Note } from './gate-thread.ts';
import { createHost } from './thread/host.mjs';

/**
 * Where the bench's own gates run: in its own thread. The controls and the reference gate are part of the bench, need no
 * containment, and would wait for a thread to start longer than all that they do takes.
 */
export function createOwnHost(): GateThread {
  let onNote: (note: Note) => void = () => {};
  const answer = createHost((note) => onNote(note as Note));
  const ask: GateThread['ask'] = async (request, memory, _limitMs, note) => {
    onNote = note;
    const reply = await answer({ request, ...memory });
    return { kind: 'reply', reply: reply as Exclude<typeof reply, Note> };
  };
  return { usable: true, batches: [], ask, end: async () => {} };
}
