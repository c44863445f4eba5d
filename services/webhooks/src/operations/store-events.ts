import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { isHandled } from '@billing/contracts/processor-events';
import type { TraceCarrier } from '@billing/messaging/trace-carrier';
import { executeBound, textArray } from '@billing/service/bound-statement';
import type { IncomingEvent } from '#domain/incoming-event.ts';

/** An event and the team at whose address it came in. */
export interface ReceivedEvent {
  readonly teamId: TeamId;
  readonly event: IncomingEvent;
  /** Of the request that brought it. */
  readonly trace: TraceCarrier;
  /** Whether it was found in the processor's list of events, since no webhook had brought it. */
  readonly recovered: boolean;
}

export type Stored = 'new' | 'duplicate';

/**
 * Stores events in one statement, all or none, and says of each whether it is new. The row is the work that is still
 * to be done on the event, so nothing else needs to commit with it. Types that nobody handles are kept as ignored.
 */
export async function storeEvents(em: EntityManager, received: readonly ReceivedEvent[]): Promise<Stored[]> {
  const keyOf = (teamId: string, id: string) => `${teamId} ${id}`;
  // Two copies of the service that store the same events wait for each other in the same order.
  const sorted = received.toSorted((a, b) => (keyOf(a.teamId, a.event.id) < keyOf(b.teamId, b.event.id) ? -1 : 1));
  const inserted = await executeBound<{ team_id: string; id: string }>(
    em.fork(),
    `insert into webhook_events
       (team_id, id, type, api_version, livemode, object_id, payload, payload_bytes, trace, status, routed_to, awaiting, failed_in, attempts,
        routing_attempts, version, processor_created_at, received_at, due_at, processed_at, recovered)
     select team_id, id, type, api_version, livemode, object_id, unnest::json, octet_length(unnest), trace,
            case when handled then 'received' else 'ignored' end, '{}', '{}', '{}', 0, 0, 1, created, now(),
            case when handled then now() end, case when handled then null else now() end, recovered
       from rows from (
              json_to_recordset($1::json) as
                (team_id text, id text, type text, api_version text, livemode boolean, object_id text, trace jsonb,
                 handled boolean, created timestamptz, recovered boolean),
              unnest($2::text[])) as e
     on conflict (team_id, id) do nothing
     returning team_id, id`,
    [JSON.stringify(sorted.map(toRow)), textArray(sorted.map(({ event }) => event.payload))],
  );
  const fresh = new Set(inserted.map(row => keyOf(row.team_id, row.id)));
  // The first of several copies in one group is the new one.
  return received.map(({ teamId, event }) => (fresh.delete(keyOf(teamId, event.id)) ? 'new' : 'duplicate'));
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
