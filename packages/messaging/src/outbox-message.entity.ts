import { defineEntity, p } from '@mikro-orm/postgresql';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';

const OutboxMessageSchema = defineEntity({
  name: 'OutboxMessage',
  tableName: 'outbox_messages',
  indexes: [
    { name: 'outbox_messages_unpublished', properties: ['sequence'], where: 'due_at is not null' },
    { name: 'outbox_messages_published', properties: ['teamId', 'sequence'], where: 'published_at is not null' },
  ],
  properties: {
    /** About the order of commits: transactions may commit in another order than they insert. */
    sequence: p.bigint().primary().autoincrement(),
    /** The id of the message on the bus. */
    id: p.uuid(),
    type: p.text(),
    teamId: p.text(),
    /** JSON as it goes to the bus. */
    body: p.text(),
    /** How many events it carries. */
    events: p.integer(),
    trace: p.json<TraceCarrier>(),
    createdAt: p.datetime(),
    /** When a relay should publish the message; the end of the lease while one does, null once it is published. */
    dueAt: p.datetime().nullable(),
    leaseId: p.uuid().nullable(),
    publishedAt: p.datetime().nullable(),
  },
});

/** A message on its way to the bus, written in the transaction of the changes that its events describe. */
export class OutboxMessage extends OutboxMessageSchema.class {}
OutboxMessageSchema.setClass(OutboxMessage);
