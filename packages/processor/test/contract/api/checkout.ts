import type { Stripe } from 'stripe';
import { expect } from 'vitest';
import type { ApiAccount } from './account.ts';
import { apiCase } from './case.ts';

const success_url = 'https://example.com/done?session={CHECKOUT_SESSION_ID}';

async function open(
  { stripe, createPrice, once }: ApiAccount,
  more: Partial<Stripe.Checkout.SessionCreateParams> = {},
) {
  const line_items = more.line_items ?? [{ price: (await createPrice()).id, quantity: 1 }];
  return stripe.checkout.sessions.create({ mode: 'subscription', success_url, ...more, line_items }, once());
}

export const checkoutCases = [
  apiCase('keeps what its page offers', async account => {
    const { record, createCustomer } = account;
    const { id: customer } = await createCustomer();
    const options = {
      allow_promotion_codes: true,
      client_reference_id: 'ours_1',
      customer_update: { address: 'auto', name: 'auto' },
      locale: 'pt-BR',
      tax_id_collection: { enabled: true },
    } as const;
    const session = record('session', await open(account, { customer, ...options }));
    expect(session).toMatchObject({
      status: 'open',
      amount_total: 2_999,
      allow_promotion_codes: true,
      client_reference_id: 'ours_1',
      locale: 'pt-BR',
      tax_id_collection: { enabled: true },
    });
    expect(session.success_url).toBe(success_url);
    record('expired', await account.stripe.checkout.sessions.expire(session.id));
  }),

  apiCase('refuses options that need data of the customer', async account => {
    const { refusalOf, createCustomer } = account;
    const { id: customer } = await createCustomer();
    const tax = await refusalOf('tax', open(account, { customer, automatic_tax: { enabled: true } }));
    expect(tax).toMatchObject({ status: 400 });
    const taxId = await refusalOf('tax id', open(account, { customer, tax_id_collection: { enabled: true } }));
    expect(taxId.message).toContain('customer_update[name]');
    const nobody = await refusalOf('nobody', open(account, { customer_update: { name: 'auto' } }));
    expect(nobody).toMatchObject({ status: 400 });
  }),

  apiCase('refuses a quantity of a metered price, and the lack of one of others', async account => {
    const { stripe, refusalOf, createPrice, once } = account;
    const event_name = `contract_checkout_${Date.now()}`;
    const wanted = { display_name: 'Contract', event_name, default_aggregation: { formula: 'sum' as const } };
    const meter = await stripe.billing.meters.create(wanted, once());
    try {
      const metered = await createPrice({ recurring: { interval: 'month', usage_type: 'metered', meter: meter.id } });
      const withQuantity = open(account, { line_items: [{ price: metered.id, quantity: 1 }] });
      expect(await refusalOf('a quantity', withQuantity)).toMatchObject({ status: 400 });
      const session = account.record('metered', await open(account, { line_items: [{ price: metered.id }] }));
      expect(session).toMatchObject({ amount_total: 0 });
      const licensed = await createPrice();
      const without = open(account, { line_items: [{ price: licensed.id }] });
      expect(await refusalOf('no quantity', without)).toMatchObject({ status: 400 });
    } finally {
      await stripe.billing.meters.deactivate(meter.id);
    }
  }),

  apiCase('is listed by customer, status and time', async account => {
    const { id: customer } = await account.createCustomer();
    const first = await open(account, { customer });
    const second = await open(account, { customer });
    const { sessions } = account.stripe.checkout;
    await sessions.expire(first.id);
    const listed = async (filter: Stripe.Checkout.SessionListParams) =>
      (await sessions.list({ customer, ...filter })).data.map(({ id }) => id);
    expect(await listed({})).toEqual([second.id, first.id]);
    expect(await listed({ status: 'open' })).toEqual([second.id]);
    expect(await listed({ status: 'expired' })).toEqual([first.id]);
    expect(await listed({ created: { gt: second.created + 3_600 } })).toEqual([]);
  }),

  apiCase('takes another currency of its price', async account => {
    const price = await account.createPrice({ currency_options: { eur: { unit_amount: 2_500 } } });
    const line_items = [{ price: price.id, quantity: 3 }];
    expect(await open(account, { currency: 'eur', line_items })).toMatchObject({
      currency: 'eur',
      amount_total: 7_500,
    });
  }),
];
