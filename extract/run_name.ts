import { join } from 'node:path';
import type { RunName } from './raw_run.ts';
import { isArchive } from './source.ts';

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '.');

/** Reads the path `[runs/]pipeline/suite/task/attack/run.json`; undefined: the file is no run's. */
export function runName(path: string): RunName | undefined {
  const parts = partsOf(path);
  if (parts.length === 6 && parts[0] === 'runs') parts.shift();
  const [pipeline, suite, task, attack, file] = parts;
  const run = runIn(file);
  if (parts.length !== 5 || run === undefined || !isTask(task)) return undefined;
  if ((run === 'none') !== (attack === 'none')) return undefined;
  return {
    pipeline: pipeline as string,
    suite: suite as string,
    task: task as string,
    attack: attack as string,
    injection: run === 'none' ? null : run,
  };
}

const runIn = (file: string | undefined): string | undefined =>
  /^(none|injection_task_\d+)\.json$/.exec(file ?? '')?.[1];
const isTask = (part: string | undefined): boolean => /^(user|injection)_task_\d+$/.test(part ?? '');

/** Whether a file that is no run's where it stands would be one in another place. */
export function isRunElsewhere(path: string): boolean {
  const parts = partsOf(path);
  if (parts.length === 6 && parts[0] === 'runs') parts.shift();
  if (runIn(parts.at(-1)) === undefined || parts.length === 5) return false;
  return parts.length < 5 || isTask(parts.at(-3));
}

/** Where the runs folder seems to be, going by such a file of a folder or an archive. */
export function runsFolderHint(source: string, misplaced: string): string {
  const parts = partsOf(misplaced);
  if (parts.length < 5) return 'give the folder that holds the folders of the pipelines';
  const inside = join(...parts.slice(0, -5));
  if (isArchive(source)) return `the runs folder seems to be ${inside} in it; unpack it and give that folder`;
  return `the runs folder seems to be ${join(source, inside)}`;
}
