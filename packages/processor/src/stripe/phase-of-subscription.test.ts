import type { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { phaseOf } from './phase-of-subscription.ts';

/** The fields of a subscription that a phase names. */
const subscriptionWith = (fields: object): Stripe.Subscription =>
  ({
    status: 'active',
    trial_end: null,
    application_fee_percent: null,
    automatic_tax: { enabled: false, disabled_reason: null, liability: null },
    billing_thresholds: null,
    collection_method: 'charge_automatically',
    days_until_due: null,
    default_payment_method: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    invoice_settings: { account_tax_ids: null, issuer: { type: 'self' } },
    items: {
      data: [{ price: { id: 'price_1' }, quantity: 2, tax_rates: [], discounts: [], billing_thresholds: null }],
    },
    on_behalf_of: null,
    transfer_data: null,
    ...fields,
  }) as unknown as Stripe.Subscription; // no other field is read

it('names all that a subscription has', () => {
  const phase = phaseOf(
    subscriptionWith({
      status: 'trialing',
      trial_end: 1_800_000_000,
      application_fee_percent: 10,
      automatic_tax: { enabled: true, liability: { type: 'account', account: 'acct_1' } },
      billing_thresholds: { amount_gte: 500, reset_billing_cycle_anchor: null },
      collection_method: 'send_invoice',
      days_until_due: 30,
      default_payment_method: { id: 'pm_1' },
      default_tax_rates: [{ id: 'txr_1' }],
      description: 'Team plan',
      discounts: ['di_1'],
      invoice_settings: { account_tax_ids: ['txi_1'], issuer: { type: 'account', account: 'acct_2' } },
      items: {
        data: [
          { price: { id: 'price_1' }, quantity: 2, tax_rates: [{ id: 'txr_2' }], discounts: ['di_2'] },
          { price: { id: 'price_2' }, tax_rates: [], discounts: [], billing_thresholds: { usage_gte: 9 } },
        ],
      },
      on_behalf_of: 'acct_3',
      transfer_data: { destination: 'acct_4', amount_percent: 20 },
    }),
  );
  expect(phase).toEqual({
    items: [
      { priceId: 'price_1', quantity: 2, settings: { tax_rates: ['txr_2'], discounts: [{ discount: 'di_2' }] } },
      { priceId: 'price_2', quantity: null, settings: { billing_thresholds: { usage_gte: 9 } } },
    ],
    discounts: [{ discountId: 'di_1', couponId: null, promotionCodeId: null }],
    trialEnd: new Date(1_800_000_000_000),
    settings: {
      application_fee_percent: 10,
      automatic_tax: { enabled: true, liability: { type: 'account', account: 'acct_1' } },
      billing_thresholds: { amount_gte: 500 },
      collection_method: 'send_invoice',
      default_payment_method: 'pm_1',
      default_tax_rates: ['txr_1'],
      description: 'Team plan',
      invoice_settings: {
        days_until_due: 30,
        account_tax_ids: ['txi_1'],
        issuer: { type: 'account', account: 'acct_2' },
      },
      on_behalf_of: 'acct_3',
      transfer_data: { destination: 'acct_4', amount_percent: 20 },
    },
    metadata: {},
    proration: 'none',
  });
});

it('names nothing that a subscription does not have, nor a trial that is over', () => {
  expect(phaseOf(subscriptionWith({ trial_end: 1_700_000_000 }))).toEqual({
    items: [{ priceId: 'price_1', quantity: 2, settings: {} }],
    discounts: [],
    settings: { automatic_tax: { enabled: false }, collection_method: 'charge_automatically' },
    metadata: {},
    proration: 'none',
  });
});
