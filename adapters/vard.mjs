// @ts-check
// Vard (@andersmyrmel/vard), for contrast: a scanner of text for phrases that look like an injection. It reads no policy.

import { importEngine } from './lib/engine.mjs';

/** @import { Gate } from 'toolgate-bench' */

const { module, engine } = await importEngine('@andersmyrmel/vard', '1');

/** @type {(text: string) => boolean} */
const isSafe = (text) => module.default.safe(text).safe;

/**
 * The tool's name and each target are scanned as they are. The verdict is the same whatever the policy: the loosest tier is offered,
 * so that there is a row to look at, and no clause is said to be decided by anybody.
 * @param {{ decide?: typeof isSafe }} [seam] `decide` stands in for the scan in tests
 * @returns {Gate}
 */
export function createGate({ decide = isSafe } = {}) {
  return {
    name: 'vard',
    tiers: ['effect'],
    engine,
    clauses: {},
    createSession: () => ({
      check({ type, targets }) {
        const allowed = decide(type) && targets.every((target) => decide(target));
        return allowed ? { allowed } : { allowed, reason: 'the text looks like an injection' };
      },
    }),
  };
}

export default createGate();
