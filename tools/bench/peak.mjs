// Preloaded: says at the end how much memory the process held at its peak.
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.on('exit', () => writeSync(2, `peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MB\n`));
}
