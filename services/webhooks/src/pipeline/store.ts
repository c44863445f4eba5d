import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, SyncId, TeamId } from '@billing/contracts/ids';
import { isHandled, type ProcessorEventType } from '@billing/contracts/processor-events';
import { currentTrace, type TraceCarrier } from '@billing/tracing/trace-carrier';
import { executeBound, textArray } from '@billing/database/bound-statement';
import type { LeaseQueue } from '@billing/database/lease-queue';
import { openTeamRooms } from '@billing/database/team-rooms';
import { API_VERSION } from '@billing/processor/stripe-client';
import type { IncomingEvent } from '#domain/incoming-event.ts';
import { LIVEMODE_MISMATCH } from '#domain/unrouted.ts';
import { LEASE_SECONDS, nameOf, WINDOW, type LeasedEvent } from './lease.ts';

/** An event and the team to whose address it was posted. */
export interface ReceivedEvent {
  readonly teamId: TeamId;
  readonly event: IncomingEvent;
  /** Of the request that brought it. */
  readonly trace: TraceCarrier;
  /** Whether the reconciler found it at Stripe, since no webhook had delivered it. */
  readonly recovered: boolean;
}

export type Stored = 'new' | 'duplicate';

interface StoreParts {
  readonly em: EntityManager;
  /** New events for the pipeline of this process, which then need not be read back. */
  readonly stored: LeaseQueue<LeasedEvent>;
}

/**
 * Stores events in one statement, all or none, and returns for each whether it is new. The row is the work that is still
 * to be done on the event, so nothing else needs to commit with it. It is leased for this process as far as the team's window
 * and the memory have room. Events of types that nobody handles are `ignored`, and so are those of the other mode than the
 * team's account: live or test. While a team is purged, its events are not stored.
 */
export function storeEvents({ em, stored }: StoreParts) {
  const rooms = openTeamRooms(em, 'webhook_events', WINDOW);
  return async (received: readonly ReceivedEvent[]): Promise<Stored[]> => {
    await rooms.refresh();
    const leasedAt = performance.now();
    const leaseId = randomUUID();
    const isToLease = ({ teamId, event }: ReceivedEvent) =>
      isHandled(event.type) && stored.hasRoom() && rooms.take(teamId);
    const inserted = await insert(em, received, received.map(isToLease), leaseId);
    const isLeased = new Map(inserted.map(row => [`${row.team_id} ${row.id}`, row.is_leased]));
    const leased: LeasedEvent[] = [];
    const outcomes = received.map(one => {
      if (isLeased.get(keyOf(one))) leased.push(...toLeasedEvent(one, leaseId));
      // Of several copies of an event in one batch, the first one is the new one.
      return isLeased.delete(keyOf(one)) ? 'new' : 'duplicate';
    });
    stored.add(leased, leasedAt);
    if (inserted.some(row => row.is_work && !row.is_leased)) stored.missed();
    return outcomes;
  };
}

const keyOf = ({ teamId, event }: ReceivedEvent): string => nameOf({ teamId, id: event.id });

/**
 * Events that are not leased may be processed by any copy at once. Two copies of the service that store the same events wait
 * for each other in the same order.
 */
