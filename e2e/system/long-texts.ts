import { waitFor } from '@billing/testing/wait-for';
import { ok } from './http.ts';
import { newestPayment } from './billing-records.ts';
import { newFailingEndpoint, type WebhookRecords } from './webhook-records.ts';
import { newCheckout, newEmail, payOnHostedPage, waitForActiveSubscription, type Tenant } from './tenant.ts';

/** One word of the widest letter. */
const word = (length: number): string => 'W'.repeat(length);
const label = word(60).toLowerCase();
const LONG_EMAIL = `${label}@${label}.${label}.${label}.example`;

/** Records whose texts are as long as they may be and can't be broken at a space. */
export interface LongRecords extends WebhookRecords {
  readonly customerId: string;
  readonly productId: string;
  readonly featureKey: string;
  readonly couponId: string;
  readonly promotionCodeId: string;
  readonly subscriptionId: string;
  readonly invoiceId: string;
  readonly paymentId: string;
  readonly priceMigrationId: string;
  readonly testClockId: string;
  readonly code: string;
  readonly eventId: string;
  readonly portalUrl: string;
}

/** Gives a tenant one of each record, with texts that are as long as they may be and have no space. */
export async function fillWithLongTexts(tenant: Tenant): Promise<LongRecords> {
  const { billing, user, teamPath, P } = tenant;
  await ok(user.patch(P, { name: word(120) }));
  await ok(user.post(`${P}/api-keys`, { name: word(120), scopes: ['customers:read'] }), 201);
  await ok(user.post(`${teamPath}/members`, { email: LONG_EMAIL, role: 'member' }), 202);
  const product = await billing.products.create({ name: word(250), description: word(500), unitLabel: word(12) });
  const monthly = { unitAmount: 99_999_999, currency: 'usd', interval: 'month' } as const;
  const price = await billing.prices.create({ productId: product.id, ...monthly });
  const featureKey = 'w'.repeat(80);
  const values = [word(100), word(99)];
  await billing.features.create({ key: featureKey, name: word(250), type: 'value', values });
  await billing.productFeatures.set(product.id, featureKey, { value: word(100) });
  const coupon = { name: word(40), amountOff: 99_999_999, currency: 'usd', duration: 'forever' } as const;
  const { id: couponId } = await billing.coupons.create(coupon);
  const { id: promotionCodeId } = await billing.promotionCodes.create({ couponId, code: word(500) });
  const { id: customerId } = await billing.customers.create({
    name: word(256),
    email: LONG_EMAIL,
    externalId: word(255),
    metadata: { [word(40)]: word(500) },
  });
  await billing.grants.set(customerId, featureKey, { value: word(99), note: word(500) });
  await billing.referrals.updateConfig({ enabled: true, referrerCreditAmount: 99_999_999, refereeCreditAmount: 1 });
  const { code } = await billing.referrals.createCode({ customerId });
  const referee = await billing.customers.create({ name: word(256), email: newEmail() });
  await billing.referrals.apply({ code, refereeCustomerId: referee.id });
  await payOnHostedPage((await newCheckout(tenant, customerId, price.id)).url);
  const subscription = await waitForActiveSubscription(tenant, customerId);
  const payment = await newestPayment(tenant);
  const event = await waitFor(
    async () =>
      (await ok(user.get(`${teamPath}/webhook-events?limit=1`))).webhookEvents[0] as { id: string } | undefined, // of the API
    { what: 'an event' },
  );
  await billing.subscriptions.cancelAtPeriodEnd(subscription.id, { reason: 'other', comment: word(500) });
  const dearer = await billing.prices.create({ productId: product.id, ...monthly, unitAmount: 99_999_998 });
  const prices = { fromPriceId: price.id, toPriceId: dearer.id };
  const { id: priceMigrationId } = await billing.priceMigrations.create({ mode: 'report', ...prices });
  const { id: testClockId } = await billing.testClocks.create({ name: word(300) });
  await billing.customers.create({ name: word(256), email: newEmail(), testClockId });
  await billing.usage.record({ events: [{ id: word(100), customerId, meter: word(100), value: 999_999_999_999_999 }] });
  await billing.portalConfig.set({
    planSwitch: { enabled: true, priceIds: [price.id, dearer.id] },
    cancellation: { saveOffer: { promotionCodeId } },
    brand: { name: word(120) },
  });
  const { portalUrl } = await billing.portal.create({ customerId });
  const webhooks = await newFailingEndpoint(tenant, { path: `/${word(1_900)}`, description: word(500) });
  const ids = {
    customerId,
    productId: product.id,
    featureKey,
    couponId,
    promotionCodeId,
    subscriptionId: subscription.id,
    ...payment,
    priceMigrationId,
    testClockId,
    code,
    eventId: event.id,
  };
  return { ...ids, ...webhooks, portalUrl };
}
