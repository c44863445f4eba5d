import type { UnitOfWork } from '../api/unit-of-work.ts';
import { invalidRequest } from '../api/errors.ts';
import type { Rebate } from '../domain/discounts.ts';
import { newId } from '../domain/ids.ts';
import { detailsOf } from '../objects/checkout-session.ts';
import { customerOrNull, newCustomer } from '../objects/customer.ts';
import { billedLine } from '../objects/invoice.ts';
import { attach, nextTestCard, newPaymentMethod } from '../objects/payment-method.ts';
import { inItsTime } from '../objects/test-clock.ts';
import type { CheckoutPlan } from '../objects/checkout-plan.ts';
import type { CheckoutSession, Customer, PaymentIntent, PaymentMethod } from '../objects/stored.ts';
import { discountsOfSale, rebatesIn } from './checkout-discounts.ts';
import { discounted, storeDiscounts } from './discounts.ts';
import { collectFor } from './collection.ts';
import { markPaid, openInvoice, openPayment } from './invoicing.ts';
import { attemptPayment, createPaymentIntent } from './payments.ts';
import { completeSetup, declineSetup } from './setup-intents.ts';
import { startSubscription } from './subscriptions.ts';

const DAY_SECONDS = 86_400;
const ENTERED_EMAIL = 'guest@example.com';
const ENTERED_ADDRESS = {
  city: 'San Francisco',
  country: 'US',
  line1: '1 Test Street',
  line2: null,
  postal_code: '94107',
  state: 'CA',
};
const DECLINED = 'Your card was declined. You can try again.';

/** Returns an open session with its plan. @throws ApiError 400 when the session is complete, expired or unknown */
function openSession(unit: UnitOfWork, id: string): { session: CheckoutSession; plan: CheckoutPlan } {
  const session = unit.tables['checkout.session'].get(id);
  const plan = unit.tables.checkout_plan.get(id);
  if (!session || !plan)
    throw invalidRequest(`No such checkout session: ${id}`, { code: 'resource_missing', param: 'id' });
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
  const { session, plan } = openSession(unit, id);
  const customer = withEnteredDetails(unit, plan, payingCustomer(unit, session));
  const card = unit.create('payment_method', newPaymentMethod(unit, nextTestCard(unit, session.customer), customer));
  const created = fulfill(unit, session, { plan, paysLater }, customer, card);
  const isBilled = session.amount_total !== null && session.amount_total > 0;
  const completed = unit.update('checkout.session', session, {
    ...created,
    status: 'complete',
    payment_status: !isBilled ? 'no_payment_required' : paysLater ? 'unpaid' : 'paid',
    customer: customer?.id ?? null,
    customer_details: detailsOf(
      customer?.email ?? session.customer_email ?? ENTERED_EMAIL,
      customer?.name ?? 'Test Customer',
    ),
    automatic_tax: session.automatic_tax.enabled
      ? { ...session.automatic_tax, status: 'complete' }
      : session.automatic_tax,
    url: null,
  });
  unit.emit('checkout.session.completed', completed);
  return completed;
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
  const settled = declined ? session : unit.update('checkout.session', session, { payment_status: 'paid' });
  unit.emit(`checkout.session.async_payment_${declined ? 'failed' : 'succeeded'}`, settled);
  return settled;
}

/** How a session is fulfilled. */
interface Fulfilment {
  plan: CheckoutPlan;
  paysLater: boolean;
}

function fulfill(
  unit: UnitOfWork,
  session: CheckoutSession,
  fulfilment: Fulfilment,
  customer: Customer | null,
  card: PaymentMethod,
): Partial<CheckoutSession> {
  if (session.mode === 'setup') return saveCard(unit, session, fulfilment.plan, customer, card);
  if (session.mode === 'payment') return sellOnce(unit, session, fulfilment, customer, card);
  if (!customer) throw new Error('a subscription session always has a customer');
  return sellSubscription(unit, session, fulfilment, customer, card);
}

function sellSubscription(
  unit: UnitOfWork,
  session: CheckoutSession,
  { plan, paysLater }: Fulfilment,
  customer: Customer,
  card: PaymentMethod,
): Partial<CheckoutSession> {
  if (session.amount_total === 0) completeSetup(unit, plan, customer, card);
  const { trialDays } = plan.subscription;
  const attached = attach(unit, card, customer);
  const { subscription, invoice } = startSubscription(unit, {
    customer,
    card: paysLater ? null : attached,
    paymentMethod: card.id,
    automaticTax: session.automatic_tax.enabled,
    currency: session.currency ?? 'usd',
    lines: plan.lines.map(({ price, quantity }) => ({ price, quantity })),
    description: plan.subscription.description,
    metadata: plan.subscription.metadata,
    trialEnd: trialDays === null ? null : unit.now + trialDays * DAY_SECONDS,
    discounts: redeemed(unit, session, plan, customer),
    paymentIntent: existingIntent(unit, plan),
  });
  return { subscription: subscription.id, invoice: invoice.id };
}

