import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { invalid, PROBLEM_HEADER } from '@billing/contracts/problem';
import { PORTAL_RETURN_COOKIE } from '@billing/contracts/resources/portal-session';
import { semaphore, type Semaphore } from '@billing/messaging/semaphore';
import { hashedKey, type RateLimits } from '#auth/rate-limits.ts';
import { findCookie } from '#domain/browser-headers.ts';
import { refuse, requireWithin } from '#http/rate-limit-headers.ts';
import type { GatewayResponse } from '#http/request-context.ts';

/** Requests with links that this copy has not seen work, at a time and address. */
const PERMITS = 8;
/** Further requests of one address that wait for a permit; more get 429. */
const MAX_WAITING = 1_000;
/** Links in memory that worked lately. */
const MAX_LINKS = 20_000;

/** Called with the portal's response before the caller gets it; a rejection replaces it. */
export type InspectResponse = (upstream: IncomingMessage) => Promise<void>;

/**
 * Admits a request to the portal, once its body has arrived.
 * @throws Problem 429 for a valid link over its limits, or when too many requests of the address wait
 */
export type AdmitToPortal = (request: Request, response: GatewayResponse) => Promise<InspectResponse>;

/**
 * Limits what each valid link may do, and guessing. Only the portal knows whether a link is valid, so it gets each request,
 * and a bad link of an address over its limit then gets 429 instead of 404: a good link behind the same address is not
 * refused. Such an address gets one look at a time for links that have not worked before.
 */
export function portalAdmission(
  rateLimits: Pick<RateLimits, 'portalLink' | 'portalSetup' | 'badPortalTokens'>,
): AdmitToPortal {
  const workingLinks = new LRUCache<string, true>({ max: MAX_LINKS });
  const byAddress = new Map<string, Semaphore>();

  async function takeFor(request: Request, link: string) {
    const usages = [await rateLimits.portalLink.take(link)];
    if (startsSetup(request)) usages.push(await rateLimits.portalSetup.take(link));
    return usages;
  }

  /** Waits for its turn, in which an address over its limit is alone; the link may have proved to work meanwhile. */
  async function enter(response: GatewayResponse, address: string): Promise<void> {
    const usage = rateLimits.badPortalTokens.peek(address);
    const limit = byAddress.get(address) ?? semaphore(PERMITS, { maxWaiting: MAX_WAITING });
    byAddress.set(address, limit);
    const release = await limit.acquire(usage.isAllowed ? 1 : PERMITS).catch(() => undefined);
    if (!release) return refuse(response, 'waitingPortalLinks');
    const leave = () => {
      release();
      if (limit.isIdle()) byAddress.delete(address);
    };
    if (!response.destroyed) return void response.once('close', leave);
    leave();
    throw invalid([{ path: '', message: 'The connection was closed.' }]);
  }

  return async (request, response) => {
    const { addressGroup: address } = response.locals;
    const link = linkOf(request);
    if (link !== undefined && !workingLinks.has(link)) await enter(response, address);
    const isKnown = link !== undefined && workingLinks.has(link);
    if (isKnown) for (const usage of await takeFor(request, link)) requireWithin(response, usage);

    return async ({ headers, statusCode = 0 }) => {
      if (headers[PROBLEM_HEADER] === 'portal_link_expired') {
        if (link !== undefined) workingLinks.delete(link);
        const usage = await rateLimits.badPortalTokens.take(address);
        if (!usage.isAllowed) requireWithin(response, usage);
      } else if (link !== undefined && !isKnown && statusCode < 400) {
        workingLinks.set(link, true);
        await takeFor(request, link);
      }
    };
  };
}

/** Returns the link of a request as a key: the token in its path or in the cookie of a return from the processor, or a draft. */
function linkOf({ path, query, headers }: Request): string | undefined {
  const token = /^(?:\/api)?\/portal\/([^/]+)/.exec(path)?.[1];
  const secret =
    token === 'return'
      ? findCookie(PORTAL_RETURN_COOKIE, headers.cookie)
      : token === 'preview'
        ? query['draft']
        : token;
  return typeof secret === 'string' ? hashedKey(secret) : undefined;
}

/** Whether a request opens a page of the processor: by the page's script, or by its form. */
const startsSetup = ({ method, path }: Request): boolean =>
  method === 'POST' && /\/(?:setup-intent|payment-method)$/.test(path);
