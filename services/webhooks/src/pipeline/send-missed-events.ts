import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import { processorEvent, type ProcessorEventType } from '@billing/contracts/processor-events';
import { executeBound } from '@billing/database/bound-statement';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import type { PipelineEvent } from './lease.ts';

/** A project's new record of one of Stripe's customers. */
export interface NewHolder {
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  /** Stripe's id. */
  readonly customerId: string;
  readonly createdAt: Date;
  /** Whether the record was linked to a customer that Stripe had, rather than made together with it. */
  readonly linkedToExisting: boolean;
}

interface MissedRow {
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  readonly eventId: string;
  readonly type: ProcessorEventType;
  readonly apiVersion: string | null;
  readonly livemode: boolean;
  readonly objectId: string;
  readonly createdMs: number;
  readonly trace: TraceCarrier;
}

/** The events of a customer itself, which go to every project that has the customer. */
const OWN_EVENTS = ['customer.created', 'customer.updated', 'customer.deleted'] satisfies ProcessorEventType[];
/** The newest events decide; further ones of the same second say the same, since their order is read at Stripe. */
const NEWEST = 10;

/** Between the clocks of two services. */
const MARGIN_MS = 60_000;

/**
 * Returns those whose customer another project of the team may have, too. From now on no event of these customers is
 * routed until the caller's transaction has ended: call it before the transaction saves their routes.
 */
export async function lockShared(tx: EntityManager, holders: readonly NewHolder[]): Promise<readonly NewHolder[]> {
  const shared = await findShared(tx, holders);
  await lockCustomers(tx, shared, 'exclusive');
  return shared;
}

/** While a transaction routes events of customers, no project that may miss them saves that it has these. Call it before. */
export const lockForRouting = (tx: EntityManager, events: readonly PipelineEvent[]): Promise<void> =>
  lockCustomers(
    tx,
    events.flatMap(({ teamId, type, objectId: customerId }) =>
      customerId !== null && OWN_EVENTS.some(own => own === type) ? [{ teamId, customerId }] : [],
    ),
    'shared',
  );

/** A few locks of each team, taken in one order: a batch of a thousand customers must not take a thousand. */
async function lockCustomers(
  tx: EntityManager,
  customers: readonly Pick<NewHolder, 'teamId' | 'customerId'>[],
  mode: 'shared' | 'exclusive',
): Promise<void> {
  if (customers.length === 0) return;
  await executeBound(
    tx,
    `select pg_advisory_xact_lock${mode === 'shared' ? '_shared' : ''}(key)
       from (select distinct hashtextextended('customers/' || "teamId" || '/' || (hashtext("customerId") & 15), 0) as key
               from json_to_recordset($1::json) as c("teamId" text, "customerId" text) order by 1) keys`,
    [JSON.stringify(customers)],
  );
}

/**
 * Sends projects that have just recorded a shared customer the events that went only to the others: those that came after
 * the project had read the customer, and before its route was saved, which the caller's transaction has just done. They may
 * come a second time. The record of an event that is complete stays as it is.
 */
export async function sendMissedEvents(
  tx: EntityManager,
  publish: Publish,
  shared: readonly NewHolder[],
): Promise<void> {
  if (shared.length === 0) return;
  for (const { teamId, type, objectId, createdMs, trace, ...event } of await findMissed(tx, shared)) {
    const head = { ...event, createdAt: new Date(createdMs), routedBy: 'known-id' } as const;
    // Consumers read the object from the event's row.
    const object = { object: { id: objectId }, previousAttributes: null, objectOmitted: true } as const;
    publish(processorEvent(type), teamId, { ...head, ...object }, trace);
  }
}

/** Two projects that link to one customer at the same time do not see each other’s routes yet. */
async function findShared(tx: EntityManager, holders: readonly NewHolder[]): Promise<readonly NewHolder[]> {
  if (holders.every(({ linkedToExisting }) => linkedToExisting)) return holders;
  const rows = await executeBound<{ place: number }>(
    tx,
    // Each by the index: an `exists` lets PostgreSQL read all routes instead.
    `select h.place from json_to_recordset($1::json) as h("teamId" text, "projectId" text, "customerId" text, place int)
      cross join lateral (select from routes r where r.team_id = h."teamId" and r.kind = 'customer'
                             and r.processor_id = h."customerId" and r.project_id <> h."projectId" limit 1) other`,
    [JSON.stringify(holders.map((holder, place) => ({ ...holder, place })))],
  );
  const places = new Set(rows.map(({ place }) => place));
  return holders.filter(({ linkedToExisting }, place) => linkedToExisting || places.has(place));
}

function findMissed(tx: EntityManager, holders: readonly NewHolder[]): Promise<readonly MissedRow[]> {
  const earliest = Math.min(...holders.map(({ createdAt }) => createdAt.getTime())) - MARGIN_MS;
  return executeBound<MissedRow>(
    tx,
    `select "teamId", "projectId", "eventId", type, "apiVersion", livemode, "objectId", trace, "createdMs" from (
       select h."teamId", h."projectId", e.id as "eventId", e.type, e.api_version as "apiVersion", e.livemode,
              e.object_id as "objectId", e.trace, (extract(epoch from e.processor_created_at) * 1000)::float8 as "createdMs",
              row_number() over (partition by h."teamId", h."projectId", h."customerId"
                                 order by e.processor_created_at desc, e.received_at desc) as age
         from json_to_recordset($1::json) as h("teamId" text, "projectId" text, "customerId" text, "createdAt" timestamptz)
         join webhook_events e on e.team_id = h."teamId" and e.object_id = h."customerId"
        where e.received_at >= greatest($2::timestamptz, now() - interval '1 day')
          and e.received_at >= h."createdAt" - make_interval(secs => ${MARGIN_MS / 1_000})
          and e.type = any($3) and e.sync_id is null and e.status <> 'ignored' and e.waiting_for is null
          and e.payload is not null and not h."projectId" = any(e.routed_to)) as missed
      where age <= ${NEWEST} order by "createdMs"`,
    [JSON.stringify(holders), new Date(earliest).toISOString(), OWN_EVENTS],
  );
}
