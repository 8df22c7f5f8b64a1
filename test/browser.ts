import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Why no page can be opened here; false where one can. In CI a missing browser is a failure, not a reason to skip. */
export const skip: string | false =
  existsSync(executablePath) || process.env['CI'] ? false : `no browser at ${executablePath} (set CHROMIUM_PATH)`;

/** A browser with a folder for the pages that it opens. */
export interface Pages {
  /** Opens a page, and fails on any console message, page error, dialog or request but that for the page itself. */
  open(text: string, options?: Parameters<Browser['newPage']>[0]): Promise<Page>;
  close(): Promise<void>;
}

export async function startPages(): Promise<Pages> {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-html-'));
  const browser = await chromium.launch({ executablePath, args: ARGS });
  return {
    async open(text, options = {}) {
      const file = join(folder, 'report.html');
      writeFileSync(file, text);
      const page = await browser.newPage(options);
      const url = pathToFileURL(file).href;
      page.on('console', (message) => assert.fail(`console: ${message.text()}`));
      page.on('pageerror', (error) => assert.fail(`page error: ${error.message}`));
      page.on('request', (request) => assert.ok(request.url() === url || request.url() === 'data:,', request.url()));
      page.on('dialog', (dialog) => assert.fail(`a dialog: ${dialog.message()}`));
      await page.goto(url);
      return page;
    },
    async close() {
      await browser.close();
      rmSync(folder, { recursive: true });
    },
  };
}
