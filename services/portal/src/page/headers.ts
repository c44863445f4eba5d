import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { processorOrigins } from '#domain/processor-link.ts';

/** A path here holds a token: no answer may be kept, told to other sites as referrer, indexed, or taken for another type. */
export async function keepPrivate(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'x-content-type-options': 'nosniff',
  });
}

/** A number used once: only the style and script that carry it are run. */
export const createNonce = (): string => randomBytes(16).toString('base64');

/** Allows a page its own style and script, its own forms and requests, and nothing else at all. */
export function contentSecurityPolicy(nonce: string, processorBaseUrl: string | undefined): string {
  // Browsers apply form-action to where a form's answer redirects as well.
  return [
    `default-src 'none'`,
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    `connect-src 'self'`,
    `form-action 'self' ${processorOrigins(processorBaseUrl).join(' ')}`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}
