import type { EntityManager } from '@mikro-orm/postgresql';
import { Problem } from '@billing/contracts/problem';
import { executeBound } from '@billing/database/bound-statement';
import type { LeasedEndpoint } from './endpoint-rows.ts';

/** Deliveries that wait for an endpoint, from which on a recovery waits too, and none is added by hand. */
const MAX_WAITING = 2_000;

type EndpointRef = Pick<LeasedEndpoint, 'id' | 'teamId'>;

/** Returns whether so many deliveries wait for an endpoint that no more are queued but those that its events bring. */
export async function isFull(em: EntityManager, { id, teamId }: EndpointRef): Promise<boolean> {
  const waiting = await executeBound(
    em,
    `select from webhook_deliveries
      where endpoint_id = $1 and team_id = $2 and next_attempt_at is not null limit ${MAX_WAITING}`,
    [id, teamId],
  );
  return waiting.length >= MAX_WAITING;
}

/**
 * Checks that a delivery may be added by hand to what waits for an endpoint.
 * @throws Problem 429 while very many wait
 */
export async function requireRoom(em: EntityManager, endpoint: EndpointRef): Promise<void> {
  if (!(await isFull(em, endpoint))) return;
  const message = `At least ${MAX_WAITING} deliveries wait for the endpoint; try again once some of them are sent.`;
  throw new Problem('rate_limited', 'rate_limited', message, { retryAfterSeconds: 60 });
}
