import { z } from 'zod';
import { InvoiceId } from '../ids.ts';
import { AMOUNT, storedCurrency } from '../money.ts';
import { withDefault } from '../optional.ts';
import { cancellationFields } from './cancellation.ts';
import { previewLine } from './plan-change.ts';

export const OPEN_INVOICE_CHOICES = ['keep', 'void'] as const;

const amount = (description: string, example: number) => z.int().meta({ description, example });

/** What becomes of the rest of the period, and of invoices that are not paid. https://docs.stripe.com/api/subscriptions/cancel */
export const subscriptionCancel = z
  .strictObject({
    ...cancellationFields,
    prorate: withDefault(z.boolean(), false).describe(
      'Whether to credit the unused part of the period: to the customer’s balance with `invoiceNow`, else as an item that waits for an invoice.',
    ),
    invoiceNow: withDefault(z.boolean(), false).describe(
      'Whether to make a final invoice, charged now, of all that waits for one, the credit of `prorate` included.',
    ),
    openInvoices: withDefault(z.enum(OPEN_INVOICE_CHOICES), 'keep').describe(
      '`void` voids the drafts and open invoices that it has before, but never the final one; `keep` leaves them payable, though the payment processor collects them no more.',
    ),
  })
  .meta({
    id: 'SubscriptionCancel',
    description: 'Why and how a subscription is canceled.',
    example: { reason: 'unused', prorate: true, invoiceNow: true, openInvoices: 'void' },
  });
export type SubscriptionCancel = z.output<typeof subscriptionCancel>;

/** An invoice that was to be voided with its subscription. */
export const endedInvoice = z
  .object({
    id: InvoiceId.schema,
    outcome: z.enum(['voided', 'paid']).describe('`paid`: it was paid before it could be voided, or nothing was due.'),
  })
  .meta({ id: 'EndedInvoice', description: 'What became of an invoice of a subscription that was canceled.' });
export type EndedInvoice = z.output<typeof endedInvoice>;

export const cancellationPreview = z
  .object({
    currency: storedCurrency,
    credit: amount(
      `What is credited: to the customer’s balance with \`invoiceNow\`, else on what waits for an invoice. ${AMOUNT}`,
      1_409,
    ),
    amountDue: amount(
      `What the final invoice charges, where more waits for it than is credited, or the customer owes from before; 0 without \`invoiceNow\`. ${AMOUNT}`,
      0,
    ),
    lines: z
      .array(previewLine)
      .readonly()
      .meta({ description: 'Of the final invoice; without `invoiceNow` all that waits for an invoice.' }),
    exact: z.literal(false).describe('The unused part shrinks from second to second.'),
  })
  .meta({
    id: 'CancellationPreview',
    description: 'What canceling a subscription now credits or charges: the payment processor’s own figures.',
    example: { credit: 1_409 },
  });
export type CancellationPreview = z.output<typeof cancellationPreview>;
