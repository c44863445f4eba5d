import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import type { RoutedBy, WebhookEventStatus } from '@billing/contracts/resources/webhook-event';
import type { TraceCarrier } from '@billing/messaging/trace-carrier';
import type { Outcome } from '#domain/outcome.ts';

const WebhookEventSchema = defineEntity({
  name: 'WebhookEvent',
  tableName: 'webhook_events',
  indexes: [
    { name: 'webhook_events_newest', properties: ['teamId', 'projectId', 'receivedAt', 'id'] },
    { name: 'webhook_events_due', properties: ['dueAt'], where: 'due_at is not null' },
    { name: 'webhook_events_untold', properties: ['tellAt'], where: 'tell_at is not null' },
    { name: 'webhook_events_payloads', properties: ['receivedAt'], where: 'payload is not null' },
    { name: 'webhook_events_unrouted', properties: ['teamId'], where: 'waiting_for is not null' },
  ],
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    /** The processor's event id. */
    id: p.text().primary(),
    type: p.text(),
    apiVersion: p.text().nullable(),
    livemode: p.boolean(),
    objectId: p.text().nullable(),
    /** The whole event; null once it was let go. */
    payload: p.json<unknown>().columnType('json').nullable(),
    /** As it came, in bytes; 0 for one that was done before this was counted. */
    payloadBytes: p.integer(),
    /** Of the request that brought it: what is done on it belongs to the same trace. */
    trace: p.json<TraceCarrier>(),
    status: p.text().$type<WebhookEventStatus>(),
    /** The project whose record this is: the one the event names, or the first it was routed to. */
    projectId: p.text().$type<ProjectId>().nullable(),
    routedBy: p.text().$type<RoutedBy>().nullable(),
    /** Every project that got it. */
    routedTo: p.array<ProjectId>(value => value as ProjectId), // the column holds nothing else
    /** Those of them whose outcome is still to come. */
    awaiting: p.array<ProjectId>(value => value as ProjectId), // the column holds nothing else
    /** Those of them in which it failed. */
    failedIn: p.array<ProjectId>(value => value as ProjectId), // the column holds nothing else
    /** The worst of the outcomes that have come. */
    outcome: p.text().$type<Outcome>().nullable(),
    attempts: p.integer(),
    error: p.text().nullable(),
    /** When there is work to do on it next; null while there is none. A claim moves it to the claim's end. */
    dueAt: p.datetime().nullable(),
    /** When to tell that it is not settled yet; null once that is told, and once it is settled. */
    tellAt: p.datetime().nullable(),
    /** Whoever works on it; only the holder may write the result. */
    claimId: p.uuid().nullable(),
    /** How often it was claimed to find its project. */
    routingAttempts: p.integer(),
    /** The processor's ids that could tell its project, once it found none. */
    waitingFor: p.array().nullable(),
    version: p.integer(),
    processorCreatedAt: p.datetime(),
    receivedAt: p.datetime(),
    processedAt: p.datetime().nullable(),
    /** Found in the processor's list of events, since no webhook had brought it. */
    recovered: p.boolean().default(false),
  },
});

/** An event of the processor: the record that is shown, and the work that is still to be done on it. */
export class WebhookEvent extends WebhookEventSchema.class {}
WebhookEventSchema.setClass(WebhookEvent);
