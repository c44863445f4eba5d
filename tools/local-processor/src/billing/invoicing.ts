import type { Unit } from '../api/unit.ts';
import { newId } from '../domain/ids.ts';
import { customerOrNull } from '../objects/customer.ts';
import { type BilledLine, invoiceAddresses, newInvoice } from '../objects/invoice.ts';
import type {
  Customer,
  Invoice,
  InvoicePayment,
  PaymentIntent,
  PaymentMethod,
  Subscription,
} from '../objects/stored.ts';
import { moveBalance } from './balance.ts';
import { type Attempt, attemptPayment, createPaymentIntent } from './payments.ts';

const DAY_SECONDS = 86_400;

/** Days until the next try after the first, second and third failed one; after the fourth nothing more is tried. */
const RETRY_DAYS = [3, 5, 7];

interface Bill {
  id: string;
  customer: Customer | null;
  subscription: Subscription | null;
  reason: NonNullable<Invoice['billing_reason']>;
  currency: string;
  lines: BilledLine[];
  period: { start: number; end: number };
  metadata: Record<string, string>;
  /** False for what a customer's credit may not pay: one-time Checkout. */
  usesBalance: boolean;
  /** The intent that an earlier, declined try has left. */
  paymentIntent: PaymentIntent | null;
}

/**
 * Makes an invoice and finalizes it at once: number, addresses, the customer's credit used, and a payment that waits.
 * What is due may be nothing.
 */
export function openInvoice(unit: Unit, bill: Bill): Invoice {
  const { customer } = bill;
  const credit = customer && bill.usesBalance && customer.currency === bill.currency ? customer.balance : 0;
  const draft = unit.create('invoice', newInvoice(unit, { ...bill, startingBalance: credit }));
  unit.emit('invoice.created', draft);
  const invoice = unit.update('invoice', draft, {
    status: 'open',
    number: takeNumber(unit, customer),
    ending_balance: credit === 0 ? 0 : Math.min(0, draft.total + credit),
    effective_at: unit.now,
    status_transitions: { ...draft.status_transitions, finalized_at: unit.now },
    ...invoiceAddresses(unit, draft.id),
  });
  unit.emit('invoice.finalized', invoice);
  if (customer) settleBalance(unit, customer.id, invoice);
  if (invoice.amount_due > 0) expectPayment(unit, invoice, bill.paymentIntent);
  return invoice;
}

/** Uses up the credit an invoice took, or collects the debt it carried; the customer's currency is set by the first invoice. */
function settleBalance(unit: Unit, customerId: string, invoice: Invoice): void {
  const customer = customerOrNull(unit, customerId);
  if (!customer) return;
  const moved = (invoice.ending_balance ?? 0) - invoice.starting_balance;
  if (moved !== 0) {
    const { currency, id } = invoice;
    const why = { description: null, metadata: {}, invoice: id };
    moveBalance(unit, customer, { amount: moved, currency, type: 'applied_to_invoice', ...why });
  } else if (customer.currency !== invoice.currency && customer.currency === null) {
    unit.update('customer', customer, { currency: invoice.currency }, 'customer.updated');
  }
}

function expectPayment(unit: Unit, invoice: Invoice, existing: PaymentIntent | null): void {
  const { amount_due: amount, currency, customer } = invoice;
  const description =
    invoice.billing_reason === 'subscription_create' ? 'Subscription creation' : 'Subscription update';
  const payable = { amount, currency, customer, description, metadata: {} };
  const reusable = existing?.amount === amount ? existing : null;
  const intent = reusable ?? createPaymentIntent(unit, payable, true);
  unit.create('invoice_payment', {
    id: newId('inpay_1'),
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: amount,
    created: unit.now,
    currency,
    invoice: invoice.id,
    is_default: true,
    livemode: unit.livemode,
    payment: { payment_intent: intent.id, type: 'payment_intent' },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  });
}

/**
 * Tries to collect an open invoice with a card; one with nothing due needs none. Returns the invoice as it is then, and
 * the try, if there was one. Without a card the try fails with no charge.
 */
export function collectInvoice(
  unit: Unit,
  invoice: Invoice,
  card: PaymentMethod | null,
  declined: boolean,
): { invoice: Invoice; attempt: Attempt | null } {
  if (invoice.amount_remaining === 0) return { invoice: markPaid(unit, invoice, null), attempt: null };
  const payment = openPayment(unit, invoice.id);
  const intent = payment && unit.tables.payment_intent.get(payment.payment.payment_intent);
  if (!card || !intent) return { invoice: markFailed(unit, invoice), attempt: null };
  const attempt = attemptPayment(unit, intent, card, declined);
  return { invoice: attempt.declined ? markFailed(unit, invoice) : markPaid(unit, invoice, payment), attempt };
}

/** The payment that an invoice waits for. */
export function openPayment(unit: Unit, invoiceId: string): InvoicePayment | undefined {
  return unit.tables.invoice_payment.withField('invoice', invoiceId).find(({ status }) => status === 'open');
}

/** Marks an invoice paid and tells of it. */
export function markPaid(unit: Unit, invoice: Invoice, payment: InvoicePayment | null): Invoice {
  const attempts = invoice.attempt_count + (payment ? 1 : 0);
  const paid = unit.update(
    'invoice',
    invoice,
    {
      status: 'paid',
      amount_paid: invoice.amount_due,
      amount_remaining: 0,
      attempted: true,
      attempt_count: attempts,
      auto_advance: false,
      next_payment_attempt: null,
      status_transitions: { ...invoice.status_transitions, paid_at: unit.now },
    },
    'invoice.updated',
  );
  unit.emit('invoice.paid', paid);
  unit.emit('invoice.payment_succeeded', paid);
  if (payment) {
    const status_transitions = { canceled_at: null, paid_at: unit.now };
    const settled = { status: 'paid', amount_paid: payment.amount_requested, status_transitions };
    unit.emit('invoice_payment.paid', unit.update('invoice_payment', payment, settled));
  }
  return paid;
}

function markFailed(unit: Unit, invoice: Invoice): Invoice {
  const pause = RETRY_DAYS[invoice.attempt_count];
  const failed = unit.update(
    'invoice',
    invoice,
    {
      attempted: true,
      attempt_count: invoice.attempt_count + 1,
      next_payment_attempt: pause === undefined ? null : unit.now + pause * DAY_SECONDS,
    },
    'invoice.updated',
  );
  unit.emit('invoice.payment_failed', failed);
  return failed;
}

/** Gives an open or uncollectible invoice up for good. */
export function voidInvoice(unit: Unit, invoice: Invoice): Invoice {
  const voided = unit.update(
    'invoice',
    invoice,
    {
      status: 'void',
      auto_advance: false,
      next_payment_attempt: null,
      status_transitions: { ...invoice.status_transitions, voided_at: unit.now },
    },
    'invoice.updated',
  );
  unit.emit('invoice.voided', voided);
  return voided;
}

function takeNumber(unit: Unit, customer: Customer | null): string {
  const fresh = customer && customerOrNull(unit, customer.id);
  if (!fresh) {
    const { nextInvoiceNumber } = unit.account.state;
    unit.account.change({ nextInvoiceNumber: nextInvoiceNumber + 1 });
    return `LOCAL-${String(nextInvoiceNumber).padStart(4, '0')}`;
  }
  const sequence = fresh.next_invoice_sequence ?? 1;
  unit.update('customer', fresh, { next_invoice_sequence: sequence + 1 });
  return `${fresh.invoice_prefix ?? 'LOCAL'}-${String(sequence).padStart(4, '0')}`;
}
