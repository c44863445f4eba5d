import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { customerOrNull } from '../objects/finding.ts';
import { invoiceUrls } from '../objects/hosted-urls.ts';
import { billedTo, newInvoice, type NewInvoice, settled } from '../objects/invoice.ts';
import type { Customer, Invoice, InvoicePayment, PaymentIntent, PaymentMethod } from '../objects/stored.ts';
import { changeBalance } from './balance.ts';
import { taxed, taxedFinally } from './tax.ts';
import { type Attempt, attemptPayment, type CardOutcome, createPaymentIntent } from './payments.ts';

const DAY_SECONDS = 86_400;

/** How long an invoice that collects itself waits for its first payment. */
const FIRST_ATTEMPT_SECONDS = 3_600;

/** Days until the next attempt after the first, second and third failure; the fourth attempt is the last. */
const RETRY_DAYS = [3, 5, 7];

interface Finalization {
  /** The payment intent of an earlier, declined attempt. */
  paymentIntent?: PaymentIntent | null;
  /** Whether it is for a payment of its total, which takes nothing from the customer's balance: that of a checkout. */
  isPrepaid?: boolean;
}

type Bill = NewInvoice & Finalization;

/** Creates a draft invoice. */
export function draftInvoice(unit: UnitOfWork, bill: Bill): Invoice {
  const invoice = assessed(unit, newInvoice(unit, bill), bill.isPrepaid);
  const draft = unit.create('invoice', { ...invoice, ending_balance: null });
  for (const { source } of bill.lines) if (source) unit.update('invoiceitem', source, { invoice: draft.id });
  unit.emit('invoice.created', draft);
  return draft;
}

/** Returns a draft or preview with its tax, and with what would be due of it now. */
export function assessed(unit: UnitOfWork, invoice: Invoice, isPrepaid = false): Invoice {
  return settled(taxed(unit, invoice), isPrepaid ? null : creditFor(unit, invoice));
}

/** Creates an invoice and finalizes it. */
export function openInvoice(unit: UnitOfWork, bill: Bill): Invoice {
  return finalizeInvoice(unit, draftInvoice(unit, bill), bill);
}

/**
 * Finalizes a draft: computes its tax, assigns its number and URLs, applies the customer's balance, and creates an open
 * payment if an amount is due. The days until it is due begin.
 */
export function finalizeInvoice(
  unit: UnitOfWork,
  given: Invoice,
  { paymentIntent = null, isPrepaid = false }: Finalization = {},
): Invoice {
  const customer = customerOrNull(unit, given.customer);
  const untaxed = { ...taxedFinally(unit, given), ...billedTo(unit, customer) };
  const draft = settled(untaxed, isPrepaid ? null : creditFor(unit, given));
  const isCharged = draft.collection_method === 'charge_automatically' && draft.amount_due > 0;
  const isLeftToItself = isCharged && draft.auto_advance && draft.parent === null && !isPrepaid;
  const invoice = unit.store('invoice', draft, {
    status: 'open',
    automatically_finalizes_at: null,
    number: nextInvoiceNumber(unit, customer),
    due_date: draft.due_date === null ? null : unit.now + draft.due_date - draft.created,
    effective_at: unit.now,
    next_payment_attempt: isLeftToItself ? unit.now + FIRST_ATTEMPT_SECONDS : null,
    status_transitions: { ...draft.status_transitions, finalized_at: unit.now },
    ...invoiceUrls(unit, draft.id),
  });
  unit.emit('invoice.finalized', invoice);
  if (customer) applyBalance(unit, customer.id, invoice);
  if (invoice.amount_due > 0) createInvoicePayment(unit, invoice, paymentIntent);
  return invoice;
}

/** Returns the balance of its customer that an invoice uses. */
function creditFor(unit: UnitOfWork, { customer: id, currency }: Invoice): number {
  const customer = customerOrNull(unit, id);
  return customer?.currency === currency ? customer.balance : 0;
}

/** Applies the customer's balance to an invoice. Without a balance the customer's currency follows that of its subscriptions. */
function applyBalance(unit: UnitOfWork, customerId: string, invoice: Invoice): void {
  const customer = customerOrNull(unit, customerId);
  if (!customer) return;
  const applied = (invoice.ending_balance ?? 0) - invoice.starting_balance;
  if (applied !== 0) {
    const { currency, id } = invoice;
    const details = { description: null, metadata: {}, invoice: id };
    const type = (invoice.ending_balance ?? 0) > 0 ? 'invoice_too_small' : 'applied_to_invoice';
    changeBalance(unit, customer, { amount: applied, currency, type, ...details });
  } else if (customer.balance === 0 && (invoice.parent || !customer.currency)) {
    unit.update('customer', customer, { currency: invoice.currency });
  }
}

