import type { Analytics, BillingClient } from '@billing/client';
import type { Customer, Price } from '@billing/client';
import type { CustomerId, PriceId } from '@billing/contracts/ids';
import { catalogDocument } from '@billing/contracts/resources/catalog-document';
import document from '../catalog.json' with { type: 'json' };
import type { DemoContext } from './demo-context.ts';
import { pay } from './processor-account.ts';
import { waitUntil } from './wait-until.ts';

const CREDIT_AMOUNT = 500;

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
  report('applying the catalog');
  await applyCatalog(client, deadlineMs);
  const [price, upgrade] = [await findPrice(client, 'pro_monthly'), await findPrice(client, 'pro_monthly_20')];

  report('creating two customers');
  const referrer = await client.customers.create({ email: 'grace@example.com', name: 'Grace Hopper' });
  const referee = await client.customers.create({ email: 'ada@example.com', name: 'Ada Lovelace', externalId: 'ada' });

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
    const check = await client.states.check(referee.id, 'seats');
    return check.value !== null ? { result: check } : { lastSeen: check };
  });
  report('waiting for revenue, referral and webhooks');
  await waitUntil(
    'revenue, the converted referral and all webhooks to appear in the analytics',
    deadlineMs,
    async () => {
      const analytics = await client.analytics.get();
      const { mrr, webhookStats, referralStats } = analytics;
      return isComplete(analytics, price)
        ? { result: analytics }
        : { lastSeen: { mrr, ...webhookStats, ...referralStats } };
    },
  );
  return { price, upgrade, referrer, referee, subscriptionId };
}

/** Creates a checkout for a price. Its success and cancel URLs lead to the customer's portal. */
export async function checkout(demo: DemoContext, client: BillingClient, customerId: CustomerId, priceId: PriceId) {
  const { portalUrl } = await client.portal.create({ customerId, ttlMs: demo.linkMs });
  return client.checkout.create({ customerId, priceId, successUrl: portalUrl, cancelUrl: portalUrl });
}

/** Applies the file of what the demo sells. */
async function applyCatalog({ catalog, syncs }: BillingClient, deadlineMs: number): Promise<void> {
  const { id } = await catalog.apply({ catalog: catalogDocument.parse(document), mode: 'apply' });
  await waitUntil('the catalog to be applied', deadlineMs, async () => {
    const run = await syncs.get(id);
    return run.status === 'completed' ? { result: run } : { lastSeen: run };
  });
}

async function findPrice({ prices }: BillingClient, key: string): Promise<Price> {
  const [price] = (await prices.list({ key }).page()).items;
  if (!price) throw new Error(`The catalog has no price "${key}".`);
  return price;
}

function isComplete({ mrr, webhookStats, referralStats }: Analytics, { unitAmount }: Price): boolean {
  const { total, processed } = webhookStats;
  return mrr === unitAmount && referralStats.converted === 1 && total > 0 && processed === total;
}
