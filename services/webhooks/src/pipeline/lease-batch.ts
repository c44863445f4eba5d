import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import type { TeamRooms } from '@billing/database/lease-rows';
import { MAX_BYTES_ON_BUS } from '#domain/event-weight.ts';
import { IS_SUPERSEDING_UPDATE } from '#domain/superseding-updates.ts';
import {
  LEASE_SECONDS,
  leaseDueEvents,
  releaseUnprocessed,
  toLeasedEvent,
  WEBHOOK_EVENTS,
  type LeasedEvent,
  type LeasedRow,
} from './lease.ts';
import { MAX_SUPERSEDED, SUPERSEDING } from './supersede.ts';

/** Objects whose other updates are read at once: their payloads must fit into memory. */
const OBJECTS_AT_ONCE = 25;

/** So many are leased first: where they supersede more others than that, they are enough for one batch. */
const FIRST = 100;

/**
 * Leases up to `limit` due events, with the updates that they supersede. `roomsBeside` says how many events of each team may be
 * taken beside those that were leased.
 */
export async function leaseBatch(
  em: EntityManager,
  limit: number,
  roomsBeside: (leased: readonly LeasedEvent[]) => TeamRooms,
): Promise<LeasedEvent[]> {
  const lease = async (count: number, leased: readonly LeasedEvent[]) =>
    leaseSuperseded(em, await leaseDueEvents(em, count, roomsBeside(leased)));
  const first = await lease(Math.min(limit, FIRST), []);
  const superseded = first.reduce((sum, event) => sum + event.superseded.length, 0);
  const isAll = first.length + superseded < FIRST;
  if (isAll || superseded > FIRST || limit <= FIRST) return first;
  // What was leased first must not wait for the end of its lease. If the database is away, the next lease says so.
  const second = await lease(limit - first.length, first).catch((): LeasedEvent[] => []);
  return [...first, ...second];
}

/**
 * Merges the updates of each object in a batch into the newest, together with the object's other updates that are due: in a
 * backlog they may be far behind. Returns what is to be processed. To lease the others counts as no attempt, since they are not
 * processed.
 */
async function leaseSuperseded(em: EntityManager, events: readonly LeasedEvent[]): Promise<LeasedEvent[]> {
  const left: LeasedEvent[] = [];
  const updates = new Map<string, LeasedEvent>();
  /** Returns whether the event is in the map now, or one there supersedes it. */
  const add = (event: LeasedEvent): boolean => {
    const key = keyOf(event);
    if (key === null) return false;
    const waiting = updates.get(key);
    const merged = waiting ? SUPERSEDING.merge(waiting, event) : event;
    if (merged) updates.set(key, merged);
    return merged !== null;
  };
  for (const event of events) if (!add(event)) left.push(event);
  const objects = [...updates.values()];
  for (let start = 0; start < objects.length; start += OBJECTS_AT_ONCE) {
    const others = await leaseOthers(em, objects.slice(start, start + OBJECTS_AT_ONCE));
    await releaseUnprocessed(
      em,
      others.filter(event => !add(event)),
    );
  }
  return [...left, ...updates.values()];
}

/** Null for an event that neither supersedes others nor is superseded: also for one that was leased before. */
function keyOf(event: LeasedEvent): string | null {
  const key = event.attempt > 1 || event.replays > 0 || event.routed ? null : SUPERSEDING.keyOf(event);
  return key && `${event.teamId} ${key}`;
}

/** Leases due updates of the same objects that no process has begun to process. */
async function leaseOthers(em: EntityManager, events: readonly LeasedEvent[]): Promise<LeasedEvent[]> {
  const leaseId = randomUUID();
  const rows = await executeBound<LeasedRow>(
    em.fork(),
    `update webhook_events
        set lease_id = $1, due_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
      where ctid = any(array(
              select o.row_at
                from json_to_recordset($2::json) as k(team_id text, type text, object_id text, created timestamptz)
               cross join lateral (
                       select ctid as row_at from webhook_events
                        where team_id = k.team_id and object_id = k.object_id and type = k.type and ${IS_SUPERSEDING_UPDATE}
                          and due_at is not null and due_at <= statement_timestamp()
                          and processor_created_at <> k.created and payload_bytes <= ${MAX_BYTES_ON_BUS}
                          and routing_attempts = 0 and replays = 0 and awaiting = '{}'
                        limit ${MAX_SUPERSEDED} for update skip locked) o))
      returning ${WEBHOOK_EVENTS.columns}`,
    [leaseId, JSON.stringify(events.map(toObject))],
    // A plan that was made while few events wait would go through all of a backlog for each object.
    { isDynamic: true },
  );
  return rows.flatMap(row => toLeasedEvent(row, leaseId));
}

const toObject = ({ teamId, type, objectId, createdAt }: LeasedEvent) => ({
  team_id: teamId,
  type,
  object_id: objectId,
  created: createdAt,
});
