import { createHash } from 'node:crypto';

interface PageParts {
  readonly style: string;
  readonly script: string;
  /** Whether the script calls this API. */
  readonly callsApi?: boolean;
}

/** Returns the Content-Security-Policy of a page: only its own style and script. */
export function pagePolicy({ style, script, callsApi = false }: PageParts): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    `default-src 'none'`,
    `style-src ${hash(style)}`,
    `script-src ${hash(script)}`,
    ...(callsApi ? [`connect-src 'self'`] : []),
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}