function insert(em: EntityManager, received: readonly ReceivedEvent[], leased: readonly boolean[], leaseId: string) {
  const rows = received.map(({ event: { payload: _payload, content: _content, ...head }, ...one }, index) => {
    return { ...one, ...head, handled: isHandled(head.type), leased: leased[index] };
  });
  return executeBound<{ team_id: string; id: string; is_work: boolean; is_leased: boolean }>(
    em.fork(),
    `insert into webhook_events
       (team_id, id, type, api_version, livemode, object_id, payload, payload_bytes, trace, status, routed_to, awaiting,
        failed_in, attempts, routing_attempts, replays, version, processor_created_at, received_at, due_at, lease_id,
        processed_at, recovered, error)
     select "teamId", id, type, "apiVersion", livemode, "objectId", payload::json, octet_length(payload), trace,
            case when is_work then 'received' else 'ignored' end, '{}', '{}', '{}', 0, 0, 0, 1, "createdAt", now(),
            case when is_work then clock_timestamp() + case when leased then make_interval(secs => $4) else '0' end end,
            case when is_work and leased then $3::uuid end,
            case when is_work then null else now() end, recovered, case when not fits then '${LIVEMODE_MISMATCH}' end
       from rows from (
              json_to_recordset($1::json) as
                ("teamId" text, id text, type text, "apiVersion" text, livemode boolean, "objectId" text, trace jsonb,
                 handled boolean, "createdAt" timestamptz, recovered boolean, leased boolean),
              unnest($2::text[])) as
              e("teamId", id, type, "apiVersion", livemode, "objectId", trace, handled, "createdAt", recovered, leased, payload)
      cross join lateral (
              select coalesce(
                (select a.livemode = e.livemode from processor_accounts a where a.team_id = "teamId"), true) as fits) f
      cross join lateral (select handled and fits as is_work) w
      where not exists (select from purged_teams t where t.team_id = "teamId" and not t.is_open)
      order by "teamId" collate "C", id collate "C"
     on conflict (team_id, id) do nothing
     returning team_id, id, status = 'received' as is_work, lease_id is not null as is_leased`,
    [JSON.stringify(rows), textArray(received.map(({ event }) => event.payload)), leaseId, LEASE_SECONDS],
  );
}

function toLeasedEvent({ teamId, event, trace }: ReceivedEvent, leaseId: string): LeasedEvent[] {
  const { id, apiVersion, livemode, createdAt, content } = event;
  if (!content) return [];
  const head = { teamId, id, apiVersion, livemode, createdAt, trace };
  const payloadSize = event.payload.length;
  return [{ ...head, ...content, leaseId, attempt: 0, replays: 0, payloadSize, route: null, syncId: null }];
}

/** An object as a sync has read it, or made it for one that is gone. */
export interface SyncedObject {
  /** Under which the object is published; the same however often it is stored. */
  readonly id: string;
  readonly type: ProcessorEventType;
  readonly objectId: string;
  readonly object: Readonly<Record<string, unknown>>;
  /** By Stripe's clock. */
  readonly readAt: Date;
}

/** Stores what a sync has read, routed to its project, in the caller's transaction; what is stored already stays as it is. */
export async function storeSyncedObjects(
  tx: EntityManager,
  { id: syncId, teamId, projectId }: { readonly id: SyncId; readonly teamId: TeamId; readonly projectId: ProjectId },
  objects: readonly SyncedObject[],
): Promise<void> {
  if (objects.length === 0) return;
  const rows = objects.map(({ object, ...one }) => ({ ...one, livemode: object['livemode'] === true }));
  await executeBound(
    tx,
    `insert into webhook_events
       (team_id, id, sync_id, type, api_version, livemode, object_id, payload, payload_bytes, trace, status, project_id, routed_by,
        routed_to, awaiting, failed_in, attempts, routing_attempts, replays, version, processor_created_at, received_at,
        due_at, recovered)
     select $3::text, id, $4::text, type, $5::text, livemode, "objectId", payload::json, octet_length(payload), $6::jsonb, 'received', $7::text, 'known-id',
            array[$7::text], array[$7::text], '{}', 0, 0, 0, 1, "readAt", now(), clock_timestamp(), false
       from rows from (
              json_to_recordset($1::json) as (id text, type text, "objectId" text, livemode boolean, "readAt" timestamptz),
              unnest($2::text[])) as o(id, type, "objectId", livemode, "readAt", payload)
      where not exists (select from purged_teams t where t.team_id = $3 and not t.is_open)
     on conflict (team_id, id) do nothing`,
    [
      JSON.stringify(rows),
      textArray(objects.map(({ object }) => JSON.stringify({ data: { object } }))),
      teamId,
      syncId,
      API_VERSION,
      JSON.stringify(currentTrace()),
      projectId,
    ],
  );
}
