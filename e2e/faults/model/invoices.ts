import { foldByObject, type StripeEvent } from './stripe-event.ts';

/** An invoice with Stripe ids; amounts are in the smallest unit of the currency. */
export interface ModelInvoice {
  readonly processorCustomerId: string;
  readonly processorSubscriptionId: string | null;
  readonly number: string | null;
  readonly status: string;
  readonly amountDue: number;
  readonly amountPaid: number;
  readonly amountRemaining: number;
  readonly currency: string;
  readonly billingReason: string | null;
}

/** `created` is not handled: a draft is known only where the processor was read, or once another event names it. */
const INVOICE_EVENTS = /^invoice\.(created|finalized|updated|payment_failed|voided|marked_uncollectible|paid)$/;

const isFinal = (status: string): boolean => status === 'paid' || status === 'void';

/** Returns invoices by Stripe id. The newest event wins; a paid or void invoice stays paid or void. */
export const foldInvoices = (events: readonly StripeEvent[]): Map<string, ModelInvoice> =>
  foldByObject<ModelInvoice>(events, INVOICE_EVENTS, (state, event) => {
    const next = read(event);
    return state && isFinal(state.status) && !isFinal(next.status) ? state : next;
  });

function read({ data: { object } }: StripeEvent): ModelInvoice {
  return {
    processorCustomerId: object.customer,
    processorSubscriptionId: object.parent?.subscription_details?.subscription ?? null,
    number: object.number,
    status: object.status,
    amountDue: object.amount_due,
    amountPaid: object.amount_paid,
    amountRemaining: object.amount_remaining,
    currency: object.currency,
    billingReason: object.billing_reason,
  };
}
