import { z } from 'zod';
import { CustomerId, InvoiceId, PaymentId, ProjectId } from '../ids.ts';
import { storedCurrency } from '../money.ts';
import { optional } from '../optional.ts';
import { createdAt, updatedAt } from '../timestamp.ts';

export const PAYMENT_STATUSES = [
  'requires_capture',
  'canceled',
  'succeeded',
  'failed',
  'refunded',
  'partially_refunded',
  'inquiry',
  'disputed',
  'dispute_lost',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

export const paymentMethod = z.object({
  type: z.string().describe('As the payment processor names it, for example `card` or `sepa_debit`.'),
  brand: z.string().nullable().describe('Of a card, also one that a wallet charges: for example `visa`.'),
  last4: z.string().nullable().describe('The end of the number of a card or a bank account.'),
  bankName: z
    .string()
    .nullable()
    .describe('The bank of a bank account, by its name or the payment processor’s code for it.'),
  country: z.string().nullable().describe('Where a bank account is, in two letters.'),
  account: z
    .string()
    .nullable()
    .describe(
      'Whose wallet it is, for example of Link, PayPal or Cash App: an e-mail address or a name without its middle, `a•••e@example.com` or `$j•••y`.',
    ),
});
/** A payment method, with what tells it apart from others of its type. */
export type PaymentMethod = z.output<typeof paymentMethod>;

const { bankName, country, account } = paymentMethod.shape;
/**
 * One that an earlier version may have stored or published, which knew fewer fields: the next event of the payment or a sync
 * has them all.
 */
export const storedPaymentMethod = paymentMethod.extend({
  bankName: bankName.default(null),
  country: country.default(null),
  account: account.default(null),
});
export type StoredPaymentMethod = z.input<typeof storedPaymentMethod>;

export const payment = z
  .object({
    id: PaymentId.schema,
    processorPaymentIntentId: z
      .string()
      .nullable()
      .describe('Null for a charge without a payment intent, which only old integrations make.'),
    processorChargeId: z
      .string()
      .nullable()
      .describe('The charge that succeeded, or else the newest one; null until one is known.'),
    customerId: CustomerId.schema.nullable().describe('Null when the payment belongs to no customer.'),
    invoiceId: InvoiceId.schema
      .nullable()
      .describe('Null unless the events of the payment processor name the invoice.'),
    amount: z.int().describe('What was captured; until then, what was requested or authorized.'),
    amountRefunded: z.int().describe('The part of the amount that was refunded, or is being refunded.'),
    currency: storedCurrency,
    status: z
      .enum(PAYMENT_STATUSES)
      .describe(
        '`requires_capture`: authorized, no money taken. `canceled`: the authorization was released or expired. `inquiry`: the bank asks, and took no money. A payment whose dispute was won is `succeeded` again.',
      ),
    paymentMethod: paymentMethod.nullable().describe('What was charged; null until that is known.'),
    failureCode: z.string().nullable().describe('Why the last attempt failed; null for a payment that has succeeded.'),
    failureMessage: z.string().nullable().describe('The same in words, as the payment processor says it.'),
    projectId: ProjectId.schema,
    createdAt,
    updatedAt,
  })
  .meta({
    id: 'Payment',
    description: 'A payment at the payment processor; amounts are in the currency’s smallest unit.',
    example: {
      processorPaymentIntentId: 'pi_3RqZ9c2eZvKYlo2C1pD4rT8v',
      processorChargeId: 'ch_3RqZ9c2eZvKYlo2C1mN6yU0b',
      customerId: CustomerId.example,
      invoiceId: InvoiceId.example,
      amount: 2999,
      amountRefunded: 999,
      status: 'partially_refunded',
      paymentMethod: { type: 'card', brand: 'visa', last4: '4242', bankName: null, country: null, account: null },
    },
  });
export type Payment = z.output<typeof payment>;

/** Why a payment is refunded, in the processor's words. https://docs.stripe.com/api/refunds/create */
export const REFUND_REASONS = ['duplicate', 'fraudulent', 'requested_by_customer'] as const;
export type RefundReason = (typeof REFUND_REASONS)[number];

/** No payment is larger: the processor takes amounts of up to twelve digits. */
const MAX_PAYMENT = 999_999_999_999;

export const paymentRefund = z
  .strictObject({
    amount: optional(z.int().min(1).max(MAX_PAYMENT)).describe('How much of it; all that is left unless given.'),
    reason: optional(z.enum(REFUND_REASONS)).describe(
      'Shown at the payment processor; `fraudulent` also blocks the card there.',
    ),
  })
  .meta({
    id: 'PaymentRefund',
    description: 'A refund of a payment, in whole or in part.',
    example: { amount: 999, reason: 'requested_by_customer' },
  });

/** Payments that took money, at least for a while; the rest of a lost dispute is gone. */
export const COLLECTED_STATUSES = [
  'succeeded',
  'partially_refunded',
  'refunded',
  'inquiry',
  'disputed',
] as const satisfies readonly PaymentStatus[];

const total = z.object({
  currency: storedCurrency,
  amount: z.int().meta({ example: 2999 }).describe('In the currency’s smallest unit.'),
  count: z.int().meta({ example: 1 }).describe('Number of payments, or of invoices.'),
});

export const paymentTotals = z
  .object({
    collected: z
      .array(total)
      .describe(
        `What payments created in the window took, less their refunds: those that are ${COLLECTED_STATUSES.map(status => `\`${status}\``).join(', ')}. \`GET P/payments?collected=true\` lists them.`,
      ),
    pastDue: z
      .array(total)
      .describe(
        'What remains to be paid of open invoices that the processor has tried to collect, or whose due date is past: `GET P/invoices?pastDue=true` lists them. A bank debit that takes days to arrive is counted until then.',
      ),
  })
  .meta({
    id: 'PaymentTotals',
    description: 'Sums of payments and invoices in each currency that has some; currencies are never added up.',
  });
export type PaymentTotals = z.output<typeof paymentTotals>;
