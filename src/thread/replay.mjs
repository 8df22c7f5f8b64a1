// Plain JavaScript, as all that runs in a gate's thread: a thread without a type stripper starts sooner and is 20 MB smaller.

/**
 * @import { Gate, Session, Verdict } from '../types.ts'
 * @import { Batch } from '../batch.ts'
 * @import { ReplayTiming } from './messages.ts'
 */

/**
 * What a replay reports beside the verdicts. `check` is null where createSession or close failed.
 * @typedef {object} Listener
 * @property {(check: number | null, message: string) => void} onError
 * @property {(message: string) => void} onWarning
 * @property {((check: number, note: string | null) => void) | null} onNote the reason or error of every check
 * @property {() => void} [onSample] after each check that is timed
 */

const ALLOW = 1;
const DENY = 2;
const ERROR = 3;
const NO_SESSION = 4;

/** One check in so many is timed: timing every one costs more than a fast gate itself. A prime, so as to meet every position. */
const SAMPLE_EVERY = 61;

/** How long a lane may run on while others wait, in milliseconds. */
const TURN_MS = 20;

// Taken before any adapter loads, so that no adapter can put its own in their place.
const now = performance.now.bind(performance);
const { setImmediate } = globalThis;
const { freeze, isFrozen, values } = Object;

/**
 * Freezes plain data to its leaves. Typed arrays hold no objects and stay as they are.
 * @template T
 * @param {T} value
 * @returns {T}
 */
export function deepFreeze(value) {
  if (typeof value !== 'object' || value === null || isFrozen(value)) return value;
  freeze(value);
  for (const member of values(value)) deepFreeze(member);
  return value;
}

/**
 * Runs every session of a batch through a gate. Verdicts go to `verdicts` as they come; `calls` holds, per session in
 * flight, the number of the call under way. A synchronous gate never waits for a promise.
 * @param {Gate} gate
 * @param {Batch} batch its policies and actions deeply frozen
 * @param {Uint8Array} verdicts one byte a check
 * @param {Int32Array} calls one number for each session that may be in flight
 * @param {Listener} listener
 * @returns {ReplayTiming | Promise<ReplayTiming>}
 */
