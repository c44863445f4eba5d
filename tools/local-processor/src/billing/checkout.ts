import type { UnitOfWork } from '../api/unit-of-work.ts';
import { invalidRequest } from '../api/errors.ts';
import type { Rebate } from '../domain/discounts.ts';
import { newId } from '../domain/ids.ts';
import { amountsDue, detailsOf } from '../objects/checkout-session.ts';
import { customerOrNull, inItsTime } from '../objects/finding.ts';
import { billedLine } from '../objects/invoice-line.ts';
import { attach, nextTestCard, newPaymentMethod } from '../objects/payment-method.ts';
import type { CheckoutPlan, CheckoutSession, Customer, PaymentIntent, PaymentMethod } from '../objects/stored.ts';
import { ENTERED_EMAIL, ENTERED_NAME, payingCustomer, withEnteredDetails } from './checkout-customer.ts';
import { billedItems, discountsOfSale, rebatesIn } from './checkout-discounts.ts';
import { discounted, storeDiscounts } from './discounts.ts';
import { collectFor } from './collection.ts';
import { firstInvoice } from './first-invoice.ts';
import { markPaid, openInvoice, openPayment } from './invoicing.ts';
import { attemptPayment, createPaymentIntent } from './payments.ts';
import { completeSetup, declineSetup } from './setup-intents.ts';
import { startSubscription } from './subscriptions.ts';

const DAY_SECONDS = 86_400;
const DECLINED = 'Your card was declined. You can try again.';

/** Returns an open session with its plan. @throws ApiError 400 when the session is complete, expired or unknown */
function openSession(unit: UnitOfWork, id: string): { session: CheckoutSession; plan: CheckoutPlan } {
  const session = unit.tables['checkout.session'].get(id);
  const plan = unit.tables.checkout_plan.get(id);
  if (!session || !plan) throw invalidRequest(`No such checkout session: ${id}`, 'id', 'resource_missing');
  if (session.status !== 'open')
    throw invalidRequest(`The checkout session is ${session.status}; only an open one can be paid.`);
  const customer = customerOrNull(unit, session.customer);
  if (customer) inItsTime(unit, customer);
  return { session, plan };
}

/**
 * Completes a session as if the customer had paid or saved a card with the test card. It creates everything that the
 * session sells and emits the events, `checkout.session.completed` last. The subscription does not exist before. With
 * `paysLater` the payment is on its way, as that of a bank debit, until `settleSession`.
 */
export function completeSession(unit: UnitOfWork, id: string, paysLater = false): CheckoutSession {
  const open = openSession(unit, id);
  const customer = withEnteredDetails(unit, open, payingCustomer(unit, open.session));
  const { session, plan } = taxedSale(unit, { ...open, customer });
  const isFree = session.payment_method_collection === 'if_required' && session.amount_total === 0;
  const card = isFree
    ? null
    : unit.create('payment_method', newPaymentMethod(unit, nextTestCard(unit, session.customer), customer));
  const created = fulfill(unit, { session, plan, customer, card, paysLater });
  const isBilled = session.amount_total !== null && session.amount_total > 0;
  const completed = unit.update('checkout.session', session, {
    ...created,
    status: 'complete',
    payment_status: !isBilled ? 'no_payment_required' : paysLater ? 'unpaid' : 'paid',
    customer: customer?.id ?? null,
    customer_details: detailsOf(
      customer?.email ?? session.customer_email ?? ENTERED_EMAIL,
      customer?.name ?? ENTERED_NAME,
    ),
    url: null,
  });
  unit.emit('checkout.session.completed', completed);
  return completed;
}

/** Returns a session and its plan with the tax of where the customer is, which the page has asked for. */
function taxedSale(unit: UnitOfWork, sale: Unpaid): Pick<Sale, 'plan' | 'session'> {
  const { session, plan } = sale;
  if (!session.automatic_tax.enabled) return { session, plan };
  const lines = billedItems(unit, soldIn(sale), redeemed(unit, sale));
  const due = amountsDue(lines, plan.subscription.trialDays !== null);
  // An intent of an earlier attempt has another amount.
  const intent = due.amount_total === session.amount_total ? {} : { paymentIntent: null };
  const automatic_tax = { ...session.automatic_tax, status: 'complete' as const };
  return {
    session: unit.update('checkout.session', session, { ...due, automatic_tax }),
    plan: unit.update('checkout_plan', plan, { lines, ...intent }),
  };
}

