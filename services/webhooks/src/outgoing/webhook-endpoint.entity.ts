import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId, WebhookEndpointId } from '@billing/contracts/ids';
import type { DISABLED_REASONS, WEBHOOK_ENDPOINT_STATUSES } from '@billing/contracts/resources/webhook-endpoint';

const WebhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  indexes: [
    { name: 'webhook_endpoints_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'webhook_endpoints_due', properties: ['teamId', 'dueAt'], where: 'due_at is not null' },
  ],
  properties: {
    id: p.text().$type<WebhookEndpointId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    url: p.text(),
    description: p.text().strictNullable(),
    eventTypes: p.array(),
    maxConcurrency: p.integer(),
    includeSync: p.boolean(),
    apiVersion: p.text(),
    status: p.text().$type<(typeof WEBHOOK_ENDPOINT_STATUSES)[number]>(),
    disabledReason: p.text().$type<(typeof DISABLED_REASONS)[number]>().strictNullable(),
    /** When the first failure after the last success ended. */
    failingSince: p.datetime().strictNullable(),
    lastSuccessAt: p.datetime().strictNullable(),
    /** Failed attempts since the last success. */
    failures: p.integer(),
    /** The object of the first of them, and whether another one failed too. */
    failedObject: p.text().strictNullable(),
    hasFailedTwoObjects: p.boolean(),
    /** Whether its failure was reported to the owners since its last success. */
    isWarned: p.boolean().default(false),
    /** Every event up to it is handled, or has a delivery. */
    position: p.bigint('number'),
    /** How far there are events, as far as anybody said. */
    wantedPosition: p.bigint('number'),
    /** When it must be looked at next; the end of the lease meanwhile. */
    dueAt: p.datetime().strictNullable(),
    leaseId: p.uuid().strictNullable(),
    /** How often deliveries were made due from outside; who has the lease looks for them. */
    calls: p.integer().default(0),
    /** How many events for tenants it has. */
    sequence: p.integer().default(0),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** An address of a tenant that events are posted to. */
export class WebhookEndpoint extends WebhookEndpointSchema.class {}
WebhookEndpointSchema.setClass(WebhookEndpoint);
