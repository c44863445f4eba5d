import { html } from 'hono/html';
import type { Assets } from './assets.ts';
import type { Html } from './html.ts';

interface DocumentOptions {
  readonly title: string;
  readonly nonce: string;
  readonly assets: Assets;
  /** Stands beside the content: whose page this is, and the way back. */
  readonly header?: Html;
  readonly content: Html;
  readonly footer?: Html;
}

/** A whole page. The words are English whatever the reader's locale; that decides how amounts and dates are written. */
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
        <div id="announcer" class="unseen" aria-live="polite"></div>
        <script nonce="${nonce}">
          ${assets.script};
        </script>
      </body>
    </html> `;
}
