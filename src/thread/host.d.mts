import type { Envelope, Reply } from './messages.ts';

export function createHost(send: (note: Reply) => void, onSample?: () => void): (envelope: Envelope) => Promise<Reply>;
