import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
/** Runs in a container, and speaks to nobody but the pages it is given. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Whether the tests in a browser are to be left out: no Chromium is on this machine. It says so aloud, and in CI
 * nothing is left out.
 */
export function isWithoutBrowser(): boolean {
  if (findChromium() !== undefined) return false;
  if (process.env['CI']) throw new Error(missing('cannot run'));
  console.warn(missing('are skipped'));
  return true;
}

/** Starts a headless Chromium; close it. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(missing('cannot run'));
  return chromium.launch({ executablePath, args: FLAGS });
}

/** A Chromium on this machine: `CHROMIUM_PATH`, or one on the path; else undefined. */
function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const places = folders.flatMap(folder => NAMES.map(name => join(folder, name)));
  return [process.env['CHROMIUM_PATH'] ?? '', ...places].filter(Boolean).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const missing = (what: string) =>
  `Tests in a browser ${what}: no Chromium found. Install it (Debian: apt-get install chromium), or set CHROMIUM_PATH.`;
