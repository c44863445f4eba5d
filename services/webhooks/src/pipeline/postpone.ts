import type { EntityManager } from '@mikro-orm/postgresql';
import { isUnavailable } from '@billing/messaging/consumer/dead-letter';
import { failureReason } from '@billing/messaging/failure-reason';
import { executeBound } from '@billing/database/bound-statement';
import type { Outbox } from '@billing/messaging/outbox';
import { FOREIGN, pauseAfter } from './unrouted.rules.ts';
import { CHANGE_COLUMNS, countChanges, former, type Change } from './event-totals.ts';
import { toLeasedKey, type LeasedEvent, type LeaseKey } from './lease.ts';

/** How long to wait for something that is unavailable, in seconds. */
const UNAVAILABLE_SECONDS = 2;

/**
 * Releases events to be tried again after their pause; after the last one they have failed, and can be replayed. They go on
 * when a route of what they name is saved.
 */
export async function postpone(
  outbox: Outbox,
  events: readonly LeasedEvent[],
  error: string,
  pausesMs: readonly number[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(event => ({
    ...toLeasedKey(event),
    attempt: attemptOf(event),
    pause_ms: pauseAfter(attemptOf(event), pausesMs),
    waiting_for: event.hints.references.map(({ id }) => id),
  }));
  await outbox.transaction(async (tx, publish) => {
    const changes = await executeBound<Change>(
      tx,
      `with u as materialized (
         select * from json_to_recordset($1::json) as
                u(team_id text, id text, lease_id uuid, attempt int, pause_ms float8, waiting_for text[])),
       ${former('e.team_id = u.team_id and e.id = u.id and e.lease_id = u.lease_id', 'cross join u')}
       update webhook_events e
          set lease_id = null, error = $2, attempts = u.attempt, routing_attempts = u.attempt,
              due_at = clock_timestamp() + make_interval(secs => u.pause_ms / 1000.0),
              waiting_for = u.waiting_for,
              status = case when u.pause_ms is null then 'failed' else e.status end,
              processed_at = case when u.pause_ms is null then clock_timestamp() end
         from former f join u using (team_id, id)
        where e.team_id = f.team_id and e.id = f.id
       returning ${CHANGE_COLUMNS}`,
      [JSON.stringify(rows), error],
    );
    await countChanges(tx, publish, changes);
  });
}

/**
 * Ends an event without a project: `ignored` if it belongs to nobody here, `processed` if no more is wanted than its object in
 * the team's schema. Returns false, with nothing changed, if one to ignore has not waited yet: from the time it waits, no
 * route can be saved without making it due (`saveRoutes`).
 */
export function endUnrouted(outbox: Outbox, event: LeasedEvent, status: 'ignored' | 'processed'): Promise<boolean> {
  const error = status === 'ignored' ? FOREIGN : null;
  return outbox.transaction(async (tx, publish) => {
    const changes = await executeBound<Change>(
      tx,
      `with ${former(`e.team_id = $1 and e.id = $2 and e.lease_id = $3 and (e.waiting_for is not null or $4::text <> 'ignored')`)}
       update webhook_events e
          set status = $4, error = $5, waiting_for = case when $4 = 'ignored' then e.waiting_for end, attempts = $6,
              processed_at = clock_timestamp(), due_at = null, lease_id = null
         from former f
        where e.team_id = f.team_id and e.id = f.id
        returning ${CHANGE_COLUMNS}`,
      [event.teamId, event.id, event.leaseId, status, error, attemptOf(event)],
    );
    await countChanges(tx, publish, changes);
    return changes.length > 0;
  });
}

/** Releases events after an error. What is unavailable is waited for, and counts as no attempt. */
export async function postponeAfterError(
  outbox: Outbox,
  events: readonly LeasedEvent[],
  err: unknown,
  pausesMs: readonly number[],
): Promise<void> {
  if (isUnavailable(err)) return releaseUncounted(outbox.em, events);
  await postpone(outbox, events, `unroutable: ${failureReason(err)}`, pausesMs);
}

/** Releases events as if they had not been leased, to be tried again in two seconds, or after a pause in seconds. */
export async function releaseUncounted(
  em: EntityManager,
  events: readonly LeaseKey[],
  pauseSeconds = UNAVAILABLE_SECONDS,
): Promise<void> {
  if (events.length === 0) return;
  await executeBound(
    em.fork(),
    `update webhook_events e
        set lease_id = null, routing_attempts = greatest(e.routing_attempts - 1, 0),
            due_at = clock_timestamp() + make_interval(secs => $2::float8)
       from json_to_recordset($1::json) as l(team_id text, id text, lease_id uuid)
      where e.team_id = l.team_id and e.id = l.id and e.lease_id = l.lease_id`,
    [JSON.stringify(events.map(toLeasedKey)), pauseSeconds],
  );
}

/** An event that came from memory was leased when it was stored, which counts as no attempt in the table. */
export const attemptOf = ({ attempt }: Pick<LeasedEvent, 'attempt'>): number => Math.max(attempt, 1);
