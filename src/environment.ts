import { cpus } from 'node:os';
import type { Report } from './report.ts';
import { packageVersion } from './version.ts';

/** What may differ between two runs of the same measurement. */
export function environment(): Report['environment'] {
  return {
    bench: packageVersion(),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model ?? 'unknown',
  };
}
