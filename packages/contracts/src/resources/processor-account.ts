import { z } from 'zod';
import { timestamp } from '../timestamp.ts';

const credential = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(/^[\x21-\x7e]+$/, 'Expected printable characters without spaces.');

const webhookSecret = credential.regex(/^whsec_/, 'Expected a signing secret that starts with whsec_.');

export const processorConnect = z.strictObject({
  secretKey: credential.regex(
    /^(sk|rk)_(test|live)_/,
    'Expected a key that starts with sk_test_, sk_live_, rk_test_ or rk_live_.',
  ),
  publishableKey: credential
    .regex(/^pk_(test|live)_/, 'Expected a key that starts with pk_test_ or pk_live_.')
    .optional(),
  /** Without it the webhook endpoint is made at the processor. */
  webhookSecret: webhookSecret.optional(),
  /** Of further endpoints; accepted as long as they are listed. */
  additionalWebhookSecrets: z.array(webhookSecret).max(4).default([]),
});

/** A team's connection to the processor, without its secrets. */
export const processorAccount = z.object({
  connected: z.literal(true),
  accountId: z.string(),
  livemode: z.boolean(),
  publishableKey: z.string().nullable(),
  secretKeyLast4: z.string(),
  webhookUrl: z.string(),
  apiVersion: z.string(),
  connectedAt: timestamp,
  updatedAt: timestamp,
});
