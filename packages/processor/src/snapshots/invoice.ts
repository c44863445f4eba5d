import { INVOICE_STATUSES, type InvoiceStatus } from '@billing/contracts/resources/invoice';
import { flag, knownWordOf, parseObject, reference, text, unixTime, wholeNumber, type Fields } from './fields.ts';

/** An invoice of the processor; amounts in the currency's smallest unit. */
export interface InvoiceSnapshot {
  readonly id: string;
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
  /** The subscription's metadata when the invoice was created; it names the project. */
  readonly subscriptionMetadata: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly number: string | null;
  /** Null for a status that is newer than this service. */
  readonly status: InvoiceStatus | null;
  readonly amountDue: number;
  readonly amountPaid: number;
  readonly amountRemaining: number;
  /** Whether the processor has tried to collect it. */
  readonly attempted: boolean;
  /** How often it did, as it counts them. */
  readonly attempts: number;
  /** When it tries next; null when it does not. */
  readonly nextAttemptAt: Date | null;
  /** When it became open; null for a draft. */
  readonly finalizedAt: Date | null;
  readonly currency: string;
  readonly billingReason: string | null;
  readonly hostedInvoiceUrl: string | null;
  readonly invoicePdfUrl: string | null;
  readonly periodStart: Date | null;
  readonly periodEnd: Date | null;
  readonly dueDate: Date | null;
  readonly paidAt: Date | null;
  /** When it was first given up: marked as uncollectible, or voided. */
  readonly givenUpAt: Date | null;
  /** The payment intents that paid it or are to, or charges without one; empty where the object does not have them. */
  readonly paymentIds: readonly string[];
  readonly createdAt: Date;
}

const status = knownWordOf(INVOICE_STATUSES);

/**
 * Parses an invoice of any API version: its subscription is in `subscription`, and since 2025-03-31 in `parent`. https://docs.stripe.com/changelog/basil/2025-03-31/adds-new-parent-field-to-invoicing-objects
 */
export const readInvoice = (raw: unknown): InvoiceSnapshot =>
  parseObject(raw, invoice => {
    const parent = invoice.optionalObject('parent', it =>
      it.optionalObject('subscription_details', details => ({
        subscriptionId: details.optional('subscription', reference),
        metadata: details.metadata(),
      })),
    );
    const oldDetails = invoice.optionalObject('subscription_details', it => ({ metadata: it.metadata() }));
    const oldSubscriptionId = invoice.optional('subscription', reference);
    const reached = invoice.optionalObject('status_transitions', it => ({
      paidAt: it.optional('paid_at', unixTime),
      finalizedAt: it.optional('finalized_at', unixTime),
      givenUpAt: it.optional('marked_uncollectible_at', unixTime) ?? it.optional('voided_at', unixTime),
    }));
    return {
      id: invoice.required('id', text),
      customerId: invoice.optional('customer', reference),
      subscriptionId: parent?.subscriptionId ?? oldSubscriptionId,
      subscriptionMetadata: parent?.metadata ?? oldDetails?.metadata ?? {},
      metadata: invoice.metadata(),
      number: invoice.optional('number', text),
      status: invoice.optional('status', status),
      amountDue: invoice.required('amount_due', wholeNumber),
      amountPaid: invoice.required('amount_paid', wholeNumber),
      amountRemaining: invoice.required('amount_remaining', wholeNumber),
      attempted: invoice.optional('attempted', flag) ?? false,
      attempts: invoice.optional('attempt_count', wholeNumber) ?? 0,
      nextAttemptAt: invoice.optional('next_payment_attempt', unixTime),
      finalizedAt: reached?.finalizedAt ?? null,
      currency: invoice.required('currency', text),
      billingReason: invoice.optional('billing_reason', text),
      hostedInvoiceUrl: invoice.optional('hosted_invoice_url', text),
      invoicePdfUrl: invoice.optional('invoice_pdf', text),
      periodStart: invoice.optional('period_start', unixTime),
      periodEnd: invoice.optional('period_end', unixTime),
      dueDate: invoice.optional('due_date', unixTime),
      paidAt: reached?.paidAt ?? null,
      givenUpAt: reached?.givenUpAt ?? null,
      paymentIds: paymentsOf(invoice),
      createdAt: invoice.required('created', unixTime),
    };
  });

/** Returns the id of a deleted invoice, as it was or as a stub. */
export const readDeletedInvoice = (raw: unknown): string => parseObject(raw, invoice => invoice.required('id', text));

/** A payment of an invoice. https://docs.stripe.com/api/invoice-payment */
export interface InvoicePaymentSnapshot {
  readonly invoiceId: string;
  /** The payment intent, or a charge without one; null for what was paid elsewhere. */
  readonly paymentId: string | null;
}

/** Parses a payment of an invoice. */
export const readInvoicePayment = (raw: unknown): InvoicePaymentSnapshot =>
  parseObject(raw, payment => ({ ...parseInvoicePayment(payment), invoiceId: payment.required('invoice', reference) }));

const parseInvoicePayment = (payment: Fields) => ({ paymentId: payment.optionalObject('payment', paymentOf) });

const paymentOf = (it: Fields) => it.optional('payment_intent', reference) ?? it.optional('charge', reference);

/**
 * The payment intents of an invoice, whatever became of them, or charges without one, as far as the object has them: `payment_intent` and
 * `charge` before 2025-03-31, and since then `payments`, which is left out unless it is asked for.
 */
function paymentsOf(invoice: Fields): readonly string[] {
  const listed = invoice.optionalList('payments', parseInvoicePayment) ?? [];
  return [...new Set([paymentOf(invoice), ...listed.map(it => it.paymentId)].filter(id => id !== null))];
}
