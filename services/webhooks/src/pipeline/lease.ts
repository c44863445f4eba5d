import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, SyncId, TeamId } from '@billing/contracts/ids';
import { openTeamRooms, type TeamRooms } from '@billing/database/team-rooms';
import { isHandled } from '@billing/contracts/processor-events';
import type { RoutedBy } from '@billing/contracts/resources/webhook-event';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { extendLease, leaseRows, type LeasedTable, type TeamWindow } from '@billing/database/lease-rows';
import { readPayload, type EventContent } from '#receipt/event-content.rules';
import type { Route } from './route.rules.ts';

/** How long a lease holds; after a crash another copy processes the events then. */
export const LEASE_SECONDS = 15;
/** While other services and Stripe are called: longer than they may take. */
const FIND_ROUTE_SECONDS = 40;

/**
 * What a team may have in flight: rows that a process works on, or whose outcome is awaited from projects; an index finds
 * them. More would only wait on the bus, in front of the events of other teams. An event counts as often as it is published.
 */
export const WINDOW: TeamWindow = {
  ofTeam: 1_000,
  ofAll: 2_000,
  least: 50,
  isInFlight: `lease_id is not null or awaiting <> '{}'`,
  weight: 'greatest(cardinality(awaiting), 1)',
};

/** Opens this process's count of the window. */
export const openWindow = (em: EntityManager): TeamRooms => openTeamRooms(em, 'webhook_events', WINDOW);

/** The events that are to be processed. */
export const WEBHOOK_EVENTS: LeasedTable = {
  table: 'webhook_events',
  key: ['team_id', 'id'],
  leaseSeconds: LEASE_SECONDS,
  columns: `team_id as "teamId", id, type, api_version as "apiVersion", livemode, payload, trace,
    payload_bytes as "payloadSize", routing_attempts as attempt, replays, routed_by as "routedBy", sync_id as "syncId",
    to_jsonb(awaiting) as awaiting, (extract(epoch from processor_created_at) * 1000)::float8 as "createdMs"`,
  attempts: 'routing_attempts',
  maxPerTeam: WINDOW,
  maxSize: { column: 'payload_bytes', bytes: 8 * 1_048_576 },
};

/** What a webhook event brought, as far as the pipeline needs it. */
export interface PipelineEvent extends EventContent {
  readonly teamId: TeamId;
  /** Stripe's event id; of what a sync has read, the sync's own. */
  readonly id: string;
  readonly apiVersion: string | null;
  readonly livemode: boolean;
  readonly createdAt: Date;
  /** Of the request that brought it. */
  readonly trace: TraceCarrier;
}

/** An event and the lease of the process that works on it. */
export interface LeaseKey {
  readonly teamId: TeamId;
  readonly id: string;
  readonly leaseId: string;
}

/** An event that this process works on. */
export interface LeasedEvent extends PipelineEvent, LeaseKey {
  /** How often it was leased, this time included. */
  readonly attempt: number;
  readonly replays: number;
  /** Of the whole event as stored, in characters. */
  readonly payloadSize: number;
  /** Where it goes, if that is recorded already; it may not have been published there. */
  readonly route: Route | null;
  /** The sync that has read the object, if none of Stripe's events brought it. */
  readonly syncId: SyncId | null;
}

/** The columns of `WEBHOOK_EVENTS`. */
interface LeasedRow extends Omit<LeasedEvent, keyof EventContent | 'createdAt' | 'leaseId' | 'route'> {
  readonly type: string;
  /** JSON: parsed objects of a whole batch would take several times the memory. */
  readonly payload: string;
  readonly routedBy: RoutedBy | null;
  readonly awaiting: readonly ProjectId[];
  readonly createdMs: number;
}

/**
 * Leases up to `limit` due events: of each team the longest due, as many as its window has room for. Each lease counts as an
 * attempt, so that an event that crashes the process comes to an end.
 */
export async function leaseDueEvents(em: EntityManager, rooms: TeamRooms, limit: number): Promise<LeasedEvent[]> {
  await rooms.refresh();
  const { leaseId, rows } = await leaseRows<LeasedRow>(em, WEBHOOK_EVENTS, limit, rooms.inFlight);
  for (const { teamId, awaiting } of rows) rooms.add(teamId, Math.max(awaiting.length, 1));
  return rows.flatMap(row => toLeasedEvent(row, leaseId));
}

/** Empty for an event of a type that is not handled. */
function toLeasedEvent(
  { type, payload, routedBy, awaiting, createdMs, ...row }: LeasedRow,
  leaseId: string,
): LeasedEvent[] {
  if (!isHandled(type)) return [];
  const content = readPayload(type, payload);
  const [first, ...others] = awaiting;
  const route = first && routedBy ? { projects: [first, ...others] as const, routedBy, leftOut: 0 } : null;
  return [{ ...row, ...content, createdAt: new Date(createdMs), leaseId, route }];
}

/** Extends the leases of events for calls to other services, and returns those that are still held. */
export async function holdForRouting(em: EntityManager, events: readonly LeasedEvent[]): Promise<LeasedEvent[]> {
  const held = new Set<string>();
  for (const [leaseId, ofLease] of Map.groupBy(events, event => event.leaseId)) {
    const keys = ofLease.map(toKey);
    const seconds = FIND_ROUTE_SECONDS;
    for (const key of await extendLease(em.fork(), WEBHOOK_EVENTS, { leaseId, keys, seconds }))
      held.add(`${key['team_id']} ${key['id']}`);
  }
  return events.filter(event => held.has(nameOf(event)));
}

/** The key of an event's row. */
const toKey = ({ teamId, id }: Pick<PipelineEvent, 'teamId' | 'id'>) => ({ team_id: teamId, id });
/** The key of an event's row and its lease, in the shape of a row. */
export const toLeasedKey = (event: LeaseKey) => ({ ...toKey(event), lease_id: event.leaseId });
/** The key of an event's row as one text. */
export const nameOf = ({ teamId, id }: Pick<PipelineEvent, 'teamId' | 'id'>): string => `${teamId} ${id}`;
