import { foldEach, type ToldEvent } from './told-event.ts';

/** An invoice, in the processor's ids; amounts in the smallest unit of its currency. */
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

const INVOICE_EVENTS = /^invoice\.(finalized|updated|payment_failed|voided|paid)$/;

const isSettled = (status: string): boolean => status === 'paid' || status === 'void';

/** The newest event counts, and what is paid or void stays so. */
export const foldInvoices = (told: readonly ToldEvent[]): Map<string, ModelInvoice> =>
  foldEach<ModelInvoice>(told, INVOICE_EVENTS, (state, event) => {
    const next = read(event);
    return state && isSettled(state.status) && !isSettled(next.status) ? state : next;
  });

function read({ data: { object } }: ToldEvent): ModelInvoice {
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
