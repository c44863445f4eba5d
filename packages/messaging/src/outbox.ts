import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventType } from '@billing/contracts/event';
import { executeBound, textArray } from '@billing/service/bound-statement';
import type { z } from 'zod';
import { currentTrace, type TraceCarrier } from './trace-carrier.ts';
import type { NewEvent, Publish } from './new-event.ts';
import { timedTransaction, type TimeLimits } from './timed-transaction.ts';
import { COMMITTED_LEASE_SECONDS, type CommittedEvents } from './committed-events.ts';
import { OutboxEvent } from './outbox-event.entity.ts';
import { publishBatched, type BatchedItem } from './publish-batched.ts';

export type { Publish } from './new-event.ts';

/** Work in a transaction that can publish events. */
export type PublishingWork<Result> = (tx: EntityManager, publish: Publish) => Promise<Result>;

/** Transactions whose events reach the bus if, and only if, they commit. */
export interface Outbox {
  /** Of the service's database. */
  readonly em: EntityManager;
  /**
   * Runs `work` in a transaction. The events that it publishes are stored by the same commit and go to the bus after it,
   * at least once, under ids that stay the same.
   * @throws TimeoutError when `limits` are given and reached; nothing of the work takes effect then
   */
  transaction<Result>(work: PublishingWork<Result>, limits?: TimeLimits): Promise<Result>;
}

/** Opens the outbox of a service's database. With `committed` the relay of this process gets events from memory. */
export function openOutbox(em: EntityManager, committed?: CommittedEvents): Outbox {
  return {
    em,
    async transaction(work, limits) {
      let afterCommit: () => void = () => undefined;
      const result = await timedTransaction(em, limits, async tx => {
        const events: NewEvent[] = [];
        const worked = await work(tx, (type, teamId, data, trace = currentTrace()) => {
          const fields = { id: randomUUID(), type: type.name, teamId, trace, occurredMs: Date.now() };
          events.push({ ...fields, data: JSON.stringify(type.data.encode(data)) });
        });
        if (events.length === 0) return worked;
        const insertedAt = performance.now();
        const leaseId = committed?.hasRoom() ? randomUUID() : null;
        await insertEvents(tx, events, leaseId);
        afterCommit = () =>
          leaseId
            ? committed?.add(
                events.map(event => ({ ...event, leaseId })),
                insertedAt,
              )
            : committed?.missed();
        return worked;
      });
      afterCommit();
      return result;
    },
  };
}

/** With a lease id the events are leased for the relay of this process, else any relay may publish them. */
async function insertEvents(tx: EntityManager, events: readonly NewEvent[], leaseId: string | null): Promise<void> {
  const rows = events.map(({ id, type, teamId, data, trace, occurredMs }) => {
    return { id, type, team_id: teamId, data_bytes: Buffer.byteLength(data), trace, occurred_ms: occurredMs };
  });
  await executeBound(
    tx,
    `insert into outbox_events (id, type, team_id, data, data_bytes, trace, occurred_at, due_at, lease_id)
     select id, type, team_id, unnest::json, data_bytes, trace, to_timestamp(occurred_ms / 1000),
            clock_timestamp() + make_interval(secs => $3), $4::uuid
       from rows from (
              json_to_recordset($1::json) as
                (id uuid, type text, team_id text, data_bytes int, trace jsonb, occurred_ms float8),
              unnest($2::text[])) as e`,
    [JSON.stringify(rows), textArray(events.map(({ data }) => data)), leaseId ? COMMITTED_LEASE_SECONDS : 0, leaseId],
  );
}

/* Until every service publishes through an outbox. */

export function record<Data extends z.ZodType>(
  em: EntityManager,
  type: EventType<Data>,
  teamId: string,
  data: z.output<Data>,
): void {
  const encoded: unknown = type.data.encode(data);
  em.persist(
    em.create(OutboxEvent, {
      id: randomUUID(),
      type: type.name,
      teamId,
      data: encoded,
      dataBytes: Buffer.byteLength(JSON.stringify(encoded)),
      trace: currentTrace(),
      occurredAt: new Date(),
      dueAt: new Date(0),
      leaseId: null,
      publishedAt: null,
    }),
  );
}

export function newOutboxRow<Data extends z.ZodType>(
  type: EventType<Data>,
  teamId: string,
  data: z.output<Data>,
  trace: TraceCarrier = currentTrace(),
): OutboxRow {
  const encoded: unknown = type.data.encode(data);
  const fields = { id: randomUUID(), type: type.name, teamId, trace, occurredMs: Date.now() };
  return { ...fields, encoded, data: JSON.stringify(encoded) };
}

export interface OutboxRow extends NewEvent {
  readonly encoded: unknown;
}

export async function recordAll(tx: EntityManager, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length > 0) await insertEvents(tx, rows, null);
}

export function rowsOfMany<Data extends z.ZodType, Item>(
  type: EventType<Data>,
  told: readonly BatchedItem<Item>[],
  dataOf: (items: Item[]) => z.output<Data>,
): OutboxRow[] {
  const rows: OutboxRow[] = [];
  const publish = ((of: EventType, teamId: string, data: unknown, trace?: TraceCarrier) => {
    rows.push(newOutboxRow(of, teamId, data, trace));
  }) as Publish;
  publishBatched(publish, type, told, dataOf);
  return rows;
}
