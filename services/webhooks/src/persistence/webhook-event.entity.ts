import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, SyncId, TeamId } from '@billing/contracts/ids';
import type { RoutedBy, WebhookEventStatus } from '@billing/contracts/resources/webhook-event';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';

const WebhookEventSchema = defineEntity({
  name: 'WebhookEvent',
  tableName: 'webhook_events',
  indexes: [
    { name: 'webhook_events_newest', properties: ['teamId', 'projectId', 'receivedAt', 'id'] },
    { name: 'webhook_events_due_of_team', properties: ['teamId', 'dueAt'], where: 'due_at is not null' },
    {
      name: 'webhook_events_in_flight',
      properties: ['dueAt'],
      where: `lease_id is not null or awaiting <> '{}'`,
    },
    { name: 'webhook_events_of_sync', properties: ['syncId'], where: 'sync_id is not null' },
    {
      name: 'webhook_events_received',
      expression: 'create index webhook_events_received on webhook_events using brin (received_at)',
    },
    {
      name: 'webhook_events_waiting',
      expression:
        'create index webhook_events_waiting on webhook_events using gin (waiting_for) where waiting_for is not null',
    },
    {
      name: 'webhook_events_foreign',
      properties: ['receivedAt'],
      where: "error = 'foreign' and payload is not null",
    },
  ],
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    /** Stripe's event id. */
    id: p.text().primary(),
    type: p.text(),
    apiVersion: p.text().nullable(),
    livemode: p.boolean(),
    objectId: p.text().nullable(),
    /** The sync that has read the object, in place of an event of Stripe's. */
    syncId: p.text().$type<SyncId>().nullable(),
    /** The whole event; null once it was deleted. */
    payload: p.json<unknown>().columnType('json').nullable(),
    /** Length of the payload. */
    payloadBytes: p.integer(),
    /** Of the request that brought it: what is done about the event belongs to the same trace. */
    trace: p.json<TraceCarrier>(),
    status: p.text().$type<WebhookEventStatus>(),
    /** The project whose record this is: the one that the event names, or the first it was routed to. */
    projectId: p.text().$type<ProjectId>().nullable(),
    routedBy: p.text().$type<RoutedBy>().nullable(),
    /** Every project that it was published to. */
    routedTo: p.array<ProjectId>(value => value as ProjectId), // the column holds nothing else
    /** Those of them whose outcome is still to come. */
    awaiting: p.array<ProjectId>(value => value as ProjectId), // the column holds nothing else
    /** Those of them in which it failed. */
    failedIn: p.array<ProjectId>(value => value as ProjectId), // the column holds nothing else
    attempts: p.integer(),
    error: p.text().nullable(),
    /** When it must be processed next; the end of the lease meanwhile, null while nothing is to be done. */
    dueAt: p.datetime().nullable(),
    leaseId: p.uuid().nullable(),
    /** How often it was leased to find its project. */
    routingAttempts: p.integer(),
    /** How often it was replayed: a replay is published under new ids. */
    replays: p.integer(),
    /** Stripe's ids that could lead to its project; null unless it found none. A route of one of them makes it due. */
    waitingFor: p.array().nullable(),
    /** Counts what was published of the record. */
    version: p.integer(),
    processorCreatedAt: p.datetime(),
    receivedAt: p.datetime(),
    processedAt: p.datetime().nullable(),
    /** The reconciler found it at Stripe, since no webhook had delivered it. */
    recovered: p.boolean(),
  },
});

/** A webhook event: the record that the API shows, and the work that is still to be done on it. */
export class WebhookEvent extends WebhookEventSchema.class {}
WebhookEventSchema.setClass(WebhookEvent);
