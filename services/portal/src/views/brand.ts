import { html, raw } from 'hono/html';
import { brandColors, type BrandColors } from '#domain/brand-colors.ts';
import type { Brand } from '#operations/find-brand.ts';
import { firstLetter } from './format/text.ts';
import type { Html } from './html.ts';

/** Of a page of which no project is known. */
export const NO_BRAND: Brand = { name: null, logoUrl: null, accentColor: null, supportUrl: null };

/**
 * Returns the logo and name of a project. The logo's box has its size before the logo is there. Where it cannot be shown, the
 * style sheet shows its letter instead: browsers show what is generated for an image only then. Safari needs the script.
 */
export function brandMark({ name, logoUrl }: Brand, otherwise: string): Html {
  const shown = name ?? otherwise;
  const letter = firstLetter(shown);
  const logo = logoUrl !== null && html`<img src="${logoUrl}" alt="" width="32" height="32" data-letter="${letter}" />`;
  return html`<div class="brand">
    <span class="mark" aria-hidden="true">${logo || letter}</span>
    ${shown !== '' && html`<p class="project"><bdi>${shown}</bdi></p>`}
  </div>`;
}

/** Returns the rules of a brand's colours, in both schemes; none when it has no colour of its own. */
export function brandStyle({ accentColor }: Brand): Html | null {
  if (accentColor === null) return null;
  const { light, dark } = brandColors(accentColor);
  // Made of numbers: nothing of the colour as it was given.
  return raw(`:root{${variables(light)}}@media (prefers-color-scheme: dark){:root{${variables(dark)}}}`);
}

const variables = ({ accent, fill, fillHover }: BrandColors): string =>
  `--accent:${accent};--fill:${fill};--fill-hover:${fillHover}`;
