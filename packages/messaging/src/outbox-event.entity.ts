import { defineEntity, p } from '@mikro-orm/postgresql';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';

const OutboxEventSchema = defineEntity({
  name: 'OutboxEvent',
  tableName: 'outbox_events',
  indexes: [{ name: 'outbox_events_unpublished', properties: ['sequence'], where: 'due_at is not null' }],
  properties: {
    id: p.uuid().primary(),
    /** About the order of commits: transactions may commit in another order than they insert. */
    sequence: p.bigint().autoincrement().unique('outbox_events_sequence_unique'),
    type: p.text(),
    teamId: p.text(),
    /** Kept as text: nobody searches in it, and parsing it would cost more than storing it. */
    data: p.json<unknown>().columnType('json'),
    /** Length of `data`. */
    dataBytes: p.integer(),
    trace: p.json<TraceCarrier>(),
    occurredAt: p.datetime(),
    /** When a relay should publish the event; the end of the lease while one does, null once it is published. */
    dueAt: p.datetime().nullable(),
    leaseId: p.uuid().nullable(),
    publishedAt: p.datetime().nullable(),
  },
});

/** An event on its way to the bus, written in the transaction of the change that it describes. */
export class OutboxEvent extends OutboxEventSchema.class {}
OutboxEventSchema.setClass(OutboxEvent);
