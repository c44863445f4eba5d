import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import type { Html } from './html.ts';

/** Style sheets in the order in which their rules apply. */
const STYLES = ['colors', 'base', 'layout', 'cards', 'invoices', 'actions', 'responsive'];

/** Style and script of every page; they are inlined, so that a page loads nothing. */
export interface Assets {
  readonly style: Html;
  readonly script: Html;
}

interface DocumentOptions {
  readonly title: string;
  readonly nonce: string;
  readonly assets: Assets;
  /** Beside the content: project, customer and the link back to the tenant. */
  readonly header?: Html;
  readonly content: Html;
  readonly footer?: Html;
}

/** Reads style and script from `browser/`. */
export function readAssets(): Assets {
  const read = (path: string) => readFileSync(new URL(`browser/${path}`, import.meta.url), 'utf8');
  const style = STYLES.map(name => read(`styles/${name}.css`)).join('');
  return { style: raw(style), script: raw(read('portal.js')) };
}

/** Returns a complete page. */
export function document({ title, nonce, assets, header, content, footer }: DocumentOptions): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <style nonce="${nonce}">
          ${assets.style}
        </style>
      </head>
      <body class="${header ? 'portal' : 'plain'}">
        ${header && html`<header>${header}</header>`}
        <main id="portal">${content}</main>
        ${footer && html`<footer>${footer}</footer>`}
        <div id="announcer" class="visually-hidden" aria-live="polite"></div>
        <script nonce="${nonce}">
          ${assets.script};
        </script>
      </body>
    </html> `;
}
