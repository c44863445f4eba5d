import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { invalid, PROBLEM_HEADER } from '@billing/contracts/problem';
import { PORTAL_RETURN_COOKIE } from '@billing/contracts/resources/portal-session';
import { hashedKey, type RateLimits } from '#auth/rate-limits.ts';
import { addressGroup } from '#domain/address-group.ts';
import { findCookie } from '#domain/browser-headers.ts';
import { requireWithin } from '#http/rate-limit-headers.ts';
import type { GatewayResponse } from '#http/request-context.ts';
import { recentKeys } from './recent-keys.ts';
import { createSlots } from './slots.ts';

/** Requests with links that this copy has not seen work, at a time and address. */
const SLOTS = 8;
/** The same for an address that sent too many bad links. */
const SLOTS_OVER_LIMIT = 1;
/** Further requests of one address that wait for a slot; more get 429. */
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
 * Limits what each valid link may do, and guessing. Only the portal knows whether a link is valid, so it is asked, and a
 * bad link of an address over its limit then gets 429 instead of 404: a good link behind the same address is not refused.
 * Such an address gets one look at a time for links that have not worked before.
 */
export function portalAdmission(
  rateLimits: Pick<RateLimits, 'portalLink' | 'portalSetup' | 'badPortalTokens'>,
): AdmitToPortal {
  const workingLinks = recentKeys(MAX_LINKS);
  const slots = createSlots({ maxWaiting: MAX_WAITING });

  async function takeFor(request: Request, link: string) {
    const usages = [await rateLimits.portalLink.take(link)];
    if (startsSetup(request)) usages.push(await rateLimits.portalSetup.take(link));
    return usages;
  }

  /** Waits for a slot; the link may have proved to work meanwhile. */
  async function enter(response: GatewayResponse, address: string): Promise<void> {
    const usage = rateLimits.badPortalTokens.peek(address);
    const leave = await slots.enter(address, usage.isAllowed ? SLOTS : SLOTS_OVER_LIMIT);
    if (!leave) requireWithin(response, { ...usage, isAllowed: false });
    else if (!response.destroyed) response.once('close', leave);
    else {
      leave();
      throw invalid([{ path: '', message: 'The connection was closed.' }]);
    }
  }

  return async (request, response) => {
    const address = addressGroup(request.ip ?? '');
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
        workingLinks.add(link);
        await takeFor(request, link);
      }
    };
  };
}

/** Returns the link of a request as a key: the token in its path, or in the cookie of a return from the processor. */
function linkOf({ path, headers }: Request): string | undefined {
  const token = /^(?:\/api)?\/portal\/([^/]+)/.exec(path)?.[1];
  const secret = token === 'return' ? findCookie(PORTAL_RETURN_COOKIE, headers.cookie) : token;
  return secret === undefined ? undefined : hashedKey(secret);
}

/** Whether a request opens a page of the processor: by the page's script, or by its form. */
const startsSetup = ({ method, path }: Request): boolean =>
  method === 'POST' && /\/(?:setup-intent|payment-method)$/.test(path);
