import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  MIRRORING_SERVICES,
  PurgeFinished,
  PurgeReported,
  PurgeStarted,
  type PurgeReport,
} from '@billing/contracts/events/webhooks';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { executeBound } from '@billing/database/bound-statement';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Publish } from '@billing/messaging/outbox';
import type { Purge } from '@billing/service/purge';
import { teamSchemaName } from '#pipeline/raw-object.rules';
import { findProjects } from '#pipeline/route-rows';
import { ProcessorAccount } from './processor-account.entity.ts';

/** How long to wait for events in flight, and how often to look, in milliseconds: within the time of a preparation. */
const SETTLE_MS = 5_000;
const POLL_MS = 100;

/**
 * Starts to purge what mirrors a team's account, in the transaction that disconnects it. A purge that is under way already
 * goes on.
 */
export async function startPurge(tx: EntityManager, teamId: TeamId, publish: Publish): Promise<void> {
  const [purgeId, projectIds] = [randomUUID(), await findProjects(tx, teamId)];
  const started = await executeBound(
    tx,
    `insert into account_purges (team_id, purge_id, step, project_ids, reported, until)
     values ($1, $2, 'started', $3::text[], '{}', now()) on conflict do nothing returning 1`,
    [teamId, purgeId, projectIds],
  );
  if (started.length > 0) publish(PurgeStarted, teamId, { purgeId, projectIds });
}

/** Whether the records of a team's last account are still being deleted. */
export async function hasOpenPurge(em: EntityManager, teamId: TeamId): Promise<boolean> {
  return (await em.execute<unknown[]>(`select 1 from account_purges where team_id = ?`, [teamId])).length > 0;
}

/**
 * Takes in that a service has done its step. When every service has deleted the records, they open the team again; when
 * every service has done that, another account may be connected. Reports may come twice, late and in any order.
 */
async function recordReport(
  tx: EntityManager,
  teamId: TeamId,
  { purgeId, step, service, at }: PurgeReport,
  publish: Publish,
): Promise<void> {
  const [purge] = await executeBound<{ projectIds: ProjectId[]; untilMs: number; isDone: boolean }>(
    tx,
    `update account_purges set reported = array_remove(reported, $4) || $4::text, until = greatest(until, $5::timestamptz)
      where team_id = $1 and purge_id = $2 and step = $3
      returning project_ids as "projectIds", (extract(epoch from until) * 1000)::float8 as "untilMs", reported @> $6::text[] as "isDone"`,
    [teamId, purgeId, step, service, at, MIRRORING_SERVICES],
  );
  if (!purge?.isDone) return;
  if (step === 'started') {
    await tx.execute(`update account_purges set step = 'finished', reported = '{}' where team_id = ?`, [teamId]);
    publish(PurgeFinished, teamId, { purgeId, projectIds: purge.projectIds, until: new Date(purge.untilMs) });
  } else {
    await tx.execute(`delete from account_purges where team_id = ?`, [teamId]);
    await tx.nativeUpdate(ProcessorAccount, { teamId }, { purgedAt: new Date() });
  }
}

/** How this service itself deletes what mirrors a team's account. */
export const purgeOf = (em: EntityManager): Purge => ({
  tables: [
    'syncs',
    'catalog_runs',
    'sync_objects',
    'webhook_events',
    'webhook_event_totals',
    'routes',
    'customer_look_ups',
    'reconciliations',
    'events',
    'event_sequences',
    'webhook_deliveries',
    'delivery_attempts',
    'recoveries',
    'stored_bytes',
  ],
  kept: [
    'processor_accounts',
    'signing_secrets',
    'project_copies',
    'endpoint_leases',
    'account_purges',
    'refused_signatures',
    'event_positions',
    'webhook_endpoints',
    'endpoint_secrets',
    'endpoint_tests',
  ],
  settle: async teamId => {
    await stopDeliveries(em.fork(), teamId);
    await waitForEventsInFlight(em, teamId);
  },
  remove: async (tx, teamId) => {
    await stopDeliveries(tx, teamId);
    await tx.execute(`drop schema if exists ${tx.getPlatform().quoteIdentifier(teamSchemaName(teamId))} cascade`);
  },
});

/** Takes endpoints from whoever sends to them, who then writes nothing more; and has new events count as new ones. */
async function stopDeliveries(em: EntityManager, teamId: TeamId): Promise<void> {
  await em.execute(`update event_positions set epoch = epoch + 1 where team_id = ?`, [teamId]);
  await em.execute(`update webhook_endpoints set lease_id = null, due_at = null, sequence = 0 where team_id = ?`, [
    teamId,
  ]);
}

/** A process holds the lease of each event that it works on, and works on none after the lease has ended. */
async function waitForEventsInFlight(em: EntityManager, teamId: TeamId): Promise<void> {
  for (const deadline = performance.now() + SETTLE_MS; ;) {
    await em.fork().execute(
      `update webhook_events set due_at = null, lease_id = null, waiting_for = null
        where team_id = ? and (lease_id is null or due_at < clock_timestamp())
          and (due_at is not null or waiting_for is not null)`,
      [teamId],
    );
    const [leased] = await em
      .fork()
      .execute<unknown[]>(`select 1 from webhook_events where team_id = ? and lease_id is not null limit 1`, [teamId]);
    if (!leased) return;
    if (performance.now() > deadline) throw unavailable('Webhook events of the team are still being processed.');
    await pause(POLL_MS);
  }
}

/** Follows how far the services are with a purge. */
export const purgeReports = (): Consumer =>
  consumer('webhooks-purge-reports', 'processor-account.purge-reported.v1').on(
    PurgeReported,
    async (tx, deliveries, publish) => {
      for (const { teamId, data } of deliveries) await recordReport(tx, teamId, data, publish);
    },
  );
