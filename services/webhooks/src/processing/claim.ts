import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { readPayload } from '#domain/payload.ts';
import { readRouteHints, type RouteHints } from '#domain/route-hints.ts';
import { isHandled, type ProcessorEventType } from '@billing/contracts/processor-events';

/** How long a claim holds; after a crash another copy takes the events up then. */
const CLAIM_SECONDS = 15;
/** How long while others are asked: longer than the processor and the services may take to answer. */
const ASKING_SECONDS = 40;

/** What the events of one claim may be large together, in bytes; an event that is larger comes alone. */
export const MAX_CLAIM_BYTES = 16 * 1_048_576;

/** An event in the hands of one worker. */
export interface ClaimedEvent {
  readonly teamId: TeamId;
  readonly id: string;
  readonly type: ProcessorEventType;
  readonly createdAt: Date;
  readonly object: Readonly<Record<string, unknown>>;
  readonly previousAttributes: Readonly<Record<string, unknown>> | null;
  readonly hints: RouteHints;
  /** How often it was claimed, this time included. */
  readonly attempt: number;
  /** Proves who holds it. */
  readonly claimId: string;
}

interface ClaimedRow {
  readonly team_id: TeamId;
  readonly id: string;
  readonly type: string;
  readonly payload: unknown;
  readonly routing_attempts: number;
  readonly created_ms: number;
}

/**
 * Takes up to `limit` due events, the longest due first, and fewer where they are large. Claims of several workers never overlap, and each one counts
 * as an attempt, so that an event of which the process dies comes to an end.
 */
export async function claimDue(em: EntityManager, limit: number): Promise<ClaimedEvent[]> {
  const claimId = randomUUID();
  const rows = await em.fork().execute<ClaimedRow[]>(
    `update webhook_events
        set claim_id = ?, due_at = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS}),
            routing_attempts = routing_attempts + 1
      where (team_id, id) in (
        select team_id, id
          from (select team_id, id, sum(payload_bytes) over (order by due_at, team_id, id) - payload_bytes as bytes_before
                  from (select team_id, id, due_at, payload_bytes from webhook_events where due_at <= clock_timestamp()
                         order by due_at limit ? for update skip locked) due) counted
         where bytes_before < ${MAX_CLAIM_BYTES})
      returning team_id, id, type, payload, routing_attempts,
        (extract(epoch from processor_created_at) * 1000)::float8 as created_ms`,
    [claimId, limit],
  );
  return rows.flatMap(row => {
    const { id, type } = row;
    if (!isHandled(type)) return [];
    const { object, previousAttributes } = readPayload(row.payload);
    const hints = readRouteHints(type, object);
    const known = { teamId: row.team_id, id, type, createdAt: new Date(row.created_ms) };
    return { ...known, object, previousAttributes, hints, attempt: row.routing_attempts, claimId };
  });
}

/** Holds events for longer; answers those that are still held. */
export async function keepClaimed(em: EntityManager, events: readonly ClaimedEvent[]): Promise<ClaimedEvent[]> {
  const held = await em.fork().execute<{ team_id: string; id: string }[]>(
    `update webhook_events e set due_at = clock_timestamp() + make_interval(secs => ${ASKING_SECONDS})
       from jsonb_to_recordset(?::jsonb) as c(team_id text, id text, claim_id uuid)
      where e.team_id = c.team_id and e.id = c.id and e.claim_id = c.claim_id
      returning e.team_id, e.id`,
    [JSON.stringify(events.map(claimOf))],
  );
  const keys = new Set(held.map(row => `${row.team_id} ${row.id}`));
  return events.filter(({ teamId, id }) => keys.has(`${teamId} ${id}`));
}

/** A claim in the shape of a row. */
export const claimOf = ({ teamId, id, claimId }: ClaimedEvent) => ({ team_id: teamId, id, claim_id: claimId });