export function replay(gate, batch, verdicts, calls, listener) {
  const { policies, actions, sessionPolicy, starts, steps, order } = batch;
  const { onNote } = listener;
  const quick = onNote === null;
  /** @type {number[]} */
  const samplesUs = [];
  let unopened = 0;
  let untilSample = SAMPLE_EVERY;
  let next = 0;
  let waiting = 0;
  const began = now();

  /**
   * @param {number} check
   * @param {unknown} thrown
   */
  function fail(check, thrown) {
    failWith(check, describe(thrown));
  }

  /**
   * @param {number} check
   * @param {string} message
   */
  function failWith(check, message) {
    verdicts[check] = ERROR;
    onNote?.(check, message);
    listener.onError(check, message);
  }

  /**
   * @param {number} check
   * @param {unknown} verdict anything but a thenable
   * @param {unknown} allowed its member, read once: a getter may say one thing now and another later
   */
  function judge(check, verdict, allowed) {
    try {
      if (allowed === true) verdicts[check] = ALLOW;
      else if (allowed === false) verdicts[check] = DENY;
      else return failWith(check, malformed(verdict, allowed));
      if (onNote) onNote(check, reasonOf(verdict));
    } catch (error) {
      fail(check, error);
    }
  }

  /**
   * @param {number} session
   * @param {unknown} thrown
   */
  function noSession(session, thrown) {
    const message = `createSession: ${describe(thrown)}`;
    verdicts.fill(NO_SESSION, starts[session], starts[session + 1]);
    unopened += starts[session + 1] - starts[session];
    if (onNote) for (let check = starts[session]; check < starts[session + 1]; check++) onNote(check, message);
    listener.onError(null, message);
  }

  /**
   * @param {number} lane
   * @param {number} index
   * @returns {Promise<void> | undefined}
   */
  function runSession(lane, index) {
    calls[lane] = -(index + 1);
    try {
      const session = gate.createSession(policies[sessionPolicy[index]]);
      if (isThenable(session)) return openLater(lane, index, session);
      return runChecks(lane, index, usable(session));
    } catch (error) {
      noSession(index, error);
    }
  }

  /**
   * @param {number} lane
   * @param {number} index
   * @param {PromiseLike<Session>} opening
   */
  async function openLater(lane, index, opening) {
    let session;
    try {
      session = usable(await opening);
    } catch (error) {
      return noSession(index, error);
    }
    await runChecks(lane, index, session);
  }

  /**
   * @param {number} lane
   * @param {number} index
   * @param {Session} session
   * @returns {Promise<void> | undefined}
   */
  function runChecks(lane, index, session) {
    const end = starts[index + 1];
    for (let check = starts[index]; check < end; check++) {
      calls[lane] = check + 1;
      const sampled = --untilSample === 0;
      const asked = sampled ? now() : 0;
      let verdict;
      try {
        verdict = /** @type {any} */ (session.check(actions[steps[check]]));
        const allowed = verdict?.allowed;
        if (allowed === true && quick) verdicts[check] = ALLOW;
        else if (allowed === false && quick) verdicts[check] = DENY;
        else if (isThenable(verdict)) return checkLater(lane, index, session, check, verdict, asked);
        else judge(check, verdict, allowed);
      } catch (error) {
        fail(check, error);
      }
      if (sampled) sample(asked);
    }
    return closeSession(lane, index, session);
  }

  /**
   * The rest of a session from its first promise on.
   * @param {number} lane
   * @param {number} index
   * @param {Session} session
   * @param {number} first
   * @param {PromiseLike<Verdict>} pending
   * @param {number} asked
   */
  async function checkLater(lane, index, session, first, pending, asked) {
    const end = starts[index + 1];
    /** @type {unknown} */
    let verdict = pending;
    for (let check = first; ;) {
      try {
        if (isThenable(verdict)) verdict = await verdict;
        judge(check, verdict, /** @type {any} */ (verdict)?.allowed);
      } catch (error) {
        fail(check, error);
      }
      if (asked !== 0) sample(asked);
      if (++check === end) break;
      calls[lane] = check + 1;
      asked = --untilSample === 0 ? now() : 0;
      try {
        verdict = session.check(actions[steps[check]]);
      } catch (error) {
        verdict = Promise.reject(error);
      }
    }
    await closeSession(lane, index, session);
  }

  /** @param {number} asked */
  function sample(asked) {
    samplesUs.push((now() - asked) * 1000);
    untilSample = SAMPLE_EVERY;
    listener.onSample?.();
  }

  /**
   * @param {number} lane
   * @param {number} index
   * @param {Session} session
   * @returns {Promise<void> | undefined}
   */
  function closeSession(lane, index, session) {
    try {
      if (session.close === undefined) return;
      calls[lane] = -(order.length + index + 1);
      const closing = session.close();
      if (isThenable(closing)) return closeLater(closing);
    } catch (error) {
      listener.onWarning(`close: ${describe(error)}`);
    }
  }

  /** @param {PromiseLike<void>} closing */
  async function closeLater(closing) {
    try {
      await closing;
    } catch (error) {
      listener.onWarning(`close: ${describe(error)}`);
    }
  }

  /**
   * Takes sessions until none is left. While other lanes wait on something, a lane of sessions that wait on nothing gives
   * way now and then: else their calls would look unanswered.
   * @param {number} lane
   * @returns {Promise<void> | undefined}
   */
  function work(lane) {
    const turnBegan = waiting > 0 ? now() : 0;
    while (next < order.length) {
      const pending = runSession(lane, order[next++]);
      if (pending) {
        waiting++;
        return pending.then(() => {
          waiting--;
          return work(lane);
        });
      }
      if (waiting > 0 && now() - turnBegan > TURN_MS) {
        calls[lane] = 0;
        return new Promise(setImmediate).then(() => work(lane));
      }
    }
    calls[lane] = 0;
  }

  const finish = () => ({ checks: steps.length - unopened, samplesUs, totalMs: now() - began });
  /** @type {Promise<void>[]} */
  const working = [];
  for (let lane = 0; lane < calls.length; lane++) {
    const pending = work(lane);
    if (pending) working.push(pending);
  }
  return working.length === 0 ? finish() : Promise.all(working).then(finish);
}

/**
 * @param {unknown} value
 * @returns {value is PromiseLike<any>}
 */
function isThenable(value) {
  return typeof value === 'object' && value !== null && typeof (/** @type {any} */ (value).then) === 'function';
}

/**
 * @param {any} session
 * @returns {Session}
 */
export function usable(session) {
  if (typeof session?.check === 'function') return session;
  throw new ContractError(`returned ${kindOf(session)}, expected an object with a check function`);
}

/** What an adapter does against the contract: shown without the error's name, unlike what the adapter throws itself. */
class ContractError extends Error {}

/**
 * @param {unknown} verdict
 * @param {unknown} allowed
 */
function malformed(verdict, allowed) {
  const found =
    typeof verdict !== 'object' || verdict === null
      ? kindOf(verdict)
      : isThenable(allowed)
        ? '{ allowed: a promise }, which nobody awaited'
        : `{ allowed: ${kindOf(allowed)} }`;
  return `returned ${found}, expected { allowed: true } or { allowed: false }`;
}

/** @param {unknown} value */
export function kindOf(value) {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value);
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return typeof value === 'function' || typeof value === 'symbol' ? `a ${typeof value}` : String(value);
}

/**
 * The reason beside a verdict, on one line; it counts for nothing, so one that cannot be read is none.
 * @param {any} verdict
 */
export function reasonOf(verdict) {
  try {
    const reason = verdict.reason;
    return reason === undefined || reason === null ? null : oneLine(String(reason));
  } catch {
    return null;
  }
}

/**
 * Whatever was thrown, on one line; a thrown thing that throws when looked at is named so.
 * @param {unknown} thrown
 */
export function describe(thrown) {
  try {
    if (thrown instanceof ContractError) return thrown.message;
    return oneLine(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : `threw ${kindOf(thrown)}`);
  } catch {
    return 'threw something that cannot be shown';
  }
}

/** @param {string} text */
function oneLine(text) {
  // Cut first: a message may be of any length.
  const line = text.slice(0, 1000).replace(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 297)}...` : line;
}
