import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import type { Brand } from '#operations/find-brand.ts';
import { brandMark, brandStyle } from './brand.ts';
import type { Html } from './html.ts';
import type { Texts } from './texts.ts';

/** Style sheets in the order in which their rules apply. */
const STYLES = ['colors', 'base', 'layout', 'cards', 'invoices', 'actions', 'plans', 'responsive'];

/** Style and script of every page; they are inlined, so that a page loads nothing but the project's logo. */
export interface Assets {
  readonly style: Html;
  readonly script: Html;
}

interface DocumentOptions {
  readonly title: string;
  readonly nonce: string;
  readonly texts: Texts;
  readonly brand: Brand;
  readonly assets: Assets;
  /** Beside the content: project, customer and the link back to the tenant. Pages without it have the project above. */
  readonly header?: Html | undefined;
  readonly content: Html;
  readonly footer?: Html | undefined;
  /** Whether nothing on it can be used. */
  readonly isPreview?: boolean | undefined;
}

/** Reads style and script from `browser/`. */
export function readAssets(): Assets {
  const read = (path: string) => readFileSync(new URL(`browser/${path}`, import.meta.url), 'utf8');
  const style = STYLES.map(name => read(`styles/${name}.css`)).join('');
  return { style: raw(style), script: raw(read('portal.js')) };
}

/** Returns a complete page. */
export function document(options: DocumentOptions): Html {
  const { title, nonce, texts, brand, assets, header, content, footer, isPreview = false } = options;
  const isNamed = brand.name !== null || brand.logoUrl !== null;
  return html`<!doctype html>
    <html lang="${texts.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <style nonce="${nonce}">
          ${assets.style}${brandStyle(brand)}
        </style>
      </head>
      <body class="${header ? 'portal' : 'plain'}" ${isPreview && html`inert`}>
        ${(header || isNamed) && html`<header>${header ?? html`<div class="lead">${brandMark(brand, '')}</div>`}</header>`}
        <main id="portal" data-texts="${scriptTexts(texts)}">${content}</main>
        ${(footer || brand.supportUrl) && html`<footer>${supportLink(brand, texts)}${footer}</footer>`}
        <div id="announcer" class="visually-hidden" aria-live="polite"></div>
        ${
          !isPreview &&
          html`<script nonce="${nonce}">
            ${assets.script};
          </script>`
        }
      </body>
    </html> `;
}

const supportLink = ({ supportUrl }: Brand, texts: Texts): Html | false =>
  supportUrl !== null && html`<p><a href="${supportUrl}" rel="noreferrer">${texts.text('getHelp')}</a></p>`;

/** The texts that the script shows, in JSON. */
function scriptTexts(texts: Texts): string {
  const shown = {
    zone: texts.text('timeZone', { zone: '{zone}' }),
    failed: texts.text('failed'),
    canceling: texts.text('canceling'),
    resuming: texts.text('resuming'),
    canceled: texts.text('cancelScheduled'),
    resumed: texts.text('resumed'),
    subscription_ended: texts.text('alreadyEnded'),
    subscription_has_schedule: texts.text('hasSchedule'),
  };
  return JSON.stringify(shown);
}
