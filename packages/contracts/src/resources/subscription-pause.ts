import { z } from 'zod';
import { AMOUNT } from '../money.ts';
import { optional, withDefault } from '../optional.ts';
import { givenTime } from '../timestamp.ts';
import { BILLING_CYCLES, planChangePreview } from './plan-change.ts';

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

export const subscriptionResume = z
  .strictObject({
    billingCycle: withDefault(z.enum(BILLING_CYCLES), 'keep').describe(
      'Of a subscription with the status `paused`: whether it goes on in the period that it would be in, of which the rest is charged, or begins a new one.',
    ),
    expectedAmountDue: optional(z.int()).meta({
      description: `The \`amountDue\` of the preview that the customer has seen; where more is due nothing changes. ${AMOUNT}`,
      example: 1500,
    }),
  })
  .meta({ id: 'SubscriptionResume', description: 'How a paused subscription goes on.' });
export type SubscriptionResume = z.output<typeof subscriptionResume>;

export const resumePreview = planChangePreview
  .pick({
    currency: true,
    amountDue: true,
    subtotal: true,
    discount: true,
    tax: true,
    creditApplied: true,
    creditGranted: true,
    debitApplied: true,
    carriedOver: true,
    total: true,
    lines: true,
    exact: true,
  })
  .meta({
    id: 'ResumePreview',
    description: 'What resuming a paused subscription charges now: the payment processor’s own figures.',
    example: {},
  });
export type ResumePreview = z.output<typeof resumePreview>;
