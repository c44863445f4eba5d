import type { Analytics, BillingClient } from '@billing/client';
import type { Customer, Price } from '@billing/client';
import type { CustomerId, PriceId } from '@billing/contracts/ids';
import { pay } from './processor-account.ts';
import type { Demo } from './demo.ts';
import { until } from './until.ts';

/** What the subscription costs: a month, in cents. */
const UNIT_AMOUNT = 2_999;
const CREDIT_AMOUNT = 500;

interface Sold {
  readonly price: Price;
  readonly referrer: Customer;
  readonly referee: Customer;
  readonly subscriptionId: string;
}

/**
 * Sells a subscription to a customer whom another one referred, and waits until every service has taken it in.
 * @throws Error that names what did not happen in time
 */
export async function sellSubscription(demo: Demo, client: BillingClient): Promise<Sold> {
  const { report, deadlineMs, send } = demo;
  report('creating a product, a price and two customers');
  const product = await client.products.create({ name: 'Pro', description: 'The demo’s product' });
  const price = await client.prices.create({
    productId: product.id,
    unitAmount: UNIT_AMOUNT,
    currency: 'usd',
    interval: 'month',
  });
  const referrer = await client.customers.create({ email: 'grace@example.com', name: 'Grace Hopper' });
  const referee = await client.customers.create({ email: 'ada@example.com', name: 'Ada Lovelace' });

  report('referring one customer by the other');
  const credits = { referrerCreditAmount: CREDIT_AMOUNT, refereeCreditAmount: CREDIT_AMOUNT, currency: 'usd' };
  await client.referrals.updateConfig({ enabled: true, ...credits });
  const { code } = await client.referrals.createCode({ customerId: referrer.id });
  await client.referrals.apply({ code, refereeCustomerId: referee.id });

  report('paying on the hosted page');
  const { url } = await checkout(demo, client, referee.id, price.id);
  await pay(url, send);

  report('waiting for the subscription');
  const subscriptionId = await until('the paid subscription becoming active', deadlineMs, async () => {
    const { items } = await client.subscriptions.list({ customerId: referee.id }).page();
    const active = items.find(it => it.status === 'active');
    return active ? { found: active.id } : { seen: items };
  });
  report('waiting for revenue, referral and webhooks');
  await until('revenue, the referral’s conversion and all webhooks showing in the analytics', deadlineMs, async () => {
    const seen = await client.analytics.get();
    return isComplete(seen)
      ? { found: seen }
      : { seen: { mrr: seen.mrr, ...seen.webhookStats, ...seen.referralStats } };
  });
  return { price, referrer, referee, subscriptionId };
}

/** A page on which a customer pays for the price; from there the way leads to the customer's portal. */
export async function checkout(demo: Demo, client: BillingClient, customerId: CustomerId, priceId: PriceId) {
  const { portalUrl } = await client.portal.create({ customerId, ttlMs: demo.linkMs });
  return client.checkout.create({ customerId, priceId, successUrl: portalUrl, cancelUrl: portalUrl });
}

function isComplete({ mrr, webhookStats, referralStats }: Analytics): boolean {
  const { total, processed } = webhookStats;
  return mrr === UNIT_AMOUNT && referralStats.converted === 1 && total > 0 && processed === total;
}
