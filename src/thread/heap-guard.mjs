import v8 from 'node:v8';
import vm from 'node:vm';

/** @import { HeapLimit } from './messages.ts' */

/** Time between two looks, in milliseconds. */
const LOOK_EVERY_MS = 20;

// Taken before any adapter loads.
const now = performance.now.bind(performance);
const { getHeapStatistics } = v8;
const exit = process.exit.bind(process);

/**
 * Ends the thread where what the gate holds on to has outgrown its limit. V8's own limit, which stands higher, ends a
 * thread that grows in small steps; an array that outgrows it in one step takes the whole process along.
 * @param {HeapLimit} limit
 * @returns {() => void} to be called between two checks
 */
export function heapGuard({ heapBytes, exitCode }) {
  let looked = now();
  return () => {
    if (now() - looked < LOOK_EVERY_MS) return;
    if (getHeapStatistics().used_heap_size > heapBytes) {
      // Most of it may be garbage.
      v8.setFlagsFromString('--expose-gc');
      vm.runInNewContext('gc')();
      if (getHeapStatistics().used_heap_size > heapBytes) exit(exitCode);
    }
    looked = now();
  };
}
