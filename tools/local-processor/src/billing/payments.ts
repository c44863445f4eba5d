import type { Stripe } from 'stripe';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newCharge } from '../objects/charge.ts';
import { newPaymentIntent } from '../objects/payment-intent.ts';
import { isDisputing } from '../objects/payment-method.ts';
import type { Charge, PaymentIntent, PaymentMethod } from '../objects/stored.ts';
import { openDispute } from './disputes.ts';

interface Payable {
  amount: number;
  currency: string;
  customer: string | null;
  description: string | null;
  metadata: Stripe.Metadata;
}

/** Creates a payment intent and emits its event. `keepsCard` allows later payments without the customer. */
export function createPaymentIntent(unit: UnitOfWork, payable: Payable, keepsCard: boolean): PaymentIntent {
  const setupFutureUsage = keepsCard ? ('off_session' as const) : null;
  const intent = newPaymentIntent(unit, { ...payable, setupFutureUsage });
  unit.create('payment_intent', intent);
  unit.emit('payment_intent.created', intent);
  return intent;
}

export interface Attempt {
  intent: PaymentIntent;
  charge: Charge;
  declined: boolean;
}

/** Attempts once to pay an intent with a card. Success and failure both create a charge and emit events. */
export function attemptPayment(
  unit: UnitOfWork,
  intent: PaymentIntent,
  card: PaymentMethod,
  declined: boolean,
): Attempt {
  const charge = newCharge(unit, intent, card, declined);
  unit.create('charge', charge);
  unit.emit(declined ? 'charge.failed' : 'charge.succeeded', charge);
  const changes: Partial<PaymentIntent> = declined
    ? { status: 'requires_payment_method', last_payment_error: declineOf(charge, card), payment_method: null }
    : { status: 'succeeded', amount_received: intent.amount, last_payment_error: null, payment_method: card.id };
  const updated = unit.update('payment_intent', intent, { ...changes, latest_charge: charge.id });
  unit.emit(declined ? 'payment_intent.payment_failed' : 'payment_intent.succeeded', updated);
  if (!declined && isDisputing(card)) openDispute(unit, charge, 'fraudulent');
  return { intent: updated, charge, declined };
}

/** Returns whether the control API has set this card to decline. */
export function isDeclining(unit: UnitOfWork, paymentMethodId: string): boolean {
  return unit.tables.declining_card.get(paymentMethodId) !== undefined;
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
