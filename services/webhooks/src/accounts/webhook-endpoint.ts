import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { Problem, unavailable } from '@billing/contracts/problem';
import { isHandled, PROCESSOR_EVENT_OWNERS } from '@billing/contracts/processor-events';
import { isMissing, missingPermission } from '@billing/processor/errors';
import type { Processor } from '@billing/processor/port';
import type { Logger } from 'pino';

/** Longer than the few calls to Stripe may take; after a crash the next request waits so long at most, in seconds. */
const LEASE_SECONDS = 60;
/** How long a request waits for another one, in milliseconds. */
const WAIT_MS = 10_000;
const POLL_MS = 100;

/**
 * Makes a webhook endpoint for a team at Stripe, for every type that is handled; its metadata mark it as ours. Only the
 * response to this has its secret.
 * @throws Problem 422 `webhook_endpoint_not_permitted`; 502 or 503
 */
export async function createEndpoint(
  processor: Processor,
  teamId: TeamId,
  url: string,
): Promise<{ readonly id: string; readonly secret: string }> {
  const types = Object.keys(PROCESSOR_EVENT_OWNERS).filter(isHandled);
  try {
    return await processor.createWebhookEndpoint({ url, types, metadata: { teamId } }, `endpoint:${randomUUID()}`);
  } catch (err) {
    const permission = missingPermission(err);
    if (permission === null) throw err;
    throw new Problem(
      'unprocessable',
      'webhook_endpoint_not_permitted',
      `The secret key may not create webhook endpoints: give it the permission ${permission}, or create an endpoint in the Stripe Dashboard and connect with its signing secret.`,
      { details: { permission }, cause: err },
    );
  }
}

interface OwnEndpoint {
  readonly id: string;
  readonly teamId: TeamId;
  readonly logger: Logger;
}

/** Deletes the endpoints that this service made for a team but one, also those that a crash left behind. */
export async function deleteOtherEndpoints(
  processor: Processor,
  { id: kept, teamId, logger }: OwnEndpoint,
): Promise<void> {
  try {
    const marked = (await processor.listWebhookEndpoints()).filter(({ metadata }) => metadata['teamId'] === teamId);
    for (const { id } of marked) if (id !== kept) await deleteEndpoint(processor, { id, teamId, logger });
  } catch (err) {
    logger.warn({ err, teamId }, 'webhook endpoints of earlier connections not found');
  }
}

/**
 * Deletes an endpoint that this service made. One that stays behind does no harm: its events are refused, and the next
 * connection deletes it. So a failure is only logged.
 */
export async function deleteEndpoint(processor: Processor, { id, teamId, logger }: OwnEndpoint): Promise<void> {
  await processor.deleteWebhookEndpoint(id).catch((err: unknown) => {
    if (!isMissing(err)) logger.warn({ err, teamId, endpointId: id }, 'webhook endpoint not deleted');
  });
}

/**
 * Runs work on a team's webhook endpoints at Stripe while no other request does: two that made and deleted endpoints at the
 * same time would delete each other's.
 * @throws Problem `unavailable` while another request works on them; what `work` throws
 */
export async function withEndpointLease<Result>(
  em: EntityManager,
  teamId: TeamId,
  work: () => Promise<Result>,
): Promise<Result> {
  const leaseId = randomUUID();
  const deadline = performance.now() + WAIT_MS;
  while (!(await lease(em, teamId, leaseId))) {
    if (performance.now() > deadline) throw unavailable('Another request connects or disconnects the processor.', 5);
    await pause(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await em.fork().execute(`delete from endpoint_leases where team_id = ? and lease_id = ?`, [teamId, leaseId]);
  }
}

async function lease(em: EntityManager, teamId: TeamId, leaseId: string): Promise<boolean> {
  const rows = await em.fork().execute<unknown[]>(
    `insert into endpoint_leases as held (team_id, lease_id, leased_until)
     values (?, ?, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}))
     on conflict (team_id) do update set lease_id = excluded.lease_id, leased_until = excluded.leased_until
      where held.leased_until < clock_timestamp()
     returning 1`,
    [teamId, leaseId],
  );
  return rows.length > 0;
}
