import { INVOICE_STATUSES, type InvoiceStatus } from '@billing/contracts/resources/invoice';
import { knownWordOf, parseObject, reference, text, unixTime, wholeNumber, type Fields } from './fields.ts';

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
  readonly currency: string;
  readonly billingReason: string | null;
  readonly hostedInvoiceUrl: string | null;
  readonly invoicePdfUrl: string | null;
  readonly periodStart: Date | null;
  readonly periodEnd: Date | null;
  readonly dueDate: Date | null;
  readonly paidAt: Date | null;
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
    const paidAt = invoice.optionalObject('status_transitions', it => it.optional('paid_at', unixTime));
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
      currency: invoice.required('currency', text),
      billingReason: invoice.optional('billing_reason', text),
      hostedInvoiceUrl: invoice.optional('hosted_invoice_url', text),
      invoicePdfUrl: invoice.optional('invoice_pdf', text),
      periodStart: invoice.optional('period_start', unixTime),
      periodEnd: invoice.optional('period_end', unixTime),
      dueDate: invoice.optional('due_date', unixTime),
      paidAt,
      createdAt: invoice.required('created', unixTime),
    };
  });

/**
 * Reads the ids of an invoice's payment intents, or charges without one, as far as the payload has them: `payment_intent`
 * and `charge` before 2025-03-31, and since then `payments`, which may be left out. https://docs.stripe.com/api/invoice-payment
 */
export const readInvoicePayments = (raw: unknown): { readonly id: string; readonly paymentIds: readonly string[] } =>
  parseObject(raw, invoice => {
    const paymentOf = (it: Fields) => it.optional('payment_intent', reference) ?? it.optional('charge', reference);
    const listed = invoice.optionalList('payments', it => it.optionalObject('payment', paymentOf)) ?? [];
    const paymentIds = [paymentOf(invoice), ...listed].filter(id => id !== null);
    return { id: invoice.required('id', text), paymentIds: [...new Set(paymentIds)] };
  });
