import { waitFor } from '@billing/testing/wait-for';
import {
  newCheckout,
  newCustomer,
  newEmail,
  newMonthlyPrice,
  newSubscription,
  payOnHostedPage,
  type Tenant,
} from './tenant.ts';

/**
 * Gives a tenant something of each kind: products, prices, a feature, a grant, a coupon with its code, customers, a referral with both credits, subscriptions of which
 * one is canceled, invoices, payments and portal sessions.
 */
export async function fillTenant(tenant: Tenant): Promise<void> {
  const { billing } = tenant;
  const { productId, priceId } = await newMonthlyPrice(tenant);
  await billing.features.create({ key: 'seats', name: 'Seats', type: 'limit' });
  await billing.productFeatures.set(productId, 'seats', { value: 5, per: 'quantity' });
  const { id: couponId } = await billing.coupons.create({ name: 'Spring sale', percentOff: 20, duration: 'once' });
  await billing.promotionCodes.create({ couponId, code: 'SPRING20' });
  const [referrer, referee] = [await newCustomer(tenant), await newCustomer(tenant)];
  await billing.referrals.updateConfig({ enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 300 });
  const { code } = await billing.referrals.createCode({ customerId: referrer });
  await billing.referrals.apply({ code, refereeCustomerId: referee });
  await billing.grants.set(referee, 'seats', { value: 8, note: 'For the migration' });
  await payOnHostedPage((await newCheckout(tenant, referee, priceId)).url);
  await waitFor(async () => (await billing.referrals.listCredits({ status: 'credited' }).page()).items.length === 2, {
    what: 'both credits',
  });
  const { id } = await newSubscription(tenant, priceId);
  await billing.subscriptions.cancelNow(id);
  await billing.portal.create({ customerId: referee });
  await billing.portal.create({ customerId: referrer, ttlMs: 3_600_000 });
  await billing.customers.delete(await newCustomer(tenant));
}

/** Customers of a tenant who subscribe one after another. */
export interface Traffic {
  /** Waits until so many more customers have subscribed. */
  untilSubscribed(count: number): Promise<void>;
  /** Waits for the customer whose turn it is, and ends. */
  stop(): Promise<void>;
}

/** Starts traffic through the API and the processor, each customer with a price of their own. */
export function startTraffic(tenant: Tenant): Traffic {
  let subscribed = 0;
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      const { priceId } = await newMonthlyPrice(tenant);
      await newSubscription(tenant, priceId);
      await tenant.billing.customers.create({ email: newEmail(), name: 'Ada' });
      subscribed += 1;
    }
  };
  const running = run();
  return {
    async untilSubscribed(count) {
      const target = subscribed + count;
      const failed = running.then(() => Promise.reject(new Error('The traffic has ended.')));
      await Promise.race([waitFor(() => subscribed >= target, { what: `${count} more subscriptions` }), failed]);
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
