import { z } from 'zod';
import { declareOperations, success } from '../declare-operations.ts';
import { EVENT_TYPES, TYPE_CHOICES } from '../event-types.ts';
import { EventId, WebhookEndpointId } from '../ids.ts';
import { optional, withDefault } from '../optional.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import { event } from '../resources/event.ts';
import { WEBHOOK_DELIVERY_STATUSES, webhookAttempt, webhookDelivery } from '../resources/webhook-delivery.ts';
import {
  webhookEndpoint,
  webhookEndpointCreate,
  webhookEndpointUpdate,
  webhookRecovery,
} from '../resources/webhook-endpoint.ts';
import { integerText, isStorable } from '../text.ts';
import { givenTime } from '../timestamp.ts';

const read = projectAccess('webhooks:read');
const write = projectAccess('webhooks:write');
const ENDPOINTS = `${PROJECT_PATH}/webhook-endpoints` as const;
const ENDPOINT = `${ENDPOINTS}/:webhookEndpointId` as const;
const DELIVERY = `${PROJECT_PATH}/webhook-deliveries/:webhookDeliveryId` as const;

const DAY_MS = 86_400_000;
const MAX_OVERLAP_MS = 7 * DAY_MS;
const MAX_WAIT_MS = 20_000;

const secret = z.string().meta({
  description: 'The secret that signs what is sent; it is shown this once.',
  example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
});
const since = givenTime.optional().describe('Only those from this time on.');
const until = givenTime.optional().describe('Only those before this time.');
/** A list that is read by cursor alone: it has no total and no offset. */
const cursorQuery = {
  limit: pageQuery.limit,
  cursor: pageQuery.cursor.describe('`nextCursor` of the page before.'),
};
const nextCursor = z
  .string()
  .nullable()
  .meta({ description: 'Pass it as `cursor` to get the next page; null on the last page.', example: null });
const types = z
  .codec(z.string(), z.array(z.enum(TYPE_CHOICES)).min(1), {
    decode: list => list.split(',') as never, // the schema of the result checks each of them
    encode: list => list.join(','),
  })
  .optional()
  .describe('Only events of these types, with commas between them: exact names, `invoice.*`, or `*`.');

