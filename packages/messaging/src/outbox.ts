import { randomUUID } from 'node:crypto';
import { defineEntity, p, type EntityManager } from '@mikro-orm/postgresql';
import { envelope, type EventType } from '@billing/contracts/event';
import { executeBound, textArray } from '@billing/service/bound-statement';
import type { z } from 'zod';
import type { Publish } from './bus.ts';
import { HAND_OVER_SECONDS, handOver, leaveInTable, type RecordedFact } from './hand-over.ts';
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
    /** In bytes, of the data together with what is kept elsewhere; null where nothing is and nobody counted. */
    wholeBytes: p.integer().nullable(),
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
  type: EventType<Data>,
  teamId: string,
  data: z.output<Data>,
): void {
  em.persist(em.create(OutboxEvent, newOutboxRow(type, teamId, data)));
  leaveInTable(em);
}

/** The row of a fact, for `recordAll`. `trace` is that of what led to it. */
export function newOutboxRow<Data extends z.ZodType>(
  type: EventType<Data>,
  teamId: string,
  data: z.output<Data>,
  trace: TraceCarrier = currentTrace(),
) {
  const fields = { id: randomUUID() as string, type: type.name, teamId, data: type.data.encode(data), trace };
  return { ...fields, wholeBytes: null, occurredAt: new Date(), claimedUntil: null, publishedAt: null };
}

export interface OutboxRow extends ReturnType<typeof newOutboxRow> {
  /** What of the data is written, where the rest is kept elsewhere: a relay that reads the row completes it. */
  readonly written?: unknown;
}

/** One of many things that are told of a team, with the trace of what led to it. */
export interface Told<Item> {
  readonly teamId: string;
  readonly item: Item;
  readonly trace: TraceCarrier;
}

/** Items that one fact tells at most; more would not fit into a message of the bus. */
const MAX_TOLD = 100;

/** The rows of facts that each tell many things of a team. A fact carries the trace of its things only if they share it. */
export function rowsOfMany<Data extends z.ZodType, Item>(
  type: EventType<Data>,
  told: readonly Told<Item>[],
  dataOf: (items: Item[]) => z.output<Data>,
): OutboxRow[] {
  return [...Map.groupBy(told, ({ teamId }) => teamId)].flatMap(([teamId, ofTeam]) =>
    Array.from({ length: Math.ceil(ofTeam.length / MAX_TOLD) }, (_, index) => {
      const some = ofTeam.slice(index * MAX_TOLD, (index + 1) * MAX_TOLD);
      return newOutboxRow(type, teamId, dataOf(some.map(({ item }) => item)), traceOfAll(some));
    }),
  );
}

function traceOfAll(told: readonly Told<unknown>[]): TraceCarrier {
  const [first, ...others] = told.map(({ trace }) => trace);
  return first && others.every(trace => trace['traceparent'] === first['traceparent']) ? first : {};
}

/** Records many facts in the caller's transaction with one statement, in the order given. */
export async function recordAll(tx: EntityManager, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  const facts = rows.map(toFact);
  const claimed = handOver(tx, facts);
  const written = rows.map(({ written: part }, index) =>
    part === undefined ? (facts[index]?.data ?? '') : JSON.stringify(part),
  );
  await executeBound(
    tx,
    `insert into outbox_events (id, type, team_id, data, whole_bytes, trace, occurred_at, claimed_until)
     select id, type, team_id, unnest::json, whole_bytes, trace, to_timestamp(occurred_ms / 1000),
            clock_timestamp() + make_interval(secs => $3)
       from rows from (
              json_to_recordset($1::json) as
                (id uuid, type text, team_id text, whole_bytes int, trace jsonb, occurred_ms float8),
              unnest($2::text[])) as f`,
    [JSON.stringify(facts.map(toRow)), textArray(written), claimed ? HAND_OVER_SECONDS : null],
  );
}

const toFact = ({ id, type, teamId, data, trace, occurredAt }: OutboxRow): RecordedFact => {
  return { id, type, teamId, data: JSON.stringify(data), trace, occurredMs: occurredAt.getTime() };
};

