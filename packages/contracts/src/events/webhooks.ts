import { z } from 'zod';
import { defineEvent } from '../event.ts';
import { webhookEvent } from '../resources/webhook-event.ts';

export const webhookEventState = webhookEvent.extend({ version: z.int() });
export type WebhookEventState = z.output<typeof webhookEventState>;

/** The whole state of webhook events whose status or project changed. */
export const WebhookEventChanged = defineEvent(
  'webhook-event.changed.v1',
  z.object({ webhookEvents: z.array(webhookEventState).min(1) }),
);

/** A team's processor credentials changed; services that cache them must fetch them again. Carries no secret. */
export const ProcessorAccountChanged = defineEvent(
  'processor-account.changed.v1',
  z.object({ version: z.int(), accountId: z.string(), livemode: z.boolean() }),
);
