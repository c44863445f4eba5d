import type { Tenant } from '../../system/tenant.ts';
import type { Prices } from './action.ts';

/** Creates the prices of a tenant: plans through the API, and others at the dashboard. */
export async function newPrices({ billing, callProcessor }: Tenant): Promise<Prices> {
  const { id: productId, processorProductId: product } = await billing.products.create({ name: 'Pro' });
  await billing.features.create({ key: 'seats', name: 'Seats', type: 'limit', merge: 'sum' });
  await billing.productFeatures.set(productId, 'seats', { value: 3, per: 'quantity' });
  const plan = async (unitAmount: number, currency: string, interval: 'week' | 'month' | 'year', intervalCount = 1) =>
    billing.prices.create({ productId, unitAmount, currency, interval, intervalCount });
  const atDashboard = async (form: Readonly<Record<string, string>>): Promise<string> =>
    (await callProcessor('/v1/prices', { product, currency: 'usd', 'recurring[interval]': 'month', ...form })).id;
  const weekly = await plan(701, 'usd', 'week');
  await billing.priceFeatures.set(weekly.id, 'seats', { value: 2 });
  return {
    plans: [await plan(2_999, 'usd', 'month'), weekly, await plan(10_001, 'eur', 'year', 2)],
    once: await billing.prices.create({ productId, unitAmount: 4_900, currency: 'usd', type: 'one_time' }),
    atDashboard: {
      package: await atDashboard({
        unit_amount: '1000',
        'transform_quantity[divide_by]': '3',
        'transform_quantity[round]': 'up',
      }),
      decimal: await atDashboard({ unit_amount_decimal: '0.35', 'recurring[interval]': 'week' }),
      tiered: await atDashboard({
        billing_scheme: 'tiered',
        tiers_mode: 'graduated',
        'tiers[0][up_to]': '3',
        'tiers[0][unit_amount]': '500',
        'tiers[1][up_to]': 'inf',
        'tiers[1][unit_amount]': '300',
      }),
      metered: await atDashboard({ unit_amount: '7', 'recurring[usage_type]': 'metered' }),
      inTwoCurrencies: await atDashboard({
        unit_amount: '3000',
        'currency_options[eur][unit_amount]': '2750',
        'metadata[amount_eur]': '2750',
      }),
    },
  };
}