/** All but the data. */
const toRow = ({ id, type, teamId, data, trace, occurredMs }: RecordedFact) => {
  return { id, type, team_id: teamId, whole_bytes: Buffer.byteLength(data), trace, occurred_ms: occurredMs };
};

/** Facts per claim. */
export const RELAY_BATCH = 1_000;
/** What the facts of one claim may be large together, in bytes; one that is larger comes alone. */
const MAX_CLAIM_BYTES = 16 * 1_048_576;
/** How long a claim holds; after a crash another relay publishes the rows then. */
const CLAIM_SECONDS = 15;

/** Adds to facts that were read from the outbox what of them is kept elsewhere, in the order given. */
export type Complete = (facts: readonly RecordedFact[]) => Promise<readonly RecordedFact[]>;

interface RelayOptions {
  /** Facts per claim, unless told 1,000. */
  readonly batchSize?: number;
  /** For a service that keeps parts of facts elsewhere. */
  readonly complete?: Complete;
}

/**
 * Publishes one batch, oldest first, and says how many rows it claimed.
 *
 * Relays may run side by side: a claim is a short statement with SKIP LOCKED, and no transaction is open while the
 * broker is spoken to. A crash between publishing and marking publishes again: the bus drops the copy by its id, and
 * the inbox drops what the bus lets through.
 */
export async function relayOnce(
  em: EntityManager,
  publish: Publish,
  { batchSize = RELAY_BATCH, complete = async facts => facts }: RelayOptions = {},
): Promise<number> {
  const claimed = await em.fork().execute<(RecordedFact & { sequence: string })[]>(
    `update outbox_events set claimed_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
      where id in (
        select id
          from (select id, sum(bytes) over (order by sequence) - bytes as bytes_before
                  from (select id, sequence, coalesce(whole_bytes, octet_length(data::text)) as bytes from outbox_events
                         where published_at is null and (claimed_until is null or claimed_until < clock_timestamp())
                         order by sequence limit ? for update skip locked) unpublished) counted
         where bytes_before < ${MAX_CLAIM_BYTES})
      returning id, type, team_id as "teamId", data::text as data, trace,
                (extract(epoch from occurred_at) * 1000)::float8 as "occurredMs", sequence`,
    [batchSize],
  );
  // An update answers rows in any order.
  const inOrder = claimed.toSorted((a, b) => Number(a.sequence) - Number(b.sequence));
  await publishClaimed(em, publish, await complete(inOrder));
  return claimed.length;
}

/**
 * Publishes facts that the caller has claimed, and marks them.
 * @throws AggregateError when some could not be published; they stay in the outbox
 */
export async function publishClaimed(
  em: EntityManager,
  publish: Publish,
  claimed: readonly RecordedFact[],
): Promise<void> {
  if (claimed.length === 0) return;
  const outcomes = await Promise.allSettled(claimed.map(fact => publish(fact.type, encode(fact), fact.id, fact.trace)));
  const published = claimed.filter((_, index) => outcomes[index]?.status === 'fulfilled').map(fact => fact.id);
  const failed = claimed.filter((_, index) => outcomes[index]?.status === 'rejected').map(fact => fact.id);
  if (published.length > 0) await markAll(em, 'published_at = clock_timestamp()', published);
  await unclaim(em, failed);
  if (failed.length > 0) {
    throw new AggregateError(
      outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as unknown] : [])),
      `${failed.length} of ${claimed.length} facts could not be published; they stay in the outbox`,
    );
  }
}

/** Lets the next relay that looks publish these facts. */
export async function unclaim(em: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await markAll(em, 'claimed_until = null', ids);
}

async function markAll(em: EntityManager, assignment: string, ids: readonly string[]): Promise<void> {
  await executeBound(em.fork(), `update outbox_events set ${assignment} where id = any($1::uuid[])`, [ids]);
}

/** The envelope as text; `data` goes in as it is, which spares reading and writing it again. */
function encode({ id, type, teamId, data, occurredMs }: RecordedFact): string {
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
