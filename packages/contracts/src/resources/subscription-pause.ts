import { z } from 'zod';
import { optional, withDefault } from '../optional.ts';
import { givenTime } from '../timestamp.ts';

/** What may happen to invoices while payments are paused. https://docs.stripe.com/billing/subscriptions/pause-payment */
export const PAUSED_INVOICES = ['void', 'keep_as_draft', 'mark_uncollectible'] as const;

export const subscriptionPauseCreate = z
  .strictObject({
    invoices: withDefault(z.enum(PAUSED_INVOICES), 'void').describe(
      'What happens to the invoices of the pause: they are voided, stay drafts, or are given up as bad debts.',
    ),
    resumesAt: optional(givenTime).meta({
      description: 'When the pause ends by itself; not before someone resumes it if absent.',
      example: '2026-05-02T09:30:00.000Z',
    }),
  })
  .meta({ id: 'SubscriptionPauseCreate', description: 'How to pause the payments of a subscription.' });
export type SubscriptionPauseCreate = z.output<typeof subscriptionPauseCreate>;
