import type { Envelope, Reply } from './messages.ts';

export function createHost(send: (note: Reply) => void): (envelope: Envelope) => Promise<Reply>;
