import { randomBytes } from 'node:crypto';
import { imageUrl } from '@billing/contracts/text';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { processorOrigins } from '#domain/processor-link.ts';

/** Protects paths that contain a token: no response may be cached, indexed, sniffed, or sent to other sites as referrer. */
export async function addPrivacyHeaders(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'x-content-type-options': 'nosniff',
  });
}

/** Creates a nonce: the browser uses only the style and script that carry it. */
export const createNonce = (): string => randomBytes(16).toString('base64');

interface PolicyOptions {
  readonly nonce: string;
  readonly processorBaseUrl: string | undefined;
  readonly logoUrl: string | null;
  readonly isPreview?: boolean | undefined;
}

/**
 * Allows the page its own style, script, forms and requests, forms that redirect to the processor, and the project's logo. A
 * preview is allowed its style and the logo, in a frame of this origin.
 */
export function contentSecurityPolicy({ nonce, processorBaseUrl, logoUrl, isPreview }: PolicyOptions): string {
  // Browsers apply form-action to redirects after a form was sent, too.
  const actions = [
    `script-src 'nonce-${nonce}'`,
    `connect-src 'self'`,
    `form-action 'self' ${processorOrigins(processorBaseUrl).join(' ')}`,
    `frame-ancestors 'none'`,
  ];
  const none = [`form-action 'none'`, `frame-ancestors 'self'`, 'sandbox'];
  return [
    `default-src 'none'`,
    `style-src 'nonce-${nonce}'`,
    ...imageSource(logoUrl),
    `base-uri 'none'`,
    ...(isPreview ? none : actions),
  ].join('; ');
}

/** Allows images of the logo's origin; of none for an address that could add a directive of its own. */
const imageSource = (logoUrl: string | null): string[] =>
  logoUrl !== null && imageUrl.safeParse(logoUrl).success ? [`img-src ${new URL(logoUrl).origin}`] : [];
