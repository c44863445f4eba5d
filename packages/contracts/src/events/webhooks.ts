import { z } from 'zod';
import { fact } from '../fact.ts';
import { webhookEvent } from '../resources/webhook-event.ts';

/** A webhook event's whole record, each time its status or project changes. */
export const WebhookEventChanged = fact('webhook-event.changed.v1', webhookEvent.extend({ version: z.int() }));

/** A team's processor credentials changed; whoever holds a copy asks anew. Carries no secret. */
export const ProcessorAccountChanged = fact(
  'processor-account.changed.v1',
  z.object({ version: z.int(), accountId: z.string(), livemode: z.boolean() }),
);
