import { Stripe } from 'stripe';
import { expect } from 'vitest';
import { idOf } from './account.ts';
import { apiCase, standInCase } from './case.ts';

const decimal = (text: string) => Stripe.Decimal.from(text);

export const catalogCases = [
  apiCase('refuses to delete a product that has prices', async ({ record, refusalOf, stripe, createPrice }) => {
    const price = record('price', await createPrice());
    const refusal = await refusalOf('refusal', stripe.products.del(idOf(price.product)));
    expect(refusal.status).toBe(400);
  }),

  apiCase('deletes a product without prices', async ({ record, refusalOf, stripe, createProduct, findEvent }) => {
    const { id } = record('product', await createProduct({ description: 'All of it' }));
    expect(record('deleted', await stripe.products.del(id))).toMatchObject({ id, deleted: true });
    expect(await refusalOf('retrieved', stripe.products.retrieve(id))).toMatchObject({ status: 404 });
    record('event', (await findEvent('product.deleted', id)).data.object);
  }),

  standInCase('deletes a price that was never used', async ({ stripe, createPrice, findEvent, refusalOf }, control) => {
    const { id } = await createPrice();
    await control.deletePrice(id);
    expect(await refusalOf('retrieved', stripe.prices.retrieve(id))).toMatchObject({ status: 404 });
    expect((await findEvent('price.deleted', id)).data.object).toMatchObject({ id, unit_amount: 2_999 });
  }),

  apiCase('keeps fractions of a cent', async ({ record, createPrice }) => {
    const price = record('price', await createPrice({ unit_amount_decimal: decimal('0.25') }));
    expect(price.unit_amount).toBeNull();
    expect(price.unit_amount_decimal?.toString()).toBe('0.25');
  }),

  apiCase('shows tiers only when they are expanded', async ({ record, stripe, createPrice }) => {
    const tiers = [
      { up_to: 10, unit_amount: 100 },
      { up_to: 'inf' as const, unit_amount_decimal: decimal('50.5'), flat_amount: 300 },
    ];
    const price = record('price', await createPrice({ billing_scheme: 'tiered', tiers_mode: 'graduated', tiers }));
    expect(price).toMatchObject({ unit_amount: null, unit_amount_decimal: null, tiers_mode: 'graduated' });
    expect(price).not.toHaveProperty('tiers');
    const expanded = record('expanded', await stripe.prices.retrieve(price.id, { expand: ['tiers'] }));
    expect(expanded.tiers).toMatchObject([
      { up_to: 10, unit_amount: 100, flat_amount: null },
      { up_to: null, unit_amount: null, flat_amount: 300 },
    ]);
  }),

  apiCase('shows currencies only when they are expanded', async ({ record, stripe, createPrice }) => {
    const price = await createPrice({ currency_options: { eur: { unit_amount: 2_500 } } });
    expect(record('price', price)).not.toHaveProperty('currency_options');
    const expanded = await stripe.prices.retrieve(price.id, { expand: ['currency_options'] });
    expect(record('expanded', expanded).currency_options).toMatchObject({
      usd: { unit_amount: 2_999 },
      eur: { unit_amount: 2_500 },
    });
  }),

  apiCase(
    'adds currencies to a price, and tells of it by an event without them',
    async ({ record, stripe, createPrice, findEvent }) => {
      const { id } = await createPrice({ currency_options: { eur: { unit_amount: 2_500 } } });
      const added = { gbp: { unit_amount: 2_200 }, eur: { tax_behavior: 'exclusive' } } as const;
      const params = { currency_options: added, expand: ['currency_options'] };
      expect(record('updated', await stripe.prices.update(id, params)).currency_options).toMatchObject({
        usd: { unit_amount: 2_999 },
        eur: { unit_amount: 2_500, tax_behavior: 'exclusive' },
        gbp: { unit_amount: 2_200 },
      });
      const { object } = (await findEvent('price.updated', id)).data;
      expect(record('event', object)).not.toHaveProperty('currency_options');
    },
  ),

  apiCase('keeps a transformation of the quantity', async ({ record, createPrice }) => {
    const transform_quantity = { divide_by: 10, round: 'up' } as const;
    expect(record('price', await createPrice({ transform_quantity }))).toMatchObject({ transform_quantity });
  }),

  apiCase('makes metered prices of a meter', async ({ record, stripe, createPrice, once }) => {
    const event_name = `contract_${Date.now()}`;
    const wanted = { display_name: 'Contract', event_name, default_aggregation: { formula: 'sum' as const } };
    const meter = record('meter', await stripe.billing.meters.create(wanted, once()));
    try {
      const recurring = { interval: 'month', usage_type: 'metered', meter: meter.id } as const;
      const price = record('price', await createPrice({ recurring }));
      expect(price.recurring).toMatchObject({ usage_type: 'metered', meter: meter.id });
    } finally {
      await stripe.billing.meters.deactivate(meter.id);
    }
  }),

  apiCase('refuses prices that contradict themselves', async ({ refusalOf, createPrice, createProduct }) => {
    const { id: product } = await createProduct();
    const tiers = [{ up_to: 'inf' as const, unit_amount: 1 }];
    const wrong: [string, Partial<Stripe.PriceCreateParams>][] = [
      ['tiers without a mode', { billing_scheme: 'tiered', tiers }],
      [
        'tiers without a last one',
        { billing_scheme: 'tiered', tiers_mode: 'volume', tiers: [{ up_to: 5, unit_amount: 1 }] },
      ],
      ['two amounts', { unit_amount: 1, unit_amount_decimal: decimal('1') }],
      ['an unknown currency', { currency: 'zzz' }],
      ['a period of four years', { recurring: { interval: 'year', interval_count: 4 } }],
    ];
    for (const [name, given] of wrong)
      expect(await refusalOf(name, createPrice({ product, ...given }))).toMatchObject({ status: 400 });
  }),
];
