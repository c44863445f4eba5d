import { createHash } from 'node:crypto';

interface PageParts {
  readonly style: string;
  readonly script: string;
}

/** Returns the Content-Security-Policy of a page: only its own style and script. */
export function pagePolicy({ style, script }: PageParts): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    `default-src 'none'`,
    `style-src ${hash(style)}`,
    `script-src ${hash(script)}`,
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

/** The Content-Security-Policy of a page whose scripts, styles, fonts, images and frames are of this origin. */
export const filesPolicy = policyOfFiles(`'self'`);

/** That of the API reference, whose styles contain small images as data. */
export const docsPolicy = policyOfFiles(`'self' data:`);

function policyOfFiles(images: string): string {
  return [
    `default-src 'none'`,
    ...['style-src', 'script-src', 'font-src', 'connect-src', 'form-action'].map(source => `${source} 'self'`),
    `img-src ${images}`,
    `frame-src 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}
