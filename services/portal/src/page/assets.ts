import { readFileSync } from 'node:fs';
import { raw } from 'hono/html';
import type { Html } from './html.ts';

/** Style and script of the page, which stand inside of it: the page needs nothing from elsewhere. */
export interface Assets {
  readonly style: Html;
  readonly script: Html;
}

/** Reads the two files beside this one. */
export function readAssets(): Assets {
  const read = (name: string) => raw(readFileSync(new URL(`browser/${name}`, import.meta.url), 'utf8'));
  return { style: read('portal.css'), script: read('portal.js') };
}
