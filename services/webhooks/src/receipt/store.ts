import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, SyncId, TeamId } from '@billing/contracts/ids';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { currentTrace, type TraceCarrier } from '@billing/tracing/trace-carrier';
import { executeBound, textArray } from '@billing/database/bound-statement';
import type { LeaseQueue } from '@billing/database/lease-queue';
import type { TeamRooms } from '@billing/database/team-rooms';
import { API_VERSION } from '@billing/processor/stripe-client';
import { LIVEMODE_MISMATCH, NO_SNAPSHOT, OTHER_ACCOUNT } from '#pipeline/unrouted.rules';
import { shareTeamLocks } from '#accounts/team-lock';
import { LEASE_SECONDS, nameOf, type LeasedEvent } from '#pipeline/lease';
import type { IncomingEvent } from './incoming-event.rules.ts';
import type { StorageQuota } from '../storage-quota.ts';
import { countBytes, ROW_BYTES } from '../stored-bytes.ts';

/** An event and the team to whose address it was posted. */
export interface ReceivedEvent {
  readonly teamId: TeamId;
  readonly event: IncomingEvent;
  /** Of the request that brought it. */
  readonly trace: TraceCarrier;
  readonly from: EventSource;
}

/** Where an event comes from. */
export interface EventSource {
  /** The account whose secret signed it, or whose list had it. */
  readonly accountId: string;
  /** The secret; null when the reconciler found the event at Stripe, since no webhook had delivered it. */
  readonly secretId: string | null;
}

/** `refused`: the team is no longer connected to where it comes from. `full`: it stores all that it may. Nothing was stored. */
export type Stored = 'new' | 'duplicate' | 'refused' | 'full';

/** How much is stored in one statement: the rest waits for the next, in the order in which it came. */
export const BATCH = {
  weigh: ({ event }: ReceivedEvent): number => 1_000 + (event.payload?.length ?? 0),
  maxWeight: 4 * 1_048_576,
} as const;

interface StoreParts {
  readonly em: EntityManager;
  /** New events for the pipeline of this process, which then need not be read back. */
  readonly stored: LeaseQueue<LeasedEvent>;
  readonly rooms: TeamRooms;
  readonly quota: Pick<StorageQuota, 'bytes' | 'note'>;
}

/**
 * Stores events in one statement, all or none, and returns for each whether it is new. The row is the work that is still
 * to be done on the event, so nothing else needs to commit with it. It is leased for this process as far as the team's window
 * and the memory have room. Nothing is done about what nobody handles, what is no snapshot, and events of another account or
 * of the other mode, live or test, than the team's: they are `ignored`.
 * A disconnect waits for the events that are being stored, and none is stored after it: a purge finds all of them.
 */
export function storeEvents({ em, stored, rooms, quota }: StoreParts) {
  return async (received: readonly ReceivedEvent[]): Promise<Stored[]> => {
    await rooms.refresh();
    const leasedAt = performance.now();
    const leaseId = randomUUID();
    const toLease = received.map(
      ({ teamId, event }) => event.content !== null && stored.hasRoom(teamId) && rooms.take(teamId),
    );
    const accepted = await insert(em, received, { toLease, leaseId, quotaBytes: quota.bytes });
    const usedBy = new Map(accepted.map(({ place, used }) => [place, used]));
    for (const { team_id: teamId, used } of accepted) quota.note(teamId, used);
    const inserted = accepted.filter(({ is_new: isNew }) => isNew);
    const isLeased = new Map(inserted.map(row => [`${row.team_id} ${row.id}`, row.is_leased]));
    const leased: LeasedEvent[] = [];
    const outcomes = received.map((one, place) => {
      const used = usedBy.get(place);
      if (used !== undefined && isLeased.get(keyOf(one))) leased.push(...toLeasedEvent(one, leaseId));
      else if (toLease[place]) rooms.free(one.teamId);
      if (used === undefined) return 'refused';
      if (used >= quota.bytes) return 'full';
      // Of several copies of an event in one batch, the first one is the new one.
      return isLeased.delete(keyOf(one)) ? 'new' : 'duplicate';
    });
    stored.add(leased, leasedAt);
    if (inserted.some(row => row.is_work && !row.is_leased)) stored.missed();
    return outcomes;
  };
}

const keyOf = ({ teamId, event }: ReceivedEvent): string => nameOf({ teamId, id: event.id });

interface Accepted {
  /** Of the event among the received ones. */
  readonly place: number;
  readonly team_id: string;
  readonly id: string;
  readonly is_new: boolean;
  readonly is_work: boolean;
  readonly is_leased: boolean;
  /** What its team had stored before. */
  readonly used: number;
}

interface Insertion {
  readonly toLease: readonly boolean[];
  readonly leaseId: string;
  readonly quotaBytes: number;
}

/**
 * Inserts events that come from where their teams are connected, and returns these; of a team that is full it inserts none. Events
 * that are not leased may be processed by any copy at once. Two copies of the service that store the same events wait for each other in the same order.
 * The rows of the accounts are locked as well, so that the statement sees a disconnect for which it has waited.
 */
