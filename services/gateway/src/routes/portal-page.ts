import { Router } from 'express';
import { PORTAL_RETURN_COOKIE } from '@billing/contracts/resources/portal-session';
import type { RateLimits } from '#auth/rate-limits.ts';
import type { Handler } from '#http/request-context.ts';
import type { ServiceProxy } from '#proxy/service-proxy.ts';

interface Dependencies {
  readonly rateLimits: PortalTokenLimits;
  readonly proxy: Pick<ServiceProxy, 'forward'>;
}

/** The limits that protect portal tokens from guessing. */
export type PortalTokenLimits = Pick<RateLimits, 'checkPortalTokens' | 'countBadPortalToken'>;

/** The customer portal's page and its assets, which are not declared operations. */
export function portalPageRoutes({ rateLimits, proxy }: Dependencies): Router {
  const page: Handler = (request, response, next) =>
    proxy.forward(request, response, next, {
      service: 'portal',
      principal: { kind: 'anonymous' },
      body: 'json',
      cookie: PORTAL_RETURN_COOKIE,
      onStatus: countUnknownTokens(rateLimits, request.ip),
    });
  const limit = limitPortalTokens(rateLimits);
  // Without JavaScript the page's actions are forms, sent by POST.
  return Router({ caseSensitive: true, strict: true })
    .get('/portal/*rest', limit, page)
    .post('/portal/*rest', limit, page);
}

/** Rejects an address that sent too many unknown tokens. */
export function limitPortalTokens(rateLimits: Pick<RateLimits, 'checkPortalTokens'>): Handler {
  return async (request, _response, next) => {
    await rateLimits.checkPortalTokens(request.ip ?? '');
    next();
  };
}

/** Counts each 404 of the portal as a guessed token. */
export function countUnknownTokens(rateLimits: Pick<RateLimits, 'countBadPortalToken'>, address = '') {
  return (status: number): void => {
    if (status === 404) void rateLimits.countBadPortalToken(address);
  };
}
