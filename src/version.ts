import { readFileSync } from 'node:fs';
import { PACKAGE_FILE } from './paths.ts';

/** The version in package.json. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string }).version;
}
