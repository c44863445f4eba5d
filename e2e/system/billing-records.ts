import type { Invoice, PromotionCode } from '@billing/client';
import { randomBytes, randomUUID } from 'node:crypto';
import { waitFor } from '@billing/testing/wait-for';
import { newCustomer, newMonthlyPrice, newSubscription, payOnHostedPage, type Tenant } from './tenant.ts';

/** Has a new customer pay a subscription; returns the id of the payment. */
export async function newPayment(tenant: Tenant, priceId: string): Promise<string> {
  const { customerId } = await newSubscription(tenant, priceId);
  return waitFor(
    async () => (await tenant.billing.payments.list({ customerId, status: 'succeeded' }).page()).items[0]?.id,
    { what: 'the payment', intervalMs: 50 },
  );
}

/** Returns the ids of the newest payment and of its invoice. */
export const newestPayment = ({ billing }: Pick<Tenant, 'billing'>) =>
  waitFor(
    async () => {
      const [payment] = (await billing.payments.list({ limit: 1 }).page()).items;
      return payment?.invoiceId ? { paymentId: payment.id, invoiceId: payment.invoiceId } : undefined;
    },
    { what: 'a payment of an invoice', intervalMs: 50 },
  );

/** Has the renewal of a new subscription declined; returns the id of its open invoice. */
export async function newOpenInvoice(tenant: Tenant, priceId: string): Promise<string> {
  const { id: subscriptionId, processorSubscriptionId } = await newSubscription(tenant, priceId);
  await tenant.processor.renew(processorSubscriptionId, 'decline');
  return waitFor(
    async () => {
      const { items } = await tenant.billing.invoices.list({ subscriptionId, status: 'open' }).page();
      // The first invoice is open until its payment is known.
      return items.find(({ billingReason }) => billingReason === 'subscription_cycle')?.id;
    },
    { what: 'the open invoice', intervalMs: 50 },
  );
}

interface SentInvoice {
  /** A new one unless given. */
  readonly customerId?: string;
  readonly draft?: boolean;
}

/** Bills a customer 49 USD once, by an invoice that is mailed, or is to be once the draft is final. */
export const newSentInvoice = async (
  tenant: Tenant,
  { customerId, draft = false }: SentInvoice = {},
): Promise<Invoice> =>
  tenant.billing.invoices.create({
    customerId: customerId ?? (await newCustomer(tenant)),
    lines: [{ description: 'Setup', amount: 4_900 }],
    currency: 'usd',
    collect: 'invoice',
    draft,
  });

/** Bills 49 USD with the next invoice of a subscription; returns the id of the item. */
export const newInvoiceItem = async ({ billing }: Pick<Tenant, 'billing'>, subscriptionId: string): Promise<string> =>
  (await billing.subscriptions.createInvoiceItem(subscriptionId, { description: 'Setup', amount: 4_900 })).id;

/** Records usage of a customer and waits until it is sent, to the meter that examples of the API reference name. */
export async function newUsage({ billing, callProcessor }: Tenant, customerId: string): Promise<void> {
  const meter = 'api_calls';
  const form = { display_name: 'API calls', event_name: meter, 'default_aggregation[formula]': 'sum' };
  // Projects share an account, so another one may have it already.
  await callProcessor('/v1/billing/meters', form).catch((error: Error) => {
    if (!error.message.includes('already exists')) throw error;
  });
  await billing.usage.record({ events: [{ id: randomUUID(), customerId, meter, value: 1 }] });
  const isSent = async () => (await billing.usage.list({ customerId, status: 'sent' }).page()).items.length > 0;
  await waitFor(isSent, { what: 'usage to be sent', intervalMs: 100 });
}

/** Creates a coupon of 20 % for ever, and a code that redeems it. */
export async function newPromotionCode({ billing }: Pick<Tenant, 'billing'>): Promise<PromotionCode> {
  const { id: couponId } = await billing.coupons.create({ name: 'Spring', percentOff: 20, duration: 'forever' });
  return billing.promotionCodes.create({ couponId });
}

