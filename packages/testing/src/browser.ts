import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/** The shell comes first: it has no windows to draw, and so takes less than half of the processor time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
/** Chromium runs in a container and must not make requests of its own. */
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
 * Returns whether tests in a browser must be skipped because this machine has no Chromium, with a warning.
 * @throws in CI, where no test may be skipped
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

/** Returns the path of a Chromium: `CHROMIUM_PATH`, or one on the `PATH`; else undefined. */
function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = NAMES.flatMap(name => folders.map(folder => join(folder, name)));
  return [process.env['CHROMIUM_PATH'] ?? '', ...candidates].filter(Boolean).find(isExecutable);
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
  `Tests in a browser ${what}: no Chromium found. Install it (Debian: apt-get install chromium-headless-shell), or set CHROMIUM_PATH.`;
