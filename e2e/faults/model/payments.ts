import { foldByObject, type StripeEvent } from './stripe-event.ts';

/** A payment with Stripe ids; amounts are in the smallest unit of the currency. */
export interface ModelPayment {
  readonly processorCustomerId: string | null;
  readonly processorInvoiceId: string | null;
  readonly processorChargeId: string | null;
  readonly amount: number;
  readonly amountRefunded: number;
  readonly currency: string;
  readonly status: string;
  readonly failureCode: string | null;
}

type StripeObject = StripeEvent['data']['object'];

/** The newest objects of a payment; `charge` is the one that succeeded, if any did. */
interface Objects {
  readonly intent?: StripeObject;
  readonly charge?: StripeObject;
  readonly disputes: ReadonlyMap<string, string>;
}

const PAYMENT_EVENTS =
  /^(payment_intent\.(succeeded|payment_failed)|charge\.(succeeded|failed|refunded)|charge\.dispute\.(created|closed))$/;
const NOTHING: Objects = { disputes: new Map() };

/** Returns payments by the Stripe id of their payment intent. */
export function foldPayments(events: readonly StripeEvent[]): Map<string, ModelPayment> {
  const payments = foldByObject<Objects>(events, PAYMENT_EVENTS, add, intentOf);
  const invoices = invoicesOfPayments(events);
  return new Map([...payments].map(([id, objects]) => [id, paymentOf(objects, invoices.get(id) ?? null)]));
}

const intentOf = ({ data: { object } }: StripeEvent): string =>
  String(object.object === 'payment_intent' ? object.id : object.payment_intent);

function add(state: Objects = NOTHING, { data: { object } }: StripeEvent): Objects {
  if (object.object === 'payment_intent') return { ...state, intent: object };
  if (object.object === 'dispute')
    return { ...state, disputes: new Map([...state.disputes, [object.id, object.status]]) };
  return { ...state, charge: state.charge?.paid && !object.paid ? state.charge : object };
}

function paymentOf({ intent, charge, disputes }: Objects, processorInvoiceId: string | null): ModelPayment {
  const { amount, currency, customer } = intent ?? charge;
  const amountRefunded = charge?.amount_refunded ?? 0;
  const status = statusOf(
    charge?.paid ?? intent.status === 'succeeded',
    [...disputes.values()],
    amountRefunded,
    amount,
  );
  return {
    processorCustomerId: customer,
    processorInvoiceId,
    processorChargeId: charge?.id ?? null,
    amount,
    amountRefunded,
    currency,
    status,
    failureCode: status === 'failed' ? (charge?.failure_code ?? intent.last_payment_error?.code ?? null) : null,
  };
}

/** An open dispute hides a lost one, which hides refunds. A dispute that was won changes nothing. */
function statusOf(isPaid: boolean, disputes: readonly string[], refunded: number, amount: number): string {
  if (!isPaid) return 'failed';
  if (disputes.some(status => status !== 'won' && status !== 'lost')) return 'disputed';
  if (disputes.includes('lost')) return 'dispute_lost';
  if (refunded === 0) return 'succeeded';
  return refunded < amount ? 'partially_refunded' : 'refunded';
}

/** Returns the Stripe ids of invoices by the payment intent that paid them, or failed to. */
function invoicesOfPayments(events: readonly StripeEvent[]): ReadonlyMap<string, string> {
  const invoices = new Map<string, string>();
  for (const [index, { type, created, data }] of events.entries()) {
    const { object } = data;
    if (type === 'invoice_payment.paid') invoices.set(object.payment.payment_intent, object.invoice);
    // The event of the invoice names no payment; that of the attempt came just before.
    if (type !== 'invoice.payment_failed') continue;
    const attempt = events.slice(0, index).findLast(before => {
      const { customer, amount } = before.data.object;
      const isSame = customer === object.customer && amount === object.amount_due && before.created === created;
      return before.type === 'payment_intent.payment_failed' && isSame;
    });
    if (attempt) invoices.set(attempt.data.object.id, object.id);
  }
  return invoices;
}