function insert(em: EntityManager, received: readonly ReceivedEvent[], { toLease, leaseId, quotaBytes }: Insertion) {
  const rows = received.map(({ teamId, trace, from, event: { payload: _payload, content, ...head } }, place) => {
    return { ...head, teamId, trace, place, ...sourceOf(from), handled: content !== null, leased: toLease[place] };
  });
  return executeBound<Accepted>(
    em.fork(),
    `with locked as materialized (${shareTeamLocks('$5::text[]')}),
     connected as materialized (
       select a.team_id, a.account_id, a.livemode from processor_accounts a join locked on locked.team_id = a.team_id
        where a.sealed_secret_key is not null order by a.team_id for share of a),
     used as materialized (
       select team_id, sum(bytes)::float8 as used from stored_bytes where team_id = any($5::text[]) group by team_id),
     accepted as materialized (
       select e.*, coalesce(u.used, 0) as used, e."teamId" as team_id, nullif(e.payload, '') as kept,
              e.source = a.account_id and coalesce(e."accountId", a.account_id) = a.account_id as is_own,
              e.livemode = a.livemode as fits
         from rows from (
                json_to_recordset($1::json) as
                  (place int, "teamId" text, id text, type text, "apiVersion" text, livemode boolean, "objectId" text,
                   source text, secret uuid, "accountId" text, trace jsonb, handled boolean, "createdAt" timestamptz,
                   leased boolean, "noSnapshot" text),
                unnest($2::text[])) as
                e(place, "teamId", id, type, "apiVersion", livemode, "objectId", source, secret, "accountId", trace, handled,
                  "createdAt", leased, "noSnapshot", payload)
         join connected a on a.team_id = e."teamId"
         left join used u on u.team_id = e."teamId"
        where case when e.secret is null then e.source = a.account_id
                   else exists (select from signing_secrets s where s.id = e.secret) end),
     inserted as (
       insert into webhook_events
         (team_id, id, type, api_version, livemode, object_id, payload, payload_bytes, trace, status, routed_to, awaiting,
          failed_in, attempts, routing_attempts, replays, processor_created_at, received_at, due_at, lease_id,
          processed_at, recovered, error)
       select team_id, id, type, "apiVersion", livemode, "objectId", case when is_own then kept end,
              case when is_own then coalesce(octet_length(kept), 0) else 0 end, trace,
              case when is_work then 'received' else 'ignored' end, '{}', '{}', '{}', 0, 0, 0, "createdAt", now(),
              case when is_work then clock_timestamp() + case when leased then make_interval(secs => $4) else '0' end end,
              case when is_work and leased then $3::uuid end,
              case when is_work then null else now() end, secret is null, reason
         from accepted
        cross join lateral (
                select case when "noSnapshot" is not null then '${NO_SNAPSHOT}: ' || "noSnapshot"
                            when not is_own then '${OTHER_ACCOUNT}'
                            when not fits then '${LIVEMODE_MISMATCH}' end as reason) r
        cross join lateral (select handled and reason is null as is_work) w
        where used < $6
        order by team_id collate "C", id collate "C"
       on conflict (team_id, id) do nothing
       returning team_id, id, status = 'received' as is_work, lease_id is not null as is_leased,
                 'webhook_events' as store, ${ROW_BYTES.webhook_events} + payload_bytes as bytes),
     counted as (${countBytes('inserted')})
     select place, team_id, id, i.id is not null as is_new, coalesce(is_work, false) as is_work,
            coalesce(is_leased, false) as is_leased, used
       from accepted left join inserted i using (team_id, id)`,
    [
      JSON.stringify(rows),
      textArray(received.map(({ event }) => event.payload ?? '')),
      leaseId,
      LEASE_SECONDS,
      [...new Set(received.map(({ teamId }) => teamId))],
      quotaBytes,
    ],
  );
}

const sourceOf = ({ accountId: source, secretId: secret }: EventSource) => ({ source, secret });

function toLeasedEvent({ teamId, event, trace }: ReceivedEvent, leaseId: string): LeasedEvent[] {
  const { id, apiVersion, livemode, createdAt, content } = event;
  if (!content) return [];
  const head = { teamId, id, apiVersion, livemode, createdAt, trace };
  const payloadSize = event.payload?.length ?? 0;
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
    `with stored as (
     insert into webhook_events
       (team_id, id, sync_id, type, api_version, livemode, object_id, payload, payload_bytes, trace, status, project_id, routed_by,
        routed_to, awaiting, failed_in, attempts, routing_attempts, replays, processor_created_at, received_at, due_at,
        recovered)
     select $3::text, id, $4::text, type, $5::text, livemode, "objectId", payload, octet_length(payload), $6::jsonb, 'received', $7::text, 'known-id',
            array[$7::text], array[$7::text], '{}', 0, 0, 0, "readAt", now(), clock_timestamp(), false
       from rows from (
              json_to_recordset($1::json) as (id text, type text, "objectId" text, livemode boolean, "readAt" timestamptz),
              unnest($2::text[])) as o(id, type, "objectId", livemode, "readAt", payload)
      where not exists (select from purged_teams t where t.team_id = $3 and not t.is_open)
     on conflict (team_id, id) do nothing
     returning team_id, 'syncs' as store, ${ROW_BYTES.webhook_events} + payload_bytes as bytes)
     ${countBytes('stored')}`,
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