/** Ends the delayed payment of a completed session, and emits its events. @throws ApiError 400 when none is on its way */
export function settleSession(unit: UnitOfWork, id: string, outcome: 'pay' | 'decline'): CheckoutSession {
  const session = unit.tables['checkout.session'].get(id);
  if (session?.status !== 'complete' || session.payment_status !== 'unpaid')
    throw invalidRequest(`The checkout session ${id} has no payment on its way.`);
  const declined = outcome === 'decline';
  const subscription = unit.tables.subscription.get(String(session.subscription));
  const invoice = unit.tables.invoice.get(String(session.invoice));
  const intent = unit.tables.payment_intent.get(String(session.payment_intent));
  if (subscription && invoice) collectFor(unit, subscription, invoice, declined);
  if (intent) {
    const card = newPaymentMethod(unit, nextTestCard(unit, session.customer), customerOrNull(unit, session.customer));
    attemptPayment(unit, intent, unit.create('payment_method', card), declined ? 'declines' : 'pays');
    if (invoice && !declined) markPaid(unit, invoice, openPayment(unit, invoice.id) ?? null);
  }
  const event = `checkout.session.async_payment_${declined ? 'failed' : 'succeeded'}` as const;
  return unit.change('checkout.session', session, { payment_status: declined ? undefined : 'paid' }, event);
}

/** A session with who pays it. */
interface Unpaid {
  session: CheckoutSession;
  plan: CheckoutPlan;
  customer: Customer | null;
}

/** A session that is paid. */
interface Sale extends Unpaid {
  /** Null where nothing is due and none is asked for. */
  card: PaymentMethod | null;
  paysLater: boolean;
}

function fulfill(unit: UnitOfWork, sale: Sale): Partial<CheckoutSession> {
  const { session, plan, customer, card } = sale;
  if (session.mode === 'payment') return sellOnce(unit, sale);
  if (session.mode === 'subscription') return sellSubscription(unit, sale);
  if (!card) throw new Error('a setup session always has a card');
  const saved = customer ? attach(unit, card, customer) : card;
  const intent = completeSetup(unit, { ...plan, setupIntent: session.setup_intent }, customer, saved);
  return { setup_intent: intent.id };
}

function sellSubscription(unit: UnitOfWork, sale: Sale): Partial<CheckoutSession> {
  const { session, plan, customer, card, paysLater } = sale;
  if (!customer) throw new Error('a subscription session always has a customer');
  if (card && session.amount_total === 0) completeSetup(unit, plan, customer, card);
  const { trialDays, ...bought } = plan.subscription;
  const attached = card && attach(unit, card, customer);
  const first = firstInvoice(unit, {
    id: newId('sub_1'),
    customer,
    default_payment_method: card?.id ?? null,
    days_until_due: null,
    automaticTax: session.automatic_tax.enabled,
    currency: session.currency ?? 'usd',
    lines: plan.lines
      .filter(({ price }) => price.type === 'recurring')
      .map(({ price, quantity }) => ({ price, quantity })),
    added: linesOnce(unit, sale),
    ...bought,
    trial_end: trialDays === null ? null : unit.now + trialDays * DAY_SECONDS,
    discounts: redeemed(unit, sale),
  });
  const payment = { card: paysLater ? null : attached, paymentIntent: existingIntent(unit, plan) };
  const { subscription, invoice } = startSubscription(unit, first, payment);
  return { subscription: subscription.id, invoice: invoice.id };
}

/** Returns the discounts of a session that is paid; they are not stored. */
function redeemed(unit: UnitOfWork, sale: Unpaid) {
  const { session, plan } = sale;
  const discounts = discountsOfSale(unit, soldIn(sale), plan.discounts ?? []);
  return discounts.map(discount => ({ ...discount, checkout_session: session.id }));
}

