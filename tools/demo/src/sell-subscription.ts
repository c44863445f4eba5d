import type { Analytics, BillingClient } from '@billing/client';
import type { Customer, Price } from '@billing/client';
import type { CustomerId, PriceId } from '@billing/contracts/ids';
import type { DemoContext } from './demo-context.ts';
import { pay } from './processor-account.ts';
import { waitUntil } from './wait-until.ts';

/** The price of the subscription per month, in cents. */
const UNIT_AMOUNT = 2_999;
const CREDIT_AMOUNT = 500;
/** How many customers can change to in the portal. */
const MOST = 10;
/** What the product gives, and how many of it. */
const FEATURE = { key: 'seats', name: 'Seats', type: 'limit' } as const;
const SEATS = 5;
/** Another price of the product: what it costs per month, in cents, and how many it gives. */
const UPGRADE = { unitAmount: 4_999, seats: 20 } as const;

interface Sold {
  readonly price: Price;
  /** Of the same product; it costs and gives more. */
  readonly upgrade: Price;
  readonly referrer: Customer;
  readonly referee: Customer;
  readonly subscriptionId: string;
}

/**
 * Sells a subscription to a referred customer and waits until every service has processed it.
 * @throws Error that names what did not happen in time
 */
export async function sellSubscription(demo: DemoContext, client: BillingClient): Promise<Sold> {
  const { report, deadlineMs, send } = demo;
  report('creating a feature, a product that gives it, two prices and two customers');
  const { key } = await client.features.create(FEATURE);
  const product = await client.products.create({ name: 'Pro', description: 'The demo’s product' });
  await client.productFeatures.set(product.id, key, { value: SEATS });
  const monthly = { productId: product.id, currency: 'usd', interval: 'month' } as const;
  const price = await client.prices.create({ ...monthly, unitAmount: UNIT_AMOUNT });
  const upgrade = await client.prices.create({ ...monthly, unitAmount: UPGRADE.unitAmount });
  await client.priceFeatures.set(upgrade.id, key, { value: UPGRADE.seats });
  const referrer = await client.customers.create({ email: 'grace@example.com', name: 'Grace Hopper' });
  const referee = await client.customers.create({ email: 'ada@example.com', name: 'Ada Lovelace', externalId: 'ada' });

  report('setting what the portal offers');
  const { id: couponId } = await client.coupons.create({
    name: 'Stay with us',
    percentOff: 20,
    duration: 'repeating',
    durationInMonths: 3,
  });
  const { id: promotionCodeId } = await client.promotionCodes.create({ couponId });
  await client.portalConfig.set({
    planSwitch: { enabled: true, priceIds: [price.id, upgrade.id] },
    quantity: { enabled: true, max: MOST },
    cancellation: { askReason: true, saveOffer: { promotionCodeId } },
    brand: { supportUrl: 'https://example.com/help', returnUrl: 'https://example.com/account' },
  });

  report('creating a referral between the customers');
  const credits = { referrerCreditAmount: CREDIT_AMOUNT, refereeCreditAmount: CREDIT_AMOUNT, currency: 'usd' };
  await client.referrals.updateConfig({ enabled: true, ...credits });
  const { code } = await client.referrals.createCode({ customerId: referrer.id });
  await client.referrals.apply({ code, refereeCustomerId: referee.id });

  report('paying on the hosted page');
  const { url } = await checkout(demo, client, referee.id, price.id);
  await pay(url, send);

  report('waiting for the subscription');
  const subscriptionId = await waitUntil('the paid subscription to become active', deadlineMs, async () => {
    const { items } = await client.subscriptions.list({ customerId: referee.id }).page();
    const active = items.find(it => it.status === 'active');
    return active ? { result: active.id } : { lastSeen: items };
  });
  report('waiting for what the customer may use');
  await waitUntil('the customer to have the seats', deadlineMs, async () => {
    const check = await client.states.check(referee.id, key);
    return check.value === SEATS ? { result: check } : { lastSeen: check };
  });
  report('waiting for revenue, referral and webhooks');
  await waitUntil(
    'revenue, the converted referral and all webhooks to appear in the analytics',
    deadlineMs,
    async () => {
      const analytics = await client.analytics.get();
      const { mrr, webhookStats, referralStats } = analytics;
      return isComplete(analytics) ? { result: analytics } : { lastSeen: { mrr, ...webhookStats, ...referralStats } };
    },
  );
  return { price, upgrade, referrer, referee, subscriptionId };
}

/** Creates a checkout for a price. Its success and cancel URLs lead to the customer's portal. */
export async function checkout(demo: DemoContext, client: BillingClient, customerId: CustomerId, priceId: PriceId) {
  const { portalUrl } = await client.portal.create({ customerId, ttlMs: demo.linkMs });
  return client.checkout.create({ customerId, priceId, successUrl: portalUrl, cancelUrl: portalUrl });
}

function isComplete({ mrr, webhookStats, referralStats }: Analytics): boolean {
  const { total, processed } = webhookStats;
  return mrr === UNIT_AMOUNT && referralStats.converted === 1 && total > 0 && processed === total;
}
