import { z } from 'zod';
import { EventId, WebhookDeliveryId, WebhookEndpointId } from '../ids.ts';
import { createdAt, timestamp } from '../timestamp.ts';

export const WEBHOOK_DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'canceled'] as const;
export const ATTEMPT_TRIGGERS = ['automatic', 'manual', 'recovery', 'test'] as const;

export const webhookDelivery = z
  .object({
    id: WebhookDeliveryId.schema,
    endpointId: WebhookEndpointId.schema,
    eventId: EventId.schema,
    type: z.string().meta({ description: 'The type of the event.', example: 'invoice.paid' }),
    status: z.enum(WEBHOOK_DELIVERY_STATUSES).describe('`canceled`: the endpoint or what it needs was deleted.'),
    attempts: z.int().meta({ description: 'How often it was tried.', example: 1 }),
    nextAttemptAt: timestamp
      .nullable()
      .describe('When it is tried next, or later while its endpoint fails or has much to do; null when it is not.'),
    createdAt,
  })
  .meta({
    id: 'WebhookDelivery',
    description: 'An event on its way to an endpoint, from the first attempt on.',
    example: { status: 'succeeded' },
  });
export type WebhookDelivery = z.output<typeof webhookDelivery>;

export const webhookAttempt = z
  .object({
    number: z.int().meta({ description: 'Counts the attempts from 1.', example: 1 }),
    trigger: z.enum(ATTEMPT_TRIGGERS).describe('Why it was made.'),
    at: timestamp.describe('When it began.'),
    durationMs: z.int().meta({ description: 'How long it took, in milliseconds.', example: 84 }),
    responseStatus: z.int().nullable().meta({ description: 'Null when there was no response.', example: 200 }),
    responseBody: z.string().nullable().describe('The first 4 KiB as text; null for a private address.'),
    error: z.string().nullable().describe('Why there was no response, such as `timeout` or `address_not_allowed`.'),
    address: z
      .string()
      .nullable()
      .meta({ description: 'The address that it was sent to; null when there was no connection.', example: '8.8.8.8' }),
  })
  .meta({ id: 'WebhookAttempt', description: 'One request to an endpoint.' });
export type WebhookAttempt = z.output<typeof webhookAttempt>;
