import { z } from 'zod';
import { TeamId } from '../ids.ts';
import { optional, withDefault } from '../optional.ts';
import { timestamp } from '../timestamp.ts';

const credential = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(/^[\x21-\x7e]+$/, 'Expected printable characters without spaces.');

/** Whoever guesses it can forge events, so a prefix alone, or a few characters, is none. */
const webhookSecret = credential.regex(
  /^whsec_.{6,}$/,
  'Expected a signing secret that starts with whsec_, whole as the processor shows it.',
);

export const processorConnect = z
  .strictObject({
    secretKey: credential
      .regex(
        /^(sk|rk)_(test|live)_./,
        'Expected a whole key that starts with sk_test_, sk_live_, rk_test_ or rk_live_.',
      )
      .describe('A secret or restricted key of the account.'),
    publishableKey: optional(
      credential.regex(/^pk_(test|live)_./, 'Expected a whole key that starts with pk_test_ or pk_live_.'),
    ).describe('A publishable key of the same account and mode.'),
    webhookSecret: optional(webhookSecret).describe(
      'The signing secret of the webhook endpoint; the previous one stays valid for 24 hours. Without it the endpoint is made at the payment processor, which needs a key that may do so.',
    ),
    additionalWebhookSecrets: withDefault(z.array(webhookSecret).max(4), []).describe(
      'Signing secrets of further endpoints, valid as long as they are listed.',
    ),
  })
  .meta({
    id: 'ProcessorConnect',
    description: 'Credentials of the payment processor; they are never returned.',
    example: { secretKey: 'sk_test_example', publishableKey: 'pk_test_example', webhookSecret: 'whsec_example' },
  });

export const webhookUrl = z.string().meta({
  description: 'Where the payment processor sends its webhooks.',
  example: `https://billing.example.com/api/webhooks/processor/${TeamId.example}`,
});

export const processorAccount = z
  .object({
    connected: z.literal(true).describe('Always true.'),
    accountId: z.string().describe('The id of the account at the payment processor.'),
    livemode: z.boolean().describe('False in test mode.'),
    publishableKey: z.string().nullable().describe('Null when none was given.'),
    secretKeyLast4: z.string().describe('The last four characters of the secret key.'),
    webhookUrl,
    apiVersion: z.string().describe('The version of the payment processor’s API that is used.'),
    connectedAt: timestamp.describe('When the team connected the account.'),
    updatedAt: timestamp.describe('When the credentials last changed.'),
  })
  .meta({
    id: 'ProcessorAccount',
    description: 'A team’s connection to the payment processor.',
    example: {
      accountId: 'acct_1Example2eZvKYlo2',
      publishableKey: 'pk_test_example',
      secretKeyLast4: 'mple',
      apiVersion: '2026-10-28.endive',
    },
  });

/** The account that a team was disconnected from. Its records stay, so only the same one can be connected, or any after a purge. */
export const lastAccount = z
  .object({
    accountId: z.string().describe('The id of the account at the payment processor.'),
    livemode: z.boolean().describe('False in test mode.'),
    secretKeyLast4: z.string().describe('The last four characters of the secret key that was connected last.'),
    disconnectedAt: timestamp.describe('When the team was disconnected.'),
  })
  .meta({
    id: 'LastProcessorAccount',
    description: 'The account that the team was disconnected from, whose records it still has.',
    example: { accountId: 'acct_1Example2eZvKYlo2', secretKeyLast4: 'mple' },
  });
