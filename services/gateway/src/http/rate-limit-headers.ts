import type { OutgoingHttpHeaders } from 'node:http';
import { Problem } from '@billing/contracts/problem';
import type { Usage } from '#limits/shared-limit.ts';
import type { GatewayResponse } from './request-context.ts';

/**
 * Tells the caller how much of a limit is left; of several limits, the one with the least.
 * @throws Problem 429 with the time to wait when nothing is left
 */
export function requireWithin(response: GatewayResponse, usage: Usage): void {
  const { isAllowed, limit, remaining, msLeft } = usage;
  const secondsLeft = Math.max(1, Math.ceil(msLeft / 1_000));
  const lowest = response.get('X-RateLimit-Remaining');
  if (!isAllowed || lowest === undefined || remaining < Number(lowest))
    response.set({
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(isAllowed ? remaining : 0),
      'X-RateLimit-Reset': String(secondsLeft),
    });
  if (!isAllowed)
    throw new Problem('rate_limited', 'rate_limited', 'Too many requests; try again later.', {
      retryAfterSeconds: secondsLeft,
    });
}

/** Returns the headers of the limits that a response has so far. */
export const rateLimitHeaders = (response: GatewayResponse): OutgoingHttpHeaders =>
  Object.fromEntries(
    ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'].flatMap(name => {
      const value = response.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