/** Reports what would move to a price from one that nobody has, and returns the id of the migration when that is done. */
export async function newPriceMigration(tenant: Tenant, toPriceId: string): Promise<string> {
  const { priceMigrations } = tenant.billing;
  const { priceId: fromPriceId } = await newMonthlyPrice(tenant);
  const create = () => priceMigrations.create({ fromPriceId, toPriceId, mode: 'report' });
  const { id } = await waitFor(create, { what: 'the migrations before it to end' });
  await waitFor(async () => (await priceMigrations.get(id)).status === 'completed', { what: 'the report' });
  return id;
}

/** Returns the id of a sync of the project that was canceled. A team has one at a time, so another project's may have to end. */
export async function canceledSync({ billing }: Pick<Tenant, 'billing'>): Promise<string> {
  const [newest] = (await billing.syncs.list({ limit: 1 }).page()).items;
  const create = () =>
    billing.syncs.create({ mode: 'report', types: ['product'], filter: { metadata: { app: 'shop' } } });
  const { id } = newest ?? (await waitFor(create, { what: "the team's other syncs to end" }));
  await billing.syncs.cancel(id);
  return id;
}

const URLS = { successUrl: 'https://shop.example/done', cancelUrl: 'https://shop.example/' };

interface Referral {
  /** Who gets the credit; a new customer unless given. */
  readonly customerId?: string;
  /** What the referred customer buys; a new price unless given. */
  readonly priceId?: string;
}

/**
 * Returns the id of a credit that the processor refused. Its customer has a code and has referred another. Leaves the program
 * enabled, with a credit for the referrer only.
 */
export async function newFailedCredit(tenant: Tenant, { customerId, priceId }: Referral = {}): Promise<string> {
  const { billing, processor } = tenant;
  await billing.referrals.updateConfig({ enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 0 });
  const [referrer, referee] = [customerId ?? (await newCustomer(tenant)), await newCustomer(tenant)];
  const { processorCustomerId } = await billing.customers.get(referrer);
  const path = `/v1/customers/${processorCustomerId}/balance_transactions`;
  await processor.fail({ path, method: 'POST', mode: '400', times: 1 });

  const { code } = await billing.referrals.createCode({ customerId: referrer });
  await billing.referrals.apply({ code, refereeCustomerId: referee });
  const bought = priceId ?? (await newMonthlyPrice(tenant)).priceId;
  await payOnHostedPage((await billing.checkout.create({ customerId: referee, priceId: bought, ...URLS })).url);
  const credit = await waitFor(
    async () => {
      const { items } = await billing.referrals.listCredits({ status: 'failed', customerId: referrer }).page();
      return items[0];
    },
    { what: 'the credit to fail' },
  );
  return credit.id;
}

/** What gives a feature, and to whom. */
interface Giving {
  readonly productId: string;
  readonly priceId: string;
  readonly customerId: string;
}

/**
 * Defines a feature that a product and its price give, and that a customer was granted, who gets an id of the tenant's own.
 * Waits until the customer's state includes it.
 */
export async function newGivenFeature(
  { billing }: Tenant,
  { productId, priceId, customerId }: Giving,
): Promise<{ readonly featureKey: string; readonly externalCustomerId: string }> {
  const featureKey = `f${randomBytes(8).toString('hex')}`;
  const externalCustomerId = `user-${randomBytes(8).toString('hex')}`;
  await Promise.all([
    billing.features.create({ key: featureKey, name: 'Seats', type: 'limit' }),
    billing.customers.update(customerId, { externalId: externalCustomerId }),
  ]);
  await Promise.all([
    billing.productFeatures.set(productId, featureKey, { value: 5 }),
    billing.priceFeatures.set(priceId, featureKey, { value: 6 }),
    billing.grants.set(customerId, featureKey, { value: 7 }),
  ]);
  const check = () => billing.states.check({ externalId: externalCustomerId }, featureKey).catch(() => undefined);
  await waitFor(async () => (await check())?.value === 7, { what: 'the state to include the grant' });
  return { featureKey, externalCustomerId };
}
