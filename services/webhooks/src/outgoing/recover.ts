import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { WebhookRecoveryId, type ProjectScope, type WebhookEndpointId } from '@billing/contracts/ids';
import { conflict, invalid, Problem, unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { WebhookRecovery } from '@billing/contracts/resources/webhook-endpoint';
import { executeBound } from '@billing/database/bound-statement';
import type { Outbox } from '@billing/messaging/outbox';
import type { TeamReads } from '@billing/service/team-reads';
import { recordAudit } from '@billing/service/audit';
import { derivedId } from '@billing/service/derived-id';
import { countBytes } from '../stored-bytes.ts';
import { NEW_DELIVERY } from './commit-deliveries.ts';
import { callEndpoint, wants, type LeasedEndpoint } from './endpoint-rows.ts';
import { findEndpoint } from './show-endpoints.ts';
import { isFull } from './waiting-deliveries.ts';

/** Events that are queued at once, and positions that are looked through for them; the turns of the endpoint go on. */
const [CHUNK, WINDOW] = [2_000, 5_000];
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
 * @throws Problem 400 for a `since` that is still to come; 404; 409 `recovery_running`; 422 `recovery_too_old`
 */
export function recoverEvents({ outbox, retentionDays, now, onDue }: Parts) {
  return async (
    scope: ProjectScope,
    endpointId: WebhookEndpointId,
    { since, until = now(), only }: Wanted,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<WebhookRecovery> => {
    if (since > now()) throw invalid([{ path: 'since', message: 'Is still to come; give a time that is past.' }]);
    const id = derivedId(WebhookRecoveryId, operationKey, 'webhook-recovery');
    const recovery = await outbox.transaction(async (tx, publish) => {
      await findEndpoint(tx, scope, endpointId);
      if (since.getTime() < now().getTime() - retentionDays * DAY_MS)
        throw unprocessable('recovery_too_old', `Events are kept for ${retentionDays} days.`, { retentionDays });
      // Before anything is counted: another one of the endpoint is refused at once.
      const claimed = await executeBound(
        tx,
        `insert into recoveries (id, team_id, project_id, endpoint_id, only_which, since, until, position, to_position, matched,
                                 queued, created_at)
         select $7, $1, $2, $3, $4, $5, $6, coalesce((${BEFORE_SINCE}), newest), newest, 0, 0, clock_timestamp()
           from (select coalesce(max(position), 0) as newest from event_positions where team_id = $1 and project_id = $2) p
         on conflict do nothing returning 1`,
        [scope.teamId, scope.projectId, endpointId, only, since, until, id],
      );
      if (claimed.length > 0) {
        const endpoint = { id: endpointId, teamId: scope.teamId };
        await callEndpoint(tx, endpoint);
        await queueChunk(tx, endpoint);
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

/**
 * Queues the next events of the endpoint's recovery, unless much waits already, and calls the endpoint; only who has its lease
 * may do so. Returns whether it went on; it does not either while the team's reads have no place for it.
 */
export const continueRecovery =
  (reads: TeamReads) =>
  async (endpoint: EndpointRef): Promise<boolean> => {
    try {
      return await reads(endpoint.teamId, async em => {
        if (await isFull(em.fork(), endpoint)) return false;
        await em.fork().transactional(async tx => {
          await callEndpoint(tx, endpoint);
          await queueChunk(tx, endpoint);
        });
        return true;
      });
    } catch (err) {
      if (err instanceof Problem && err.kind === 'rate_limited') return false;
      throw err;
    }
  };

/**
 * Selects the position before the first event that may have happened since `$5`, of the team `$1` and the project `$2`. It was
 * recorded later, but for a difference of clocks; of a day's partition the first row is found without reading the others.
 */
const BEFORE_SINCE = `
  select position - 1 from events
   where team_id = $1 and project_id = $2 and recorded_at >= date_trunc('day', $5::timestamptz - interval '1 hour', 'UTC')
   order by position limit 1`;

/**
 * Selects the events of a recovery behind the position `$7` and up to `$8`, each with the delivery that is sent again, if there
 * is one; it came after its event was recorded. `$1` to `$6`: team, project, endpoint, which, since, until.
 */
const MATCHES = `
  select e.position, e.id, e.type, e.object_type || ' ' || e.object_id as object_key, d.id as delivery_id,
         d.created_at as delivery_at
    from webhook_endpoints w
    join events e on (e.team_id, e.project_id) = (w.team_id, w.project_id) and e.position > $7 and e.position <= $8
                 and e.happened_at >= $5 and e.happened_at < $6 and not e.is_erased
    left join lateral (select d.id, d.status, d.created_at from webhook_deliveries d
                        where d.endpoint_id = w.id and d.position = e.position
                          and d.created_at > e.recorded_at - interval '1 hour'
                        order by d.created_at desc limit 1) d on true
   where (w.team_id, w.project_id, w.id) = ($1, $2, $3)
     and case when d.id is null
           then $4 <> 'failed' and e.position <= w.position and ${wants('w', 'e')}
           else case $4 when 'failed' then d.status = 'failed'
                        when 'missing' then d.status = 'canceled'
                        else d.status <> 'pending' end
         end`;

interface RunningRecovery {
  readonly id: string;
  readonly projectId: string;
  readonly onlyWhich: string;
  readonly since: string;
  readonly until: string;
  readonly position: number;
  readonly last: number;
}

/**
 * Queues the next events of the running recovery of an endpoint, which the transaction has locked. What it has matched is known as
 * far as it has looked.
 */
async function queueChunk(tx: EntityManager, { id: endpointId, teamId }: EndpointRef): Promise<void> {
  const [recovery] = await executeBound<RunningRecovery>(
    tx,
    `select id, project_id as "projectId", only_which as "onlyWhich", since::text, until::text,
            position::float8 as position, to_position::float8 as last
       from recoveries where endpoint_id = $1 and team_id = $2 and finished_at is null for update`,
    [endpointId, teamId],
  );
  if (!recovery) return;
  const { id, projectId, onlyWhich, since, until, position, last } = recovery;
  const end = Math.min(position + WINDOW, last);
  const [found] = await executeBound<{ matched: number; queued: number; queuedUpTo: number | null }>(
    tx,
    `with matches as materialized (${MATCHES}),
     chunk as (select * from matches order by position limit ${CHUNK}),
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
         from chunk where delivery_id is null
       returning ${NEW_DELIVERY}),
     counted as (${countBytes('anew')})
     select (select count(*)::int from matches) as matched, count(*)::int as queued, max(position)::float8 as "queuedUpTo" from chunk`,
    [teamId, projectId, endpointId, onlyWhich, since, until, position, end],
  );
  const { matched, queued, queuedUpTo } = found ?? { matched: 0, queued: 0, queuedUpTo: null };
  const reached = queued < matched && queuedUpTo !== null ? queuedUpTo : end;
  await executeBound(
    tx,
    `update recoveries set position = $2, matched = queued + $3, queued = queued + $4,
            finished_at = case when $2 >= to_position then clock_timestamp() end
      where id = $1`,
    [id, reached, matched, queued],
  );
}
