import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { WebhookRecoveryId, type ProjectScope, type WebhookEndpointId } from '@billing/contracts/ids';
import { conflict, unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { WebhookRecovery } from '@billing/contracts/resources/webhook-endpoint';
import { executeBound } from '@billing/database/bound-statement';
import type { Outbox } from '@billing/messaging/outbox';
import { recordAudit } from '@billing/service/audit';
import { derivedId } from '@billing/service/derived-id';
import { callEndpoint, wants, type LeasedEndpoint } from './endpoint-rows.ts';
import { findEndpoint } from './show-endpoints.ts';

/** Events that are queued at once; the turns of the endpoint queue the others. */
const CHUNK = 2_000;
/** Deliveries that wait, from which on a recovery waits too. */
const MAX_WAITING = 2_000;
const DAY_MS = 86_400_000;

type EndpointRef = Pick<LeasedEndpoint, 'id' | 'teamId'>;

interface Wanted {
  /** When the events happened. */
  readonly since: Date;
  /** Now unless given. */
  readonly until?: Date | undefined;
  readonly only: 'failed' | 'missing' | 'all';
}

interface Parts {
  readonly outbox: Outbox;
  readonly retentionDays: number;
  readonly now: () => Date;
  /** Endpoints may have become due. */
  readonly onDue: () => void;
}

/**
 * Has past events sent to an endpoint again: those that failed for good, those that it never got, or all. What has not been
 * reached yet, or waits to be tried again, comes anyway. The same operation key starts one recovery.
 * @throws Problem 404; 409 `recovery_running`; 422 `recovery_too_old`
 */
export function recoverEvents({ outbox, retentionDays, now, onDue }: Parts) {
  return async (
    scope: ProjectScope,
    endpointId: WebhookEndpointId,
    { since, until = now(), only }: Wanted,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<WebhookRecovery> => {
    const id = derivedId(WebhookRecoveryId, operationKey, 'webhook-recovery');
    const recovery = await outbox.transaction(async (tx, publish) => {
      await findEndpoint(tx, scope, endpointId);
      if (since.getTime() < now().getTime() - retentionDays * DAY_MS)
        throw unprocessable('recovery_too_old', `Events are kept for ${retentionDays} days.`, { retentionDays });
      const created = await executeBound(
        tx,
        `with whole as (select count(*)::int as matched, max(position) as last from (${matching('$8')}) m)
         insert into recoveries (id, team_id, project_id, endpoint_id, only_which, since, until, position, to_position, matched,
                                 queued, created_at)
         select $7, $1, $2, $3, $4, $5, $6, $8, coalesce(last, 0), matched, 0, clock_timestamp() from whole
         on conflict do nothing returning 1`,
        [scope.teamId, scope.projectId, endpointId, only, since, until, id, 0],
      );
      if (created.length > 0) {
        const endpoint = { id: endpointId, teamId: scope.teamId };
        await queueChunk(tx, endpoint);
        await callEndpoint(tx, endpoint);
        recordAudit(publish, scope.teamId, context, {
          target: { type: 'webhook_endpoint', id: endpointId },
          changes: [],
        });
      }
      const [row] = await executeBound<WebhookRecovery>(
        tx,
        `select id, case when finished_at is null then 'running' else 'completed' end as status, matched, queued
           from recoveries where id = $1 and endpoint_id = $2`,
        [id, endpointId],
      );
      if (!row) throw conflict('recovery_running', 'A recovery of this endpoint is running; wait until it has ended.');
      return row;
    });
    onDue();
    return recovery;
  };
}

/** Queues the next events of the endpoint's recovery, unless much waits already, and calls the endpoint; who has the lease calls it. */
export async function continueRecovery(em: EntityManager, endpoint: EndpointRef): Promise<void> {
  const waiting = await executeBound(
    em.fork(),
    `select from webhook_deliveries
      where endpoint_id = $1 and team_id = $2 and next_attempt_at is not null limit ${MAX_WAITING}`,
    [endpoint.id, endpoint.teamId],
  );
  if (waiting.length >= MAX_WAITING) return;
  await em.fork().transactional(async tx => {
    await queueChunk(tx, endpoint);
    await callEndpoint(tx, endpoint);
  });
}

/**
 * Selects the events of a recovery behind a position, each with the delivery that is sent again, if there is one. `$1` to
 * `$6`: team, project, endpoint, which, since, until.
 */
const matching = (after: string): string => `
  select e.position, e.id, e.type, e.object_type || ' ' || e.object_id as object_key, d.id as delivery_id,
         d.created_at as delivery_at
    from webhook_endpoints w
    join events e on (e.team_id, e.project_id) = (w.team_id, w.project_id) and e.position > ${after}
                 and e.happened_at >= $5 and e.happened_at < $6 and not e.is_erased
    left join lateral (select d.id, d.status, d.created_at from webhook_deliveries d
                        where d.endpoint_id = w.id and d.position = e.position
                        order by d.created_at desc limit 1) d on true
   where (w.team_id, w.project_id, w.id) = ($1, $2, $3)
     and case when d.id is null
           then $4 <> 'failed' and e.position <= w.position and ${wants('w', 'e')}
           else case $4 when 'failed' then d.status = 'failed'
                        when 'missing' then d.status = 'canceled'
                        else d.status <> 'pending' end
         end`;

/** Queues the next events of the running recovery of an endpoint. */
async function queueChunk(tx: EntityManager, { id: endpointId, teamId }: EndpointRef): Promise<void> {
  const [recovery] = await executeBound<{
    id: string;
    projectId: string;
    onlyWhich: string;
    since: string;
    until: string;
    position: string;
    last: string;
  }>(
    tx,
    `select id, project_id as "projectId", only_which as "onlyWhich", since::text, until::text,
            position::text, to_position::text as last
       from recoveries where endpoint_id = $1 and team_id = $2 and finished_at is null for update`,
    [endpointId, teamId],
  );
  if (!recovery) return;
  const { id, projectId, onlyWhich, since, until, position, last } = recovery;
  const [done] = await executeBound<{ queued: number; last: string | null }>(
    tx,
    `with chunk as (select * from (${matching('$7')}) m where position <= $8 order by position limit ${CHUNK}),
     again as (
       update webhook_deliveries d
          set status = 'pending', failures = 0, trigger = 'recovery', next_attempt_at = clock_timestamp()
         from chunk
        where (d.endpoint_id, d.position, d.created_at) = ($3, chunk.position, chunk.delivery_at)),
     anew as (
       insert into webhook_deliveries (id, team_id, project_id, endpoint_id, position, event_id, type, object_key, status,
                                       attempts, failures, trigger, next_attempt_at, created_at)
       select 'whd_' || replace(gen_random_uuid()::text, '-', ''), $1, $2, $3, position, id, type, object_key, 'pending',
              0, 0, 'recovery', clock_timestamp(), statement_timestamp()
         from chunk where delivery_id is null)
     select count(*)::int as queued, max(position)::text as last from chunk`,
    [teamId, projectId, endpointId, onlyWhich, since, until, position, last],
  );
  const [queued, isLast] = [done?.queued ?? 0, (done?.queued ?? 0) < CHUNK];
  await executeBound(
    tx,
    `update recoveries set queued = queued + $2, position = coalesce($3::bigint, position),
            matched = case when $4 then queued + $2 else matched end,
            finished_at = case when $4 then clock_timestamp() end
      where id = $1`,
    [id, queued, done?.last ?? null, isLast],
  );
}
