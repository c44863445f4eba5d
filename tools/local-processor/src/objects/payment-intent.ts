import type { Stripe } from 'stripe';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { nulls } from './nulls.ts';
import type { PaymentIntent } from './stored.ts';

/** What is to be paid. */
export type Payable = Pick<PaymentIntent, 'amount' | 'currency' | 'customer' | 'description' | 'metadata'>;

/** Returns a payment intent that requires a payment method. `keepsCard` allows later payments without the customer. */
export function newPaymentIntent(unit: UnitOfWork, payable: Payable, keepsCard: boolean): PaymentIntent {
  const id = newId('pi_3');
  return {
    ...payable,
    id,
    object: 'payment_intent',
    ...nulls('allowed_payment_method_types application application_fee_amount automatic_payment_methods canceled_at'),
    ...nulls('cancellation_reason customer_account excluded_payment_method_types last_payment_error latest_charge'),
    ...nulls('managed_payments next_action on_behalf_of payment_method payment_method_configuration_details'),
    ...nulls('payment_record processing receipt_email review shipping source statement_descriptor'),
    ...nulls('statement_descriptor_suffix transfer_group'),
    amount_capturable: 0,
    amount_received: 0,
    capture_method: 'automatic',
    client_secret: `${id}_secret_${newId('')}`,
    confirmation_method: 'automatic',
    created: unit.now,
    livemode: unit.livemode,
    payment_method_options: { card: CARD_OPTIONS },
    payment_method_types: ['card'],
    setup_future_usage: keepsCard ? 'off_session' : null,
    status: 'requires_payment_method',
  };
}

const CARD_OPTIONS: Stripe.PaymentIntent.PaymentMethodOptions.Card = {
  installments: null,
  mandate_options: null,
  network: null,
  request_three_d_secure: 'automatic',
};
