import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
};

/** The commit that is checked out in a folder, read from its files; null when it is not the top of a repository. */
export function checkedOutCommit(folder: string): string | null {
  const link = /^gitdir: (.+)$/.exec(read(join(folder, '.git')) ?? '')?.[1];
  const git = link === undefined ? join(folder, '.git') : resolve(folder, link);
  const head = read(join(git, 'HEAD'));
  const ref = /^ref: (.+)$/.exec(head ?? '')?.[1];
  if (ref === undefined) return head ?? null;
  const common = resolve(git, read(join(git, 'commondir')) ?? '.');
  const packed = read(join(common, 'packed-refs'))
    ?.split('\n')
    .find((line) => line.endsWith(` ${ref}`));
  return read(join(common, ref)) ?? packed?.split(' ')[0] ?? null;
}
