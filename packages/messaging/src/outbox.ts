import { randomUUID } from 'node:crypto';
import { defineEntity, p, type EntityManager } from '@mikro-orm/postgresql';
import { envelope, type FactType } from '@billing/contracts/fact';
import { executeBound } from '@billing/service-kit/bound-statement';
import type { z } from 'zod';
import type { Publish } from './bus.ts';
import { currentTrace, type TraceCarrier } from './trace-carrier.ts';

const OutboxEventSchema = defineEntity({
  name: 'OutboxEvent',
  tableName: 'outbox_events',
  indexes: [{ name: 'outbox_events_unpublished', properties: ['sequence'], where: 'published_at is null' }],
  properties: {
    id: p.uuid().primary(),
    /** Order of recording, about: transactions may commit in another. */
    sequence: p.bigint().autoincrement().unique('outbox_events_sequence_unique'),
    type: p.text(),
    teamId: p.text(),
    /** Text as it goes out: nothing in here is looked for, and taking it apart would cost more than keeping it. */
    data: p.json<unknown>().columnType('json'),
    trace: p.json<TraceCarrier>(),
    occurredAt: p.datetime(),
    /** A relay that claimed the row has until then to publish it. */
    claimedUntil: p.datetime().nullable(),
    publishedAt: p.datetime().nullable(),
  },
});

export class OutboxEvent extends OutboxEventSchema.class {}
OutboxEventSchema.setClass(OutboxEvent);

/** Records a fact in the caller's transaction; the bus hears of it only if that transaction commits. */
export function record<Data extends z.ZodType>(
  em: EntityManager,
  type: FactType<Data>,
  teamId: string,
  data: z.output<Data>,
): void {
  em.persist(em.create(OutboxEvent, newOutboxRow(type, teamId, data)));
}

/** The row of a fact, for `recordAll`. `trace` is that of what led to it. */
export function newOutboxRow<Data extends z.ZodType>(
  type: FactType<Data>,
  teamId: string,
  data: z.output<Data>,
  trace: TraceCarrier = currentTrace(),
) {
  const fields = { id: randomUUID() as string, type: type.name, teamId, data: type.data.encode(data), trace };
  return { ...fields, occurredAt: new Date(), claimedUntil: null, publishedAt: null };
}

export type OutboxRow = ReturnType<typeof newOutboxRow>;

/** Records many facts in the caller's transaction with one statement, in the order given. */
export async function recordAll(tx: EntityManager, facts: readonly OutboxRow[]): Promise<void> {
  if (facts.length === 0) return;
  const rows = facts.map(({ id, type, teamId, data, trace, occurredAt }) => ({
    id,
    type,
    team_id: teamId,
    data,
    trace,
    occurred_at: occurredAt,
  }));
  await executeBound(
    tx,
    `insert into outbox_events (id, type, team_id, data, trace, occurred_at)
     select id, type, team_id, data, trace, occurred_at
       from json_to_recordset($1::json) as
            f(id uuid, type text, team_id text, data json, trace jsonb, occurred_at timestamptz)`,
    [JSON.stringify(rows)],
  );
}

interface ClaimedRow {
  readonly id: string;
  readonly type: string;
  readonly team_id: string;
  /** JSON as it stands in the row, for it goes on as it is. */
  readonly data: string;
  readonly trace: TraceCarrier;
  /** Milliseconds since 1970. */
  readonly occurred_ms: number;
}

/** Facts per claim. */
export const RELAY_BATCH = 250;
/** How long a claim holds; after a crash another relay publishes the rows then. */
const CLAIM_SECONDS = 15;

/**
 * Publishes one batch, oldest first, and says how many rows it claimed.
 *
 * Relays may run side by side: a claim is a short statement with SKIP LOCKED, and no transaction is open while the
 * broker is spoken to. A crash between publishing and marking publishes again: the bus drops the copy by its id, and
 * the inbox drops what the bus lets through.
 */
export async function relayOnce(em: EntityManager, publish: Publish, batchSize = RELAY_BATCH): Promise<number> {
  const claimed = await em.fork().execute<ClaimedRow[]>(
    `update outbox_events set claimed_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
      where id in (
        select id from outbox_events
         where published_at is null and (claimed_until is null or claimed_until < clock_timestamp())
         order by sequence limit ? for update skip locked)
      returning id, type, team_id, data::text as data, trace, (extract(epoch from occurred_at) * 1000)::float8 as occurred_ms`,
    [batchSize],
  );
  if (claimed.length === 0) return 0;
  const outcomes = await Promise.allSettled(claimed.map(row => publish(row.type, encode(row), row.id, row.trace)));
  const published = claimed.filter((_, index) => outcomes[index]?.status === 'fulfilled').map(row => row.id);
  const failed = claimed.filter((_, index) => outcomes[index]?.status === 'rejected').map(row => row.id);
  if (published.length > 0) await markAll(em, 'published_at = clock_timestamp()', published);
  if (failed.length > 0) {
    await markAll(em, 'claimed_until = null', failed);
    throw new AggregateError(
      outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as unknown] : [])),
      `${failed.length} of ${claimed.length} facts could not be published; they stay in the outbox`,
    );
  }
  return claimed.length;
}

async function markAll(em: EntityManager, assignment: string, ids: readonly string[]): Promise<void> {
  await executeBound(em.fork(), `update outbox_events set ${assignment} where id = any($1::uuid[])`, [ids]);
}

/** The envelope as text; `data` goes in as it came out of the table, which spares reading and writing it again. */
function encode({ id, type, team_id: teamId, data, occurred_ms: occurredMs }: ClaimedRow): string {
  const { data: _none, ...head } = envelope.encode({ id, type, teamId, occurredAt: new Date(occurredMs), data: null });
  return `${JSON.stringify(head).slice(0, -1)},"data":${data}}`;
}

/** Deletes facts that were published more than three days ago; they are on the bus, and kept here for repairs only. */
export async function forgetPublished(em: EntityManager, batchSize = 5_000): Promise<void> {
  await em.fork().execute(
    `delete from outbox_events where id in (
       select id from outbox_events where published_at < now() - interval '3 days' limit ?)`,
    [batchSize],
  );
}
