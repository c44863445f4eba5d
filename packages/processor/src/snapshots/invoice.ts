import { PURCHASE_ORDER_FIELD } from '@billing/contracts/resources/billing-details';
import { INVOICE_STATUSES } from '@billing/contracts/resources/invoice';
import { readInvoiceField } from './customer.ts';
import { parseObject, type Fields } from './fields.ts';
import { readLine, readTaxes, sumOf } from './invoice-amounts.ts';
import { obstacleOf, type PaymentObstacle } from './payments.ts';
import { flag, knownWordOf, reference, shortText, text, unixTime, wholeNumber } from './values.ts';

const status = knownWordOf(INVOICE_STATUSES);

/**
 * Parses an invoice of any API version: its subscription is in `subscription`, and since 2025-03-31 in `parent`. https://docs.stripe.com/changelog/basil/2025-03-31/adds-new-parent-field-to-invoicing-objects
 */
export const readInvoice = (raw: unknown) =>
  parseObject(raw, invoice => {
    const metadataOf = (it: Fields) => it.optionalObject('subscription_details', details => details.metadata());
    const reached = invoice.optionalObject('status_transitions', it => ({
      paidAt: it.optional('paid_at', unixTime),
      finalizedAt: it.optional('finalized_at', unixTime),
      givenUpAt: it.optional('marked_uncollectible_at', unixTime) ?? it.optional('voided_at', unixTime),
    }));
    return {
      ...linksOf(invoice),
      customerId: invoice.optional('customer', reference),
      /** The subscription's metadata when the invoice was created; it names the project. */
      subscriptionMetadata: invoice.optionalObject('parent', metadataOf) ?? metadataOf(invoice) ?? {},
      metadata: invoice.metadata(),
      number: invoice.optional('number', shortText),
      /** Null for a status that is newer than this service. */
      status: invoice.optional('status', status),
      /** Null where the object does not have it; Stripe's do. */
      subtotal: invoice.optional('subtotal', wholeNumber),
      /** What discounts take off the subtotal. */
      discount: sumOf(invoice, 'total_discount_amounts'),
      ...readTaxes(invoice),
      total: invoice.optional('total', wholeNumber),
      amountPaid: invoice.required('amount_paid', wholeNumber),
      amountRemaining: invoice.required('amount_remaining', wholeNumber),
      /** Whether the processor has tried to collect it. */
      attempted: invoice.optional('attempted', flag) ?? false,
      /** How often it did, as it counts them. */
      attempts: invoice.optional('attempt_count', wholeNumber) ?? 0,
      /** When it tries next; null when it does not. */
      nextAttemptAt: invoice.optional('next_payment_attempt', unixTime),
      /** When it became open; null for a draft. */
      finalizedAt: reached?.finalizedAt ?? null,
      currency: invoice.required('currency', shortText),
      billingReason: invoice.optional('billing_reason', shortText),
      /** What it is charged to, if not to the default of its subscription or customer. */
      paymentMethodId: invoice.optional('default_payment_method', reference),
      hostedInvoiceUrl: invoice.optional('hosted_invoice_url', text),
      invoicePdfUrl: invoice.optional('invoice_pdf', text),
      periodStart: invoice.optional('period_start', unixTime),
      periodEnd: invoice.optional('period_end', unixTime),
      dueDate: invoice.optional('due_date', unixTime),
      /** When the processor finalizes it; null for one that is no draft, or stays one. */
      finalizesAt: invoice.optional('automatically_finalizes_at', unixTime),
      testClockId: invoice.optional('test_clock', reference),
      paidAt: reached?.paidAt ?? null,
      /** When it was first given up: marked as uncollectible, or voided. */
      givenUpAt: reached?.givenUpAt ?? null,
      /** Those that its customer had when it was finalized. */
      customerTaxIds: invoice
        .array('customer_tax_ids', taxIdOf)
        .flatMap(({ type, value }) => (value === null ? [] : [{ type, value }])),
      purchaseOrder:
        invoice.array('custom_fields', readInvoiceField).find(({ name }) => name === PURCHASE_ORDER_FIELD)?.value ??
        null,
      lines: invoice.optionalList('lines', lineOf) ?? [],
      createdAt: invoice.required('created', unixTime),
    };
  });

const lineOf = (line: Fields) => ({ ...readLine(line), discount: sumOf(line, 'discount_amounts') });
const taxIdOf = (it: Fields) => ({ type: it.required('type', shortText), value: it.optional('value', shortText) });

const linksOf = (invoice: Fields) => ({
  id: invoice.required('id', shortText),
  subscriptionId:
    invoice.optionalObject('parent', it =>
      it.optionalObject('subscription_details', details => details.optional('subscription', reference)),
    ) ?? invoice.optional('subscription', reference),
  amountDue: invoice.required('amount_due', wholeNumber),
  /** The payment intents that paid it or are to, or charges without one; empty where the object does not have them. */
  paymentIds: paymentsOf(invoice),
});

/** Parses what an invoice is linked to, and what is due. Its lines are not looked at: an event may cut them. */
export const readInvoiceLinks = (raw: unknown) => parseObject(raw, linksOf);

/** An invoice of the processor; amounts in the currency's smallest unit. */
export type InvoiceSnapshot = Readonly<ReturnType<typeof readInvoice>>;

/** Returns the id of a deleted invoice, as it was or as a stub. */
export const readDeletedInvoice = (raw: unknown): string =>
  parseObject(raw, invoice => invoice.required('id', shortText));

/** A payment of an invoice. https://docs.stripe.com/api/invoice-payment */
export interface InvoicePaymentSnapshot {
  readonly invoiceId: string;
  /** The payment intent, or a charge without one; null for what was paid elsewhere. */
  readonly paymentId: string | null;
  /** What keeps the payment intent from being paid; null for nothing, and where the object does not contain it. */
  readonly obstacle: PaymentObstacle | null;
}

/** Parses a payment of an invoice. */
export const readInvoicePayment = (raw: unknown): InvoicePaymentSnapshot =>
  parseObject(raw, payment => ({ ...parseInvoicePayment(payment), invoiceId: payment.required('invoice', reference) }));

const parseInvoicePayment = (payment: Fields) => ({
  paymentId: payment.optionalObject('payment', paymentOf),
  obstacle: payment.optionalObject('payment', it => it.expanded('payment_intent', obstacleOf) ?? null),
});

const paymentOf = (it: Fields) => it.optional('payment_intent', reference) ?? it.optional('charge', reference);

/**
 * The payment intents of an invoice, whatever became of them, or charges without one, as far as the object has them: `payment_intent` and
 * `charge` before 2025-03-31, and since then `payments`, which is left out unless it is asked for.
 */
function paymentsOf(invoice: Fields): readonly string[] {
  const listed = invoice.optionalList('payments', parseInvoicePayment) ?? [];
  return [...new Set([paymentOf(invoice), ...listed.map(it => it.paymentId)].filter(id => id !== null))];
}
