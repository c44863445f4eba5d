import { z } from 'zod';
import { ProjectId, TeamId } from '../ids.ts';
import { timestamp } from '../timestamp.ts';

export const WEBHOOK_EVENT_STATUSES = ['received', 'processed', 'failed', 'ignored'] as const;
export type WebhookEventStatus = (typeof WEBHOOK_EVENT_STATUSES)[number];

/** How an event's project was found. */
export const ROUTED_BY = ['object-metadata', 'known-id', 'customer-metadata'] as const;
export type RoutedBy = (typeof ROUTED_BY)[number];

export const webhookEvent = z.object({
  /** The processor's event id. */
  id: z.string(),
  teamId: TeamId.schema,
  projectId: ProjectId.schema.nullable(),
  type: z.string(),
  apiVersion: z.string().nullable(),
  livemode: z.boolean(),
  objectId: z.string().nullable(),
  status: z.enum(WEBHOOK_EVENT_STATUSES),
  routedBy: z.enum(ROUTED_BY).nullable(),
  attempts: z.int(),
  error: z.string().nullable(),
  processorCreatedAt: timestamp,
  receivedAt: timestamp,
  processedAt: timestamp.nullable(),
  /** True when no webhook delivered the event and the reconciler fetched it from the processor. */
  recovered: z.boolean().default(false),
});
export type WebhookEvent = z.output<typeof webhookEvent>;

/** The id of a webhook event in a path. */
export const processorEventId = z.string().regex(/^evt_[0-9A-Za-z_]{1,250}$/, 'Expected an id that starts with evt_.');
