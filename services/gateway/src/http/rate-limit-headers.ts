import type { OutgoingHttpHeaders } from 'node:http';
import { metrics } from '@opentelemetry/api';
import { Problem } from '@billing/contracts/problem';
import type { Principal } from '@billing/service/identity-token';
import type { Usage } from '#limits/shared-limit.ts';
import type { GatewayResponse } from './request-context.ts';

/**
 * Tells the caller how much of a limit is left; of several limits, the one with the least. `teamId` is for metrics, where the
 * caller is no principal.
 * @throws Problem 429 with the time to wait when nothing is left
 */
export function requireWithin(response: GatewayResponse, usage: Usage, teamId?: string): void {
  const { isAllowed, limit, remaining, msLeft } = usage;
  const secondsLeft = Math.max(1, Math.ceil(msLeft / 1_000));
  const lowest = response.get('X-RateLimit-Remaining');
  if (!isAllowed || lowest === undefined || remaining < Number(lowest))
    response.set({
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(isAllowed ? remaining : 0),
      'X-RateLimit-Reset': String(secondsLeft),
    });
  if (!isAllowed) throw refusal(response, { limit: usage.name, secondsLeft, teamId });
}

/**
 * Refuses a request for what is no limit in a window: its response has the headers of none.
 * @throws Problem 429
 */
export function refuse(response: GatewayResponse, limit: string): never {
  hideRateLimits(response);
  throw refusal(response, { limit, secondsLeft: 1 });
}

function refusal(
  response: GatewayResponse,
  { limit, secondsLeft, teamId }: { limit: string; secondsLeft: number; teamId?: string | undefined },
): Problem {
  countRefusal(limit, teamId ?? teamOf(response.locals.principal));
  const message = 'Too many requests; try again later.';
  return new Problem('rate_limited', 'rate_limited', message, { retryAfterSeconds: secondsLeft });
}

/** Counts a refusal by limit, and by team where it is known whose request it is. */
export function countRefusal(limit: string, teamId: string | null | undefined): void {
  refusals().add(1, { limit, ...(teamId && { 'billing.team.id': teamId }) });
}

const refusals = () =>
  metrics.getMeter('billing.gateway').createCounter('billing.gateway.refusals', {
    description: 'Requests beyond a rate limit or quota, which got 429.',
  });

/** So that the first refusal of a limit is an increase. */
export const startCountingRefusals = (limits: readonly string[]): void =>
  limits.forEach(limit => refusals().add(0, { limit }));

const teamOf = (principal: Principal | undefined) =>
  principal && principal.kind !== 'anonymous' ? principal.teamId : undefined;

const HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const;

/** Returns the headers of the limits that a response has so far. */
export const rateLimitHeaders = (response: GatewayResponse): OutgoingHttpHeaders =>
  Object.fromEntries(
    HEADERS.flatMap(name => {
      const value = response.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Takes the headers of limits off a response: another one refuses than they are about. */
export const hideRateLimits = (response: GatewayResponse): void => HEADERS.forEach(name => response.removeHeader(name));
