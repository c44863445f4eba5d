import type { Stripe } from 'stripe';
import { actionRequired, cardDeclined, noPaymentMethod } from '../api/errors.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newCharge } from '../objects/charge.ts';
import { customerOrNull } from '../objects/finding.ts';
import { newPaymentIntent, type Payable } from '../objects/payment-intent.ts';
import { isDisputing } from '../objects/payment-method.ts';
import type { Charge, Invoice, PaymentIntent, PaymentMethod, Subscription } from '../objects/stored.ts';
import { openDispute } from './disputes.ts';

/** Creates a payment intent and emits its event. `keepsCard` allows later payments without the customer. */
export function createPaymentIntent(unit: UnitOfWork, payable: Payable, keepsCard: boolean): PaymentIntent {
  return unit.create('payment_intent', newPaymentIntent(unit, payable, keepsCard), 'payment_intent.created');
}

/** What a card does with a payment. One that authenticates wants the customer to confirm it first. */
export type CardOutcome = 'pays' | 'declines' | 'authenticates';

export interface Attempt {
  intent: PaymentIntent;
  /** Null when the bank waits for the customer. */
  charge: Charge | null;
  outcome: CardOutcome;
}

/**
 * Attempts once to pay an intent with a card. Success and decline both create a charge and emit events. A payment to
 * confirm waits for the customer. (Stripe: https://docs.stripe.com/payments/3d-secure/authentication-flow)
 */
export function attemptPayment(
  unit: UnitOfWork,
  intent: PaymentIntent,
  card: PaymentMethod,
  outcome: CardOutcome,
): Attempt {
  if (outcome === 'authenticates') return { intent: awaitCustomer(unit, intent, card), charge: null, outcome };
  const declined = outcome === 'declines';
  const draft = newCharge(unit, intent, card, declined);
  const charge = unit.create('charge', draft, declined ? 'charge.failed' : 'charge.succeeded');
  const changes: Partial<PaymentIntent> = declined
    ? { status: 'requires_payment_method', last_payment_error: declineOf(charge, card), payment_method: null }
    : { status: 'succeeded', amount_received: intent.amount, last_payment_error: null, payment_method: card.id };
  const updated = unit.update('payment_intent', intent, { ...changes, next_action: null, latest_charge: charge.id });
  unit.emit(declined ? 'payment_intent.payment_failed' : 'payment_intent.succeeded', updated);
  if (!declined && isDisputing(card)) openDispute(unit, charge, 'fraudulent');
  return { intent: updated, charge, outcome };
}

function awaitCustomer(unit: UnitOfWork, intent: PaymentIntent, card: PaymentMethod): PaymentIntent {
  const changes: Partial<PaymentIntent> = {
    status: 'requires_action',
    next_action: { type: 'use_stripe_sdk', use_stripe_sdk: {} },
    payment_method: card.id,
    last_payment_error: null,
  };
  return unit.change('payment_intent', intent, changes, 'payment_intent.requires_action');
}

/** Cancels the payment intent of an invoice that was voided, and emits its event. */
export function cancelIntent(unit: UnitOfWork, id: string): void {
  const intent = unit.tables.payment_intent.get(id);
  if (!intent || intent.status === 'succeeded' || intent.status === 'canceled') return;
  const changes: Partial<PaymentIntent> = {
    status: 'canceled',
    canceled_at: unit.now,
    cancellation_reason: 'void_invoice',
    next_action: null,
  };
  unit.change('payment_intent', intent, changes, 'payment_intent.canceled');
}

/** Returns what a card does with a payment that the customer is not there for. */
export function outcomeOf(unit: UnitOfWork, card: PaymentMethod): CardOutcome {
  const row = unit.tables.declining_card.get(card.id);
  if (!row) return 'pays';
  return row.authenticates ? 'authenticates' : 'declines';
}

function declineOf(charge: Charge, card: PaymentMethod): Stripe.PaymentIntent.LastPaymentError {
  return {
    charge: charge.id,
    code: 'card_declined',
    decline_code: 'generic_decline',
    doc_url: 'https://docs.stripe.com/error-codes#card-declined',
    message: 'Your card was declined.',
    payment_method: card,
    type: 'card_error',
  };
}

/** Returns the card of a subscription or of an invoice beside them: its own, else the customer's default. */
export function cardFor(
  unit: UnitOfWork,
  billed: Pick<Subscription | Invoice, 'customer' | 'default_payment_method'>,
): PaymentMethod | null {
  const customer = customerOrNull(unit, billed.customer);
  const id = billed.default_payment_method ?? customer?.invoice_settings.default_payment_method;
  return typeof id === 'string' ? (unit.tables.payment_method.get(id) ?? null) : null;
}

/** What happens when a change has to be paid and is not. https://docs.stripe.com/api/subscriptions/update */
export type PaymentBehavior =
  | 'allow_incomplete'
  | 'default_incomplete'
  | 'error_if_incomplete'
  | 'pending_if_incomplete';

/** Checks before anything is stored that a card will pay. @throws ApiError 402 when it will not; 400 without a card */
export function refuseUnpaid(unit: UnitOfWork, card: PaymentMethod | null): void {
  if (!card) throw noPaymentMethod();
  const outcome = outcomeOf(unit, card);
  if (outcome === 'authenticates') throw actionRequired('subscription', null, card);
  if (outcome === 'declines') throw cardDeclined(null, null, card);
}
