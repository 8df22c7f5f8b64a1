import { deepFreeze, describe, reasonOf, usable } from './replay.mjs';

/**
 * @import { Gate, Session } from '../types.ts'
 * @import { Reply, Request } from './messages.ts'
 */

const ALLOW = 1;
const DENY = 2;
const ERROR = 3;
const MALFORMED = 'returned neither { allowed: true } nor { allowed: false }';

/**
 * Sessions that are asked call by call: what is to be checked depends on what was answered.
 * @param {readonly Gate[]} gates
 * @returns {(request: Extract<Request, { kind: 'open' | 'check' | 'close' }>) => Promise<Reply>}
 */
export function createLiveSessions(gates) {
  /** @type {Map<number, Session>} */
  const sessions = new Map();
  let opened = 0;
  return async (request) => {
    switch (request.kind) {
      case 'open':
        try {
          const session = usable(await gates[request.gate].createSession(deepFreeze(request.policy)));
          sessions.set(++opened, session);
          return { kind: 'opened', session: opened };
        } catch (error) {
          return { kind: 'failed', message: `createSession: ${describe(error)}` };
        }
      case 'check':
        return check(/** @type {Session} */ (sessions.get(request.session)), deepFreeze(request.action));
      case 'close':
        try {
          const session = sessions.get(request.session);
          sessions.delete(request.session);
          await session?.close?.();
          return { kind: 'closed' };
        } catch (error) {
          return { kind: 'failed', message: `close: ${describe(error)}` };
        }
    }
  };
}

/**
 * @param {Session} session
 * @param {import('../types.ts').Action} action
 * @returns {Promise<Reply>}
 */
async function check(session, action) {
  try {
    const verdict = await session.check(action);
    const allowed = /** @type {any} */ (verdict)?.allowed;
    if (allowed !== true && allowed !== false) return { kind: 'checked', verdict: ERROR, note: MALFORMED };
    return { kind: 'checked', verdict: allowed ? ALLOW : DENY, note: reasonOf(verdict) };
  } catch (error) {
    return { kind: 'checked', verdict: ERROR, note: describe(error) };
  }
}
