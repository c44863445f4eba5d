// Takes pictures of every page of the portal, in every language and look: `npm run screenshots`, after
// `npm run build`. They are saved in `e2e/.turbo/screenshots/portal`; the README shows two of `en`. Japanese needs a font.
import { join } from 'node:path';
import { PORTAL_LANGUAGES } from '@billing/contracts/resources/portal-session';
import { openWindow } from '../system/browser.ts';
import { startSystem } from '../system/start-system.ts';
import { readMisfits } from '../test/portal/fitting.ts';
import { portalPages } from './portal-pages.ts';

const FOLDER = join(import.meta.dirname, '../.turbo/screenshots/portal');
const VIEWPORTS = { phone: { width: 320, height: 640 }, desktop: { width: 1280, height: 900 } };
const SCHEMES = ['light', 'dark'] as const;

await using open = new AsyncDisposableStack();
const system = open.adopt(await startSystem(), started => started.stop());
const pages = await portalPages(system);
const window = await openWindow({ reducedMotion: 'reduce', timezoneId: 'Europe/Berlin' });
const page = await window.newPage();
let [looked, misfits] = [0, 0];
for (const language of PORTAL_LANGUAGES)
  for (const [name, address] of Object.entries(pages)) {
    const url = new URL(address);
    url.searchParams.set('lang', language);
    await page.goto(url.href);
    for (const [size, viewport] of Object.entries(VIEWPORTS)) {
      await page.setViewportSize(viewport);
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: join(FOLDER, language, `${name}-${size}-${colorScheme}.png`), fullPage: true });
      }
      const { pixels, words } = await readMisfits(page);
      looked += 1;
      if (pixels > 0 || words.length > 0) {
        misfits += 1;
        console.error(`${name} in ${language}, ${size}: ${pixels} pixels too wide, cut words: ${words.join(', ')}`);
      }
    }
  }
console.log(`${Object.keys(pages).length} pages in ${PORTAL_LANGUAGES.length} languages: ${FOLDER}`);
console.log(`${looked - misfits} passed, ${misfits} failed`);
await window.browser()?.close();
if (misfits > 0) process.exitCode = 1;
