import { z } from 'zod';
import { EVENT_TYPES, TYPE_CHOICES } from '../event-types.ts';
import { ProjectId, WebhookEndpointId, WebhookRecoveryId } from '../ids.ts';
import { optional, withDefault } from '../optional.ts';
import { isStorable, optionalText } from '../text.ts';
import { createdAt, timestamp, updatedAt } from '../timestamp.ts';

export const WEBHOOK_ENDPOINT_STATUSES = ['enabled', 'failing', 'disabled'] as const;
export const DISABLED_REASONS = ['manual', 'failing', 'gone'] as const;

const MAX_CONCURRENCY = 50;
const MAX_DESCRIPTION = 500;
/** The webhooks service refuses far shorter ones, with a reason. */
const MAX_URL = 8_192;

function isUrl(value: string): boolean {
  return isStorable(value) && value.trim() === value && URL.parse(value) !== null;
}

const eventTypes = z
  .array(z.enum(TYPE_CHOICES))
  .min(1)
  .max(EVENT_TYPES.length)
  .meta({ description: 'The types that it gets: exact names, `invoice.*`, or `*` for all.', example: ['*'] });
const url = z.string().max(MAX_URL).refine(isUrl, 'Expected an absolute URL.').meta({
  description: 'Where events are posted: https, on port 443 or from 1024 on, at a public address.',
  example: 'https://shop.example/webhooks/billing',
});
const description = z.string().describe('What it is for, for people.');
const enabled = z.boolean().describe('Whether events are sent.');
const maxConcurrency = z
  .int()
  .min(1)
  .max(MAX_CONCURRENCY)
  .meta({ description: 'How many requests are on their way to it at once, at most.', example: 10 });
const includeSync = z.boolean().describe('Whether it also gets the events of imports (`cause.type` is `sync`).');

const endpointSecret = z
  .object({
    last4: z.string().meta({ description: 'How it ends.', example: 'Kc8=' }),
    createdAt,
    expiresAt: timestamp.nullable().describe('Until when it signs; null for the current one.'),
  })
  .meta({ id: 'WebhookEndpointSecret', description: 'A secret that signs what is sent.' });

export const webhookEndpoint = z
  .object({
    id: WebhookEndpointId.schema,
    url: url.describe('Where events are posted.'),
    description: z.string().nullable().describe('What it is for; null when it was not given.'),
    eventTypes,
    maxConcurrency,
    includeSync,
    status: z
      .enum(WEBHOOK_ENDPOINT_STATUSES)
      .describe('`failing`: one event is tried at a time until one succeeds, then what waits follows.'),
    disabledReason: z
      .enum(DISABLED_REASONS)
      .nullable()
      .describe('`failing`: no success for 120 hours. `gone`: it has responded with 410. Null unless it is disabled.'),
    failingSince: timestamp.nullable().describe('When the first attempt after the last success failed.'),
    lastSuccessAt: timestamp.nullable().describe('When it last responded with a 2xx.'),
    lag: z
      .object({
        events: z.int().meta({ description: 'Events that wait to be sent, counted to 10,000.', example: 0 }),
        oldestAt: timestamp.nullable().describe('When the oldest of them happened.'),
      })
      .describe('What waits to be sent.'),
    apiVersion: z.string().meta({ description: 'The version of the events that it gets.', example: '2026-12-01' }),
    secrets: z.array(endpointSecret).describe('The secrets that sign, the newest first.'),
    projectId: ProjectId.schema,
    createdAt,
    updatedAt,
  })
  .meta({
    id: 'WebhookEndpoint',
    description: 'An address of yours that events are posted to.',
    example: { status: 'enabled', lastSuccessAt: '2026-03-02T09:31:12.000Z' },
  });
export type WebhookEndpoint = z.output<typeof webhookEndpoint>;

export const webhookEndpointCreate = z
  .strictObject({
    url,
    eventTypes: withDefault(eventTypes, ['*']),
    description: optional(optionalText(MAX_DESCRIPTION)).describe(description.description ?? ''),
    enabled: withDefault(enabled, true),
    maxConcurrency: withDefault(maxConcurrency, 10),
    includeSync: withDefault(includeSync, false),
    secret: optional(z.string().max(128).refine(isStorable)).describe(
      'A secret of your own: `whsec_` and base64 of 24 to 64 bytes. One is made unless you give it.',
    ),
  })
  .meta({
    id: 'WebhookEndpointCreate',
    description: 'An endpoint to create.',
    example: { eventTypes: ['invoice.*', 'payment.failed'] },
  });

export const webhookEndpointUpdate = z
  .strictObject({
    url,
    eventTypes,
    description: optionalText(MAX_DESCRIPTION).nullable().describe('Null clears it.'),
    enabled,
    maxConcurrency,
    includeSync,
    resumeFrom: z
      .enum(['missed', 'now'])
      .describe('With `enabled: true`: whether it gets what it missed (by default), or only what comes from now on.'),
  })
  .partial()
  .refine(it => it.resumeFrom === undefined || it.enabled === true, {
    path: ['resumeFrom'],
    message: 'Only together with `enabled: true`.',
  })
  .meta({
    id: 'WebhookEndpointUpdate',
    description: 'The fields of an endpoint to change.',
    example: { eventTypes: ['invoice.*'] },
  });

export const webhookRecovery = z
  .object({
    id: WebhookRecoveryId.schema,
    status: z.enum(['running', 'completed']).describe('It runs until its events are queued.'),
    matched: z.int().meta({
      description: 'Events that it sends, as far as it has looked; all of them once it is completed.',
      example: 12,
    }),
    queued: z.int().meta({ description: 'Those of them that are queued.', example: 0 }),
  })
  .meta({ id: 'WebhookRecovery', description: 'Past events that are sent again.' });
export type WebhookRecovery = z.output<typeof webhookRecovery>;