export const outgoingOperations = declareOperations('webhooks', {
  createWebhookEndpoint: {
    route: `POST ${ENDPOINTS}`,
    access: write,
    summary: 'Create an endpoint that events are posted to, from now on',
    body: webhookEndpointCreate,
    status: 201,
    response: z.object({ webhookEndpoint, secret }),
    problems: ['webhook_url_not_allowed', 'quota_exceeded'],
  },
  listWebhookEndpoints: {
    route: `GET ${ENDPOINTS}`,
    access: read,
    summary: 'List endpoints, newest first',
    query: z.strictObject(pageQuery),
    response: z.object({ webhookEndpoints: z.array(webhookEndpoint), pagination }),
  },
  getWebhookEndpoint: {
    route: `GET ${ENDPOINT}`,
    access: read,
    summary: 'Get an endpoint with its state',
    response: z.object({ webhookEndpoint }),
    problems: ['webhook_endpoint_not_found'],
  },
  updateWebhookEndpoint: {
    route: `PATCH ${ENDPOINT}`,
    access: write,
    summary: 'Change an endpoint, disable or enable it',
    body: webhookEndpointUpdate,
    response: z.object({ webhookEndpoint }),
    problems: ['webhook_endpoint_not_found', 'webhook_url_not_allowed'],
  },
  deleteWebhookEndpoint: {
    route: `DELETE ${ENDPOINT}`,
    access: write,
    summary: 'Delete an endpoint; what waits for it is not sent',
    response: success,
    problems: ['webhook_endpoint_not_found'],
  },
  rotateWebhookSecret: {
    route: `POST ${ENDPOINT}/rotate-secret`,
    access: write,
    summary: 'Replace the secret; the old one signs too for a while',
    body: z.strictObject({
      overlapMs: withDefault(z.int().min(0).max(MAX_OVERLAP_MS), DAY_MS).describe(
        'How long older secrets sign too, at most, in milliseconds; 0 ends all of them.',
      ),
    }),
    response: z.object({ webhookEndpoint, secret }),
    problems: ['webhook_endpoint_not_found', 'secret_rotation_limit'],
    example: { body: {} },
  },
  testWebhookEndpoint: {
    route: `POST ${ENDPOINT}/test`,
    access: write,
    waits: true,
    summary: 'Send an event with example data, and wait for the response',
    body: z.strictObject({
      type: withDefault(z.enum(['ping', ...EVENT_TYPES]), 'ping').describe('The type of the event.'),
    }),
    response: z.object({ attempt: webhookAttempt }),
    problems: ['webhook_endpoint_not_found'],
    example: { body: {}, response: { attempt: { trigger: 'test' } } },
  },
  sendWebhookEvent: {
    route: `POST ${ENDPOINT}/send`,
    access: write,
    summary: 'Send one event, whatever types the endpoint gets',
    body: z.strictObject({ eventId: EventId.schema }),
    status: 202,
    response: z.object({ delivery: webhookDelivery }),
    problems: ['webhook_endpoint_not_found', 'event_not_found', 'webhook_endpoint_disabled', 'event_deleted'],
    example: { body: { eventId: EventId.example }, response: { delivery: { status: 'pending' } } },
  },
  recoverWebhookEvents: {
    route: `POST ${ENDPOINT}/recover`,
    access: write,
    summary: 'Send past events again: those that failed, those that it never got, or all',
    body: z.strictObject({
      since: givenTime.describe('From when on.'),
      until: optional(givenTime).describe('Until when; until now unless given.'),
      only: z.enum(['failed', 'missing', 'all']).describe('Which of them.'),
    }),
    status: 202,
    response: z.object({ recovery: webhookRecovery }),
    problems: ['webhook_endpoint_not_found', 'recovery_running', 'recovery_too_old'],
    example: { body: { since: '2026-03-01T00:00:00.000Z', only: 'failed' } },
  },
  listWebhookDeliveries: {
    route: `GET ${PROJECT_PATH}/webhook-deliveries`,
    access: read,
    summary: 'List deliveries, newest first',
    query: z.strictObject({
      endpointId: WebhookEndpointId.schema.optional().describe('Only those to this endpoint.'),
      eventId: EventId.schema.optional().describe('Only those of this event.'),
      type: z.enum(EVENT_TYPES).optional().describe('Only those of events of this type.'),
      status: z.enum(WEBHOOK_DELIVERY_STATUSES).optional().describe('Only those with this status.'),
      since,
      until,
      ...cursorQuery,
    }),
    response: z.object({ deliveries: z.array(webhookDelivery), nextCursor }),
    example: { query: { status: 'failed' } },
  },
  getWebhookDelivery: {
    route: `GET ${DELIVERY}`,
    access: read,
    summary: 'Get a delivery with its event and its attempts',
    response: z.object({ delivery: webhookDelivery, event, attempts: z.array(webhookAttempt) }),
    problems: ['webhook_delivery_not_found'],
  },
  retryWebhookDelivery: {
    route: `POST ${DELIVERY}/retry`,
    access: write,
    summary: 'Send a delivery again now, also one that had succeeded',
    status: 202,
    response: z.object({ delivery: webhookDelivery }),
    problems: ['webhook_delivery_not_found', 'webhook_endpoint_disabled', 'delivery_in_progress', 'event_deleted'],
    example: { response: { delivery: { status: 'pending' } } },
  },
  listEvents: {
    route: `GET ${PROJECT_PATH}/events`,
    access: read,
    waits: true,
    summary: 'Read the events of the project in their order; ascending, the cursor goes on for ever',
    query: z.strictObject({
      order: z.enum(['asc', 'desc']).default('asc').describe('Oldest first, or newest first.'),
      types,
      objectId: z.string().max(255).refine(isStorable).optional().describe('Only events of this object.'),
      since,
      until,
      waitMs: integerText(0, MAX_WAIT_MS)
        .default(0)
        .describe(
          'How long to wait for the first event when there is none, in milliseconds; ascending only. A team may have 32 requests that wait; more get 429.',
        ),
      ...cursorQuery,
    }),
    response: z.object({
      events: z.array(event),
      nextCursor: nextCursor.describe('Where to go on; ascending it is null only before the first event.'),
      hasMore: z.boolean().describe('Whether there are more events already.'),
    }),
    example: { query: { types: 'invoice.paid,payment.failed' } },
  },
  getEvent: {
    route: `GET ${PROJECT_PATH}/events/:publicEventId`,
    access: read,
    summary: 'Get an event',
    response: z.object({ event }),
    problems: ['event_not_found'],
  },
});
