import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { fieldsOf } from '@billing/contracts/fields-of';
import type { ProjectScope, WebhookEndpointId } from '@billing/contracts/ids';
import type { Page, Pagination } from '@billing/contracts/pagination';
import { notFound } from '@billing/contracts/problem';
import {
  webhookEndpoint,
  type WebhookEndpoint as EndpointResource,
} from '@billing/contracts/resources/webhook-endpoint';
import { executeBound } from '@billing/database/bound-statement';
import { findNewest } from '@billing/database/find-newest';
import { WebhookEndpoint } from './webhook-endpoint.entity.ts';
import { wants } from './endpoint-rows.ts';
import { findShownSecrets } from './endpoint-secrets.ts';

/** How far waiting events are counted. */
const MAX_LAG = 10_000;

/**
 * Finds an endpoint of the project.
 * @throws Problem 404
 */
export async function findEndpoint(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  id: WebhookEndpointId,
): Promise<WebhookEndpoint> {
  return requireFound(await em.findOne(WebhookEndpoint, { id, teamId, projectId }));
}

/**
 * Finds an endpoint of the project, and locks it until the transaction ends.
 * @throws Problem 404
 */
export async function lockEndpoint(
  tx: EntityManager,
  { teamId, projectId }: ProjectScope,
  id: WebhookEndpointId,
): Promise<WebhookEndpoint> {
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  return requireFound(await tx.findOne(WebhookEndpoint, { id, teamId, projectId }, { lockMode }));
}

function requireFound<Found>(found: Found | null | undefined): Found {
  if (!found) throw notFound('webhook_endpoint');
  return found;
}

/** Lists a project's endpoints, newest first. */
export async function listEndpoints(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  page: Page,
): Promise<{ webhookEndpoints: EndpointResource[]; pagination: Pagination }> {
  const fork = em.fork();
  const [rows, pagination] = await findNewest(fork, WebhookEndpoint, { teamId, projectId }, page);
  return { webhookEndpoints: await showEndpoints(fork, rows), pagination };
}

/** Returns an endpoint as callers see it. */
export async function showEndpoint(em: EntityManager, row: WebhookEndpoint): Promise<EndpointResource> {
  const [shown] = await showEndpoints(em, [row]);
  return requireFound(shown);
}

/** Returns endpoints as callers see them. */
async function showEndpoints(em: EntityManager, rows: readonly WebhookEndpoint[]): Promise<EndpointResource[]> {
  const ids = rows.map(({ id }) => id);
  const [secrets, lags] = [await findShownSecrets(em, ids), await findLags(em, ids)];
  return rows.map(row =>
    fieldsOf(webhookEndpoint, row, {
      eventTypes: row.eventTypes as EndpointResource['eventTypes'], // they were checked when they were saved
      lag: lags.get(row.id) ?? { events: 0, oldestAt: null },
      secrets: [...(secrets.get(row.id) ?? [])],
    }),
  );
}

/** What waits for endpoints: events behind the cursor that they want and have no delivery, and deliveries that are tried again. */
async function findLags(em: EntityManager, ids: readonly WebhookEndpointId[]) {
  const rows = await executeBound<{ id: string; events: number; oldestAt: Date | null }>(
    em,
    `select e.id, least(greatest(waiting.count - ahead.count, 0) + retried.count, ${MAX_LAG}) as events, least(waiting.oldest, retried.oldest) as "oldestAt"
       from webhook_endpoints e
       cross join lateral (
         select count(*)::int as count, min(happened_at) as oldest
           from (select type, happened_at, is_from_sync from events v
                  where (v.team_id, v.project_id) = (e.team_id, e.project_id) and v.position > e.position
                  order by v.position limit ${MAX_LAG}) v
          where ${wants('e', 'v')}) waiting
       cross join lateral (
         select count(*)::int as count from webhook_deliveries d
          where d.endpoint_id = e.id and d.position > e.position) ahead
       cross join lateral (
         select count(*)::int as count, min(created_at) as oldest
           from (select d.created_at from webhook_deliveries d
                  where d.endpoint_id = e.id and d.next_attempt_at is not null limit ${MAX_LAG}) d) retried
      where e.id = any($1::text[])`,
    [ids],
  );
  return new Map(
    rows.map(({ id, events, oldestAt }) => [id, { events, oldestAt: oldestAt && new Date(oldestAt) }] as const),
  );
}
