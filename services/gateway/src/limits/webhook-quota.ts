import { BYTES_PER_POINT, type RateLimits } from '#auth/rate-limits.ts';
import { requireWithin } from '#http/rate-limit-headers.ts';
import type { GatewayResponse } from '#http/request-context.ts';

/** How many webhook events of a team are stored, and how many bytes. */
export interface WebhookQuota {
  /**
   * Checks that an event of `bytes` fits.
   * @throws Problem 429
   */
  check(teamId: string, bytes: number, response: GatewayResponse): void;
  /**
   * Reserves an event that is about to be forwarded. Call the returned function with whether it was stored.
   * @throws Problem 429
   */
  reserve(teamId: string, bytes: number, response: GatewayResponse): (isStored: boolean) => Promise<void>;
}

/** Events that are forwarded and have no response. */
interface InFlight {
  events: number;
  points: number;
}

/**
 * Counts what the webhooks service has stored: only events with a valid signature use up a team's quota, and others cost no
 * query. What is in flight is reserved in memory, so that no burst gets past the quota.
 */
export function webhookQuota(limits: Pick<RateLimits, 'webhookEvents' | 'webhookBytes'>): WebhookQuota {
  const inFlight = new Map<string, InFlight>();
  const pointsOf = (bytes: number): number => Math.ceil(bytes / BYTES_PER_POINT);

  function check(teamId: string, bytes: number, response: GatewayResponse): void {
    const { events, points } = inFlight.get(teamId) ?? { events: 0, points: 0 };
    const ofEvents = limits.webhookEvents.peek(teamId, events + 1);
    if (!ofEvents.isAllowed) requireWithin(response, ofEvents, teamId);
    const ofBytes = limits.webhookBytes.peek(teamId, points + pointsOf(bytes));
    if (!ofBytes.isAllowed) requireWithin(response, ofBytes, teamId);
  }

  return {
    check,
    reserve(teamId, bytes, response) {
      check(teamId, bytes, response);
      const points = pointsOf(bytes);
      const flying = inFlight.get(teamId) ?? { events: 0, points: 0 };
      inFlight.set(teamId, flying);
      flying.events += 1;
      flying.points += points;
      return async isStored => {
        try {
          if (isStored)
            await Promise.all([limits.webhookEvents.take(teamId), limits.webhookBytes.take(teamId, points)]);
        } finally {
          flying.events -= 1;
          flying.points -= points;
          if (flying.events === 0) inFlight.delete(teamId);
        }
      };
    },
  };
}
