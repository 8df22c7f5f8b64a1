import { spawnSync } from 'node:child_process';
import { GATES, type ListedGate } from '../tools/results/gates.ts';
import { skipEngines } from './engines-support.ts';

/** The gates from PyPI. */
export const PYTHON_GATES: readonly ListedGate[] = GATES.filter(({ kind }) => kind === 'pypi');

/** Why tests of gates from PyPI are skipped, or false. Where TOOLGATE_ENGINES is set, a missing uv is a failure. */
export const skipPython: string | false =
  process.env['TOOLGATE_ENGINES'] || spawnSync('uv', ['--version']).status === 0
    ? false
    : 'uv is not installed: pip install uv';

/** The same for what takes long: a command decides the same whatever Node asks it, so that one Node is enough. */
export const skipPythonAgain: string | false =
  'typescript' in process.features && process.features.typescript ? 'seen on Node 20' : skipPython;

/** Why a listed gate is not put through a test that takes long, or false. */
export function skipGate({ kind }: ListedGate): string | false {
  return kind === 'pypi' ? skipPythonAgain : skipEngines;
}
