import { z } from 'zod';
import { ProjectId, TeamId } from '../ids.ts';
import { timestamp } from '../timestamp.ts';

export const WEBHOOK_EVENT_STATUSES = ['received', 'processed', 'failed', 'ignored'] as const;
export type WebhookEventStatus = (typeof WEBHOOK_EVENT_STATUSES)[number];

/** How an event's project was found. */
export const ROUTED_BY = ['object-metadata', 'known-id', 'customer-metadata'] as const;
export type RoutedBy = (typeof ROUTED_BY)[number];

/** The id of a webhook event in a path. */
export const processorEventId = z
  .string()
  .regex(/^evt_[0-9A-Za-z_]{1,250}$/, 'Expected an id that starts with evt_.')
  .meta({
    description: 'The payment processor’s id of the event.',
    example: 'evt_1RqZbK2eZvKYlo2CkV3mT9sX',
  });

export const webhookEvent = z
  .object({
    id: z.string().describe('The payment processor’s id of the event.'),
    teamId: TeamId.schema,
    projectId: ProjectId.schema.nullable().describe('Null until the event is routed to a project.'),
    type: z.string().describe('Its type at the payment processor.'),
    apiVersion: z.string().nullable().describe('The version of the payment processor’s API that it is written in.'),
    livemode: z.boolean().describe('False in test mode.'),
    objectId: z.string().nullable().describe('The processor’s id of the object that the event is about.'),
    status: z
      .enum(WEBHOOK_EVENT_STATUSES)
      .describe(
        '`ignored` has no effect, for example because it belongs to no project, to another account or to the other mode.',
      ),
    routedBy: z.enum(ROUTED_BY).nullable().describe('How the project was found.'),
    attempts: z.int().describe('How often it was handled.'),
    error: z.string().nullable().describe('The reason of the failure.'),
    processorCreatedAt: timestamp.describe('When it happened at the payment processor.'),
    receivedAt: timestamp.describe('When it arrived here.'),
    processedAt: timestamp.nullable().describe('When its handling ended; null until then.'),
    recovered: z
      .boolean()
      .describe(
        'Whether the webhook was missing and the event was fetched from the payment processor’s list of events.',
      ),
  })
  .meta({
    id: 'WebhookEvent',
    description: 'A webhook event of the payment processor.',
    example: {
      id: 'evt_1RqZbK2eZvKYlo2CkV3mT9sX',
      projectId: ProjectId.example,
      type: 'customer.subscription.created',
      apiVersion: '2026-10-28.endive',
      objectId: 'sub_1RqZ9c2eZvKYlo2CrX0hJ6kL',
      status: 'processed',
      routedBy: 'object-metadata',
      attempts: 1,
      processedAt: '2026-03-02T09:30:00.000Z',
      recovered: false,
    },
  });
export type WebhookEvent = z.output<typeof webhookEvent>;