/** Returns the discounts of a session that is paid; they are not stored. */
function redeemed(unit: UnitOfWork, session: CheckoutSession, plan: CheckoutPlan, customer: Customer | null) {
  const sale = { customer: customer?.id ?? null, currency: session.currency, lines: plan.lines };
  const discounts = discountsOfSale(unit, sale, plan.discounts ?? []);
  return discounts.map(discount => ({ ...discount, checkout_session: session.id }));
}

function sellOnce(
  unit: UnitOfWork,
  session: CheckoutSession,
  { plan, paysLater }: Fulfilment,
  customer: Customer | null,
  card: PaymentMethod,
): Partial<CheckoutSession> {
  const amount = session.amount_total ?? 0;
  const intent = amount === 0 ? null : (existingIntent(unit, plan) ?? sessionIntent(unit, session, plan, customer));
  const discounts = redeemed(unit, session, plan, customer);
  storeDiscounts(unit, discounts);
  const rebates = rebatesIn(unit, discounts, session.currency ?? '');
  const invoice = plan.invoiceCreation.enabled ? billOnce(unit, session, plan, customer, { intent, rebates }) : null;
  if (intent && !paysLater) attemptPayment(unit, intent, card, 'pays');
  if (invoice && !paysLater) markPaid(unit, invoice, openPayment(unit, invoice.id) ?? null);
  return { payment_intent: intent?.id ?? null, invoice: invoice?.id ?? null };
}

function billOnce(
  unit: UnitOfWork,
  session: CheckoutSession,
  plan: CheckoutPlan,
  customer: Customer | null,
  { intent, rebates }: { intent: PaymentIntent | null; rebates: Rebate[] },
) {
  const period = { start: unit.now, end: unit.now };
  const currency = session.currency ?? 'usd';
  return openInvoice(unit, {
    id: newId('in_1'),
    customer,
    subscription: null,
    reason: 'manual',
    currency,
    lines: discounted(
      plan.lines.map(({ price, quantity }) =>
        billedLine(unit, { price, currency, quantity, item: null, period, trial: false }),
      ),
      rebates,
    ),
    period,
    metadata: plan.invoiceCreation.metadata,
    paymentIntent: intent,
  });
}

function saveCard(
  unit: UnitOfWork,
  session: CheckoutSession,
  plan: CheckoutPlan,
  customer: Customer | null,
  card: PaymentMethod,
): Partial<CheckoutSession> {
  const saved = customer ? attach(unit, card, customer) : card;
  const intent = completeSetup(unit, { ...plan, setupIntent: session.setup_intent }, customer, saved);
  return { setup_intent: intent.id };
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
  const expired = unit.update('checkout.session', session, { status: 'expired', url: null });
  unit.emit('checkout.session.expired', expired);
  return expired;
}

function payingCustomer(unit: UnitOfWork, session: CheckoutSession): Customer | null {
  const existing = customerOrNull(unit, session.customer);
  if (existing || session.mode === 'setup') return existing;
  if (session.mode === 'payment' && session.customer_creation !== 'always') return null;
  const email = session.customer_email ?? ENTERED_EMAIL;
  const customer = newCustomer(unit, { email, name: 'Test Customer', metadata: {} });
  unit.create('customer', customer);
  unit.emit('customer.created', customer);
  return customer;
}

/**
 * Saves what the customer entered: the e-mail address of one without, and the name and the address if the session may
 * update them.
 */
function withEnteredDetails(unit: UnitOfWork, plan: CheckoutPlan, customer: Customer | null): Customer | null {
  if (!customer) return customer;
  const { updatesAddress, updatesName } = plan.options;
  const changes = {
    email: customer.email ?? ENTERED_EMAIL,
    ...(updatesAddress ? { address: customer.address ?? ENTERED_ADDRESS } : {}),
    ...(updatesName ? { name: customer.name ?? 'Test Customer' } : {}),
  };
  return unit.update('customer', customer, changes, 'customer.updated');
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
