import { expect } from 'vitest';
import { newEmail, type Tenant } from '../../system/tenant.ts';
import { planAt, type Prices } from './action.ts';
import { newBuyer, type Buyer } from './history.ts';
import { subscribeAtDashboard } from './subscription-actions.ts';

/** What a buyer was to the processor before the tenant created the customer. */
export const ORIGINS = ['unknown', 'customer', 'subscriber', 'former subscriber'] as const;
export type Origin = (typeof ORIGINS)[number];

/**
 * Creates a customer through the API, whom the processor may have known before, under the same e-mail in another case. It
 * is linked then, and the response comes after its subscriptions are recorded.
 */
export async function newBuyerOf(tenant: Tenant, origin: Origin, prices: Prices): Promise<Buyer> {
  if (origin === 'unknown') return newBuyer(tenant);
  const email = newEmail();
  const { id: processorCustomerId } = await tenant.callProcessor('/v1/customers', {
    email,
    'metadata[note]': 'before',
  });
  const subscriptions = origin === 'customer' ? [] : [await subscribeBefore({ tenant, processorCustomerId }, prices)];
  if (origin === 'former subscriber') for (const id of subscriptions) await tenant.processor.end(id);

  const customer = await tenant.billing.customers.create({ email: email.toUpperCase() });
  expect(customer).toMatchObject({ email, processorCustomerId });
  const { items } = await tenant.billing.subscriptions.list({ customerId: customer.id, activeOnly: false }).page();
  expect(items.map(it => it.processorSubscriptionId)).toEqual(subscriptions);
  return { tenant, customerId: customer.id, processorCustomerId };
}

/** Returns the Stripe id of a subscription. */
async function subscribeBefore(
  customer: Pick<Buyer, 'tenant' | 'processorCustomerId'>,
  prices: Prices,
): Promise<string> {
  await subscribeAtDashboard(customer, { 'items[0][price]': planAt(prices, 0).processorPriceId });
  const { data } = await customer.tenant.callProcessor(`/v1/subscriptions?customer=${customer.processorCustomerId}`);
  return data[0].id;
}

/** Refers a buyer. Who has or had a subscription before can't be referred, so no referral converts by it. */
export async function refer({ tenant, customerId }: Buyer, code: string, origin: Origin): Promise<void> {
  const applying = tenant.billing.referrals.apply({ code, refereeCustomerId: customerId });
  if (origin === 'unknown' || origin === 'customer') await applying;
  else await expect(applying).rejects.toMatchObject({ status: 409, code: 'referral_already_subscribed' });
}
