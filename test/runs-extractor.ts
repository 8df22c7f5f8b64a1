import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { main } from '../extract/extract_runs.ts';

/** A runs folder made by hand that has every oddity of AgentDojo's. */
export const FIXTURE: string = fileURLToPath(new URL('fixtures/runs-folder', import.meta.url));
/** Gone when the tests of the file are done. */
export const work: string = mkdtempSync(join(tmpdir(), 'toolgate-runs-'));
after(() => rmSync(work, { recursive: true }));

/** What a run of the extractor came to. */
export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The extractor's command line, without a terminal. */
export async function extract(...argv: string[]): Promise<Outcome> {
  const written = { stdout: '', stderr: '' };
  const status = await main(argv, {
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
  });
  return { status, ...written };
}

let folders = 0;
/** A path in which there is nothing yet. */
export const newFolder = (): string => join(work, String(++folders));

/** The texts of a folder's files by name. */
export const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
