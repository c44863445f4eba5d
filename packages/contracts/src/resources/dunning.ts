import { z } from 'zod';
import { CustomerId, InvoiceId, SubscriptionId } from '../ids.ts';
import { AMOUNT, storedCurrency } from '../money.ts';
import { timestamp } from '../timestamp.ts';

export const DUNNING_STATUSES = ['recovering', 'recovered', 'lost'] as const;
export type DunningStatus = (typeof DUNNING_STATUSES)[number];

export const dunningCase = z
  .object({
    subscriptionId: SubscriptionId.schema,
    customerId: CustomerId.schema,
    invoiceId: InvoiceId.schema,
    amountDue: z.int().meta({ description: `What is to be paid, or was. ${AMOUNT}`, example: 2999 }),
    currency: storedCurrency,
    failedAt: timestamp.describe('When it was tried first, and failed: as the invoice was finalized.'),
    attempts: z.int().meta({ description: 'How often the payment processor tried it by itself.', example: 2 }),
    nextRetryAt: timestamp.nullable().describe('When the payment processor tries next; null when it does not.'),
    lastFailure: z
      .object({
        code: z.string().nullable().meta({
          description:
            'The processor’s or bank’s code; `authentication_required` when the bank wants the customer to confirm it, `payment_method_missing` when there is none to charge.',
          example: 'card_declined',
        }),
        message: z.string().nullable().meta({ description: 'For people.', example: 'Your card was declined.' }),
      })
      .describe('Why the newest attempt failed.'),
    status: z
      .enum(DUNNING_STATUSES)
      .describe('`recovered`: it was paid after all. `lost`: it was given up, or its subscription ended unpaid.'),
    endedAt: timestamp.nullable().describe('When it was paid or lost; null before.'),
    hostedInvoiceUrl: z
      .string()
      .nullable()
      .meta({ description: 'Where the customer can pay it.', example: 'https://invoice.stripe.com/i/acct_1/test_1' }),
  })
  .meta({
    id: 'DunningCase',
    description:
      'An invoice of a subscription whose payment failed. A purchase that was not completed and a declined change of plan are none.',
    example: { status: 'recovering', endedAt: null },
  });
export type DunningCase = z.output<typeof dunningCase>;

const sums = z.object({
  recovering: z.int().meta({ example: 2999 }),
  recovered: z.int().meta({ example: 5998 }),
  lost: z.int().meta({ example: 0 }),
});

export const dunningTotals = z.record(z.string(), sums).meta({
  description: `What the cases of each status amount to, by currency, less those on test clocks. ${AMOUNT}`,
  example: { usd: { recovering: 2999, recovered: 5998, lost: 0 } },
});