function createInvoicePayment(unit: UnitOfWork, invoice: Invoice, existing: PaymentIntent | null): void {
  const { amount_due: amount, currency, customer } = invoice;
  const isFirst = invoice.billing_reason === 'subscription_create';
  const description = !invoice.parent
    ? 'Payment for Invoice'
    : isFirst
      ? 'Subscription creation'
      : 'Subscription update';
  const payable = { amount, currency, customer, description, metadata: {} };
  const reusable = existing?.amount === amount ? existing : null;
  const intent = reusable ?? createPaymentIntent(unit, payable, invoice.parent !== null);
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
 * Collects an open invoice with a card; an invoice with nothing due needs none. Returns the updated invoice and the
 * payment attempt, if there was one. Without a card, collection fails without a charge. After the first attempt only
 * automatic ones count, and are followed by the next one.
 * (Stripe: https://docs.stripe.com/api/invoices/object#invoice_object-attempt_count)
 */
export function collectInvoice(
  unit: UnitOfWork,
  invoice: Invoice,
  card: PaymentMethod | null,
  outcome: CardOutcome,
  by: 'schedule' | 'hand' = 'schedule',
): { invoice: Invoice; attempt: Attempt | null } {
  const isCounted = by === 'schedule' || invoice.attempt_count === 0;
  if (invoice.amount_remaining === 0) return { invoice: markPaid(unit, invoice, null), attempt: null };
  const payment = openPayment(unit, invoice.id);
  const intent = payment && unit.tables.payment_intent.get(payment.payment.payment_intent);
  if (!card || !intent) return { invoice: markFailed(unit, invoice, isCounted), attempt: null };
  const attempt = attemptPayment(unit, intent, card, outcome);
  if (outcome === 'pays') return { invoice: markPaid(unit, invoice, payment, isCounted), attempt };
  const failed = markFailed(unit, invoice, isCounted);
  if (outcome === 'authenticates') unit.emit('invoice.payment_action_required', failed);
  return { invoice: failed, attempt };
}

/** Returns the open payment of an invoice. */
export function openPayment(unit: UnitOfWork, invoiceId: string): InvoicePayment | undefined {
  return unit.tables.invoice_payment.withField('invoice', invoiceId).find(({ status }) => status === 'open');
}

/** Marks an invoice as paid and emits its events. */
export function markPaid(
  unit: UnitOfWork,
  invoice: Invoice,
  payment: InvoicePayment | null,
  isCounted = payment !== null,
): Invoice {
  const attempts = invoice.attempt_count + (isCounted ? 1 : 0);
  const paid = unit.update('invoice', invoice, {
    status: 'paid',
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    attempt_count: attempts,
    auto_advance: false,
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, paid_at: unit.now },
  });
  unit.emit('invoice.paid', paid);
  unit.emit('invoice.payment_succeeded', paid);
  if (payment) {
    const status_transitions = { canceled_at: null, paid_at: unit.now };
    const changes = { status: 'paid', amount_paid: payment.amount_requested, status_transitions };
    unit.emit('invoice_payment.paid', unit.update('invoice_payment', payment, changes));
  }
  return paid;
}

/**
 * Records a failed attempt. The first invoice of a subscription is not retried: the subscription is incomplete. Nor is one that does
 * not collect itself.
 */
function markFailed(unit: UnitOfWork, invoice: Invoice, isCounted: boolean): Invoice {
  if (!isCounted) {
    unit.emit('invoice.payment_failed', invoice);
    return invoice;
  }
  const retried = invoice.billing_reason !== 'subscription_create' && invoice.auto_advance;
  const delayDays = retried ? RETRY_DAYS[invoice.attempt_count] : undefined;
  const failed = unit.update('invoice', invoice, {
    attempted: true,
    attempt_count: invoice.attempt_count + 1,
    next_payment_attempt: delayDays === undefined ? null : unit.now + delayDays * DAY_SECONDS,
  });
  unit.emit('invoice.payment_failed', failed);
  return failed;
}

function nextInvoiceNumber(unit: UnitOfWork, customer: Customer | null): string {
  const current = customer && customerOrNull(unit, customer.id);
  if (!current) {
    const { nextInvoiceNumber: number } = unit.account.state;
    unit.account.change({ nextInvoiceNumber: number + 1 });
    return `LOCAL-${String(number).padStart(4, '0')}`;
  }
  const sequence = current.next_invoice_sequence ?? 1;
  unit.store('customer', current, { next_invoice_sequence: sequence + 1 });
  return `${current.invoice_prefix ?? 'LOCAL'}-${String(sequence).padStart(4, '0')}`;
}
