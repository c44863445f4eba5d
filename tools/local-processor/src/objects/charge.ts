import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { nulls } from './nulls.ts';
import type { Charge, PaymentIntent, PaymentMethod } from './stored.ts';

/** Returns the charge for one attempt to pay a payment intent; a declined charge contains the reason. */
export function newCharge(unit: UnitOfWork, intent: PaymentIntent, method: PaymentMethod, declined: boolean): Charge {
  const { card } = method;
  return {
    id: newId('ch_3'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: declined ? 0 : intent.amount,
    amount_refunded: 0,
    ...nulls('application application_fee application_fee_amount failure_balance_transaction on_behalf_of'),
    ...nulls('receipt_email receipt_number receipt_url review shipping source source_transfer statement_descriptor'),
    ...nulls('statement_descriptor_suffix transfer_data transfer_group'),
    balance_transaction: declined ? null : newId('txn_3'),
    billing_details: method.billing_details,
    calculated_statement_descriptor: 'LOCAL PROCESSOR',
    captured: !declined,
    created: unit.now,
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_code: declined ? 'card_declined' : null,
    failure_message: declined ? 'Your card was declined.' : null,
    fraud_details: {},
    livemode: unit.livemode,
    metadata: intent.metadata,
    outcome: {
      advice_code: declined ? 'try_again_later' : null,
      network_advice_code: null,
      network_decline_code: declined ? '01' : null,
      network_status: declined ? 'declined_by_network' : 'approved_by_network',
      reason: declined ? 'generic_decline' : null,
      risk_level: 'normal',
      risk_score: 20,
      seller_message: declined ? 'The bank did not return any further details with this decline.' : 'Payment complete.',
      type: declined ? 'issuer_declined' : 'authorized',
    },
    paid: !declined,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: card
      ? {
          card: {
            amount_authorized: intent.amount,
            ...nulls('authorization_code electronic_commerce_indicator installments mandate network_transaction_id'),
            ...nulls('three_d_secure transaction_link_id wallet'),
            brand: card.brand,
            checks: card.checks,
            country: card.country,
            exp_month: card.exp_month,
            exp_year: card.exp_year,
            fingerprint: card.fingerprint ?? null,
            funding: card.funding,
            last4: card.last4,
            network: card.brand,
            network_token: { used: false },
            regulated_status: 'unregulated',
          },
          type: 'card',
        }
      : detailsOf(method),
    refunded: false,
    status: declined ? 'failed' : 'succeeded',
  };
}

/** What a charge has of an account of a bank. https://docs.stripe.com/api/charges/object#charge_object-payment_method_details-us_bank_account */
function detailsOf({ us_bank_account: account }: PaymentMethod): Charge['payment_method_details'] {
  if (!account) return null;
  const { account_holder_type, account_type, bank_name, fingerprint, last4, routing_number } = account;
  const shown = { account_holder_type, account_type, bank_name, fingerprint, last4, routing_number };
  return { type: 'us_bank_account', us_bank_account: { ...shown, ...nulls('payment_reference') } };
}