/** Returns what a session sells, as far as its discounts and its tax depend on it. */
const soldIn = ({ session, plan, customer }: Unpaid) => ({
  customer: customer?.id ?? null,
  currency: session.currency,
  lines: plan.lines,
  isTaxed: session.automatic_tax.enabled,
});

function sellOnce(unit: UnitOfWork, sale: Sale): Partial<CheckoutSession> {
  const { session, plan, customer, card, paysLater } = sale;
  const amount = session.amount_total ?? 0;
  const intent = amount === 0 ? null : (existingIntent(unit, plan) ?? sessionIntent(unit, session, plan, customer));
  const discounts = redeemed(unit, sale);
  storeDiscounts(unit, discounts);
  const rebates = rebatesIn(unit, discounts, session.currency ?? '');
  const invoice = plan.invoiceCreation.enabled ? billOnce(unit, sale, intent, rebates) : null;
  if (intent && card && !paysLater) attemptPayment(unit, intent, card, 'pays');
  if (invoice && !paysLater) markPaid(unit, invoice, openPayment(unit, invoice.id) ?? null);
  return { payment_intent: intent?.id ?? null, invoice: invoice?.id ?? null };
}

/** Returns the lines of the one-time prices that a session sells. */
function linesOnce(unit: UnitOfWork, { session, plan }: Sale) {
  const period = { start: unit.now, end: unit.now };
  const currency = session.currency ?? 'usd';
  return plan.lines
    .filter(({ price }) => price.type === 'one_time')
    .map(({ price, quantity }) => billedLine(unit, { price, currency, quantity, item: null, period, trial: false }));
}

function billOnce(unit: UnitOfWork, sale: Sale, paymentIntent: PaymentIntent | null, rebates: Rebate[]) {
  const { session, plan, customer } = sale;
  return openInvoice(unit, {
    id: newId('in_1'),
    customer,
    subscription: null,
    automaticTax: session.automatic_tax.enabled,
    reason: 'manual',
    currency: session.currency ?? 'usd',
    lines: discounted(linesOnce(unit, sale), rebates),
    period: { start: unit.now, end: unit.now },
    metadata: plan.invoiceCreation.metadata,
    paymentIntent,
    isPrepaid: true,
  });
}

/** Declines the card: emits the failure, and the session stays open for another attempt. */
export function declineSession(unit: UnitOfWork, id: string): CheckoutSession {
  const { session, plan } = openSession(unit, id);
  const customer = customerOrNull(unit, session.customer);
  const card = newPaymentMethod(unit, nextTestCard(unit, session.customer), customer);
  if (session.mode === 'setup' || session.amount_total === 0) {
    const setupIntent = declineSetup(unit, session, plan, card);
    unit.update('checkout_plan', plan, { setupIntent, lastDecline: DECLINED });
    return session;
  }
  const intent = existingIntent(unit, plan) ?? sessionIntent(unit, session, plan, customer);
  attemptPayment(unit, intent, card, 'declines');
  unit.update('checkout_plan', plan, { paymentIntent: intent.id, lastDecline: DECLINED });
  return session.mode === 'payment' ? unit.update('checkout.session', session, { payment_intent: intent.id }) : session;
}

/** Expires an open session; a session in another state stays unchanged. */
export function expireSession(unit: UnitOfWork, id: string): CheckoutSession | undefined {
  const session = unit.tables['checkout.session'].get(id);
  if (session?.status !== 'open') return session;
  return unit.change('checkout.session', session, { status: 'expired', url: null }, 'checkout.session.expired');
}

function existingIntent(unit: UnitOfWork, plan: CheckoutPlan): PaymentIntent | null {
  return plan.paymentIntent === null ? null : (unit.tables.payment_intent.get(plan.paymentIntent) ?? null);
}

function sessionIntent(unit: UnitOfWork, session: CheckoutSession, plan: CheckoutPlan, customer: Customer | null) {
  const description = session.mode === 'subscription' ? 'Subscription creation' : plan.payment.description;
  const payable = {
    amount: session.amount_total ?? 0,
    currency: session.currency ?? 'usd',
    customer: customer?.id ?? null,
    description,
    metadata: plan.payment.metadata,
  };
  return createPaymentIntent(unit, payable, session.mode === 'subscription');
}
