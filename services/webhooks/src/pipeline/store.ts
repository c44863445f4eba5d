import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { isHandled } from '@billing/contracts/processor-events';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { executeBound, textArray } from '@billing/database/bound-statement';
import type { LeaseQueue } from '@billing/database/lease-queue';
import type { IncomingEvent } from '#domain/incoming-event.ts';
import { LIVEMODE_MISMATCH } from '#domain/ignored.ts';
import { LEASE_SECONDS, nameOf, type LeasedEvent } from './lease.ts';

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
 * to be done on the event, so nothing else needs to commit with it. Events of types that nobody handles are `ignored`, and so
 * are those of the other mode than the team's account: live or test. While a team is purged, its events are not stored.
 */
export function storeEvents({ em, stored }: StoreParts) {
  return async (received: readonly ReceivedEvent[]): Promise<Stored[]> => {
    // Two copies of the service that store the same events wait for each other in the same order.
    const sorted = received.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    const leasedAt = performance.now();
    const leaseId = randomUUID();
    const hasRoom = new Map(received.map(({ teamId }) => [teamId, stored.hasRoom(teamId)]));
    const isLeased = ({ teamId }: ReceivedEvent): boolean => hasRoom.get(teamId) ?? false;
    const inserted = await insert(em, sorted, { leaseId, isLeased });
    const isWork = new Map(inserted.map(row => [`${row.team_id} ${row.id}`, row.is_work]));
    const work: ReceivedEvent[] = [];
    const outcomes = received.map(one => {
      if (isWork.get(keyOf(one))) work.push(one);
      // Of several copies of an event in one batch, the first one is the new one.
      return isWork.delete(keyOf(one)) ? 'new' : 'duplicate';
    });
    const { leased = [], unleased = [] } = Object.groupBy(work, one => (isLeased(one) ? 'leased' : 'unleased'));
    stored.add(
      leased.flatMap(one => toLeasedEvent(one, leaseId)),
      leasedAt,
    );
    if (unleased.length > 0) stored.missed();
    return outcomes;
  };
}

const keyOf = ({ teamId, event }: ReceivedEvent): string => nameOf({ teamId, id: event.id });

interface Leasing {
  readonly leaseId: string;
  /** Whether an event is leased for the pipeline of this process; any copy may process the others. */
  readonly isLeased: (received: ReceivedEvent) => boolean;
}

function insert(em: EntityManager, received: readonly ReceivedEvent[], { leaseId, isLeased }: Leasing) {
  return executeBound<{ team_id: string; id: string; is_work: boolean }>(
    em.fork(),
    `insert into webhook_events
       (team_id, id, type, api_version, livemode, object_id, payload, payload_bytes, trace, status, routed_to, awaiting,
        failed_in, attempts, routing_attempts, replays, version, processor_created_at, received_at, due_at, lease_id,
        processed_at, recovered, error)
     select team_id, id, type, api_version, livemode, object_id, payload::json, octet_length(payload), trace,
            case when is_work then 'received' else 'ignored' end, '{}', '{}', '{}', 0, 0, 0, 1, created, now(),
            case when is_work then clock_timestamp() + case when leased then make_interval(secs => $4) else '0' end end,
            case when is_work and leased then $3::uuid end,
            case when is_work then null else now() end, recovered, case when not fits then '${LIVEMODE_MISMATCH}' end
       from rows from (
              json_to_recordset($1::json) as
                (team_id text, id text, type text, api_version text, livemode boolean, object_id text, trace jsonb,
                 handled boolean, leased boolean, created timestamptz, recovered boolean),
              unnest($2::text[])) as
              e(team_id, id, type, api_version, livemode, object_id, trace, handled, leased, created, recovered, payload)
      cross join lateral (
              select coalesce(
                (select a.livemode = e.livemode from processor_accounts a where a.team_id = e.team_id), true) as fits) f
      cross join lateral (select handled and fits as is_work) w
      where not exists (select from purged_teams t where t.team_id = e.team_id and not t.is_open)
     on conflict (team_id, id) do nothing
     returning team_id, id, status = 'received' as is_work`,
    [
      JSON.stringify(received.map(one => ({ ...toRow(one), leased: isLeased(one) }))),
      textArray(received.map(({ event }) => event.payload)),
      leaseId,
      LEASE_SECONDS,
    ],
  );
}

/** All but the payload. */
function toRow({ teamId, event, trace, recovered }: ReceivedEvent) {
  return {
    team_id: teamId,
    id: event.id,
    type: event.type,
    api_version: event.apiVersion,
    livemode: event.livemode,
    object_id: event.objectId,
    trace,
    handled: isHandled(event.type),
    created: event.createdAt,
    recovered,
  };
}

function toLeasedEvent({ teamId, event, trace }: ReceivedEvent, leaseId: string): LeasedEvent[] {
  const { id, apiVersion, livemode, createdAt, content } = event;
  if (!content) return [];
  const head = { teamId, id, apiVersion, livemode, createdAt, trace };
  const payloadSize = event.payload.length;
  return [{ ...head, ...content, leaseId, attempt: 0, replays: 0, payloadSize, routed: null, superseded: [] }];
}
