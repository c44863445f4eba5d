import { waitFor } from '@billing/testing/wait-for';
import { openShop } from '../test/portal/shop.ts';

/** What a page of the portal is called in pictures, and its address. */
export type PortalPages = Readonly<Record<string, string>>;

/**
 * Creates a customer with an active, an overdue, an ending and a trialing subscription that changes later, and returns every page that they see.
 * Each one takes a language in `?lang=`.
 */
export async function portalPages(system: Parameters<typeof openShop>[0]): Promise<PortalPages> {
  const shop = await openShop(system);
  const { billing, processor } = shop.tenant;
  const { subscriptions, portalUrl } = await shop.customerWith(
    { name: 'Pro', unitAmount: 2_999, quantity: 3 },
    { name: 'Support', unitAmount: 4_900 },
    { name: 'Analytics', unitAmount: 1_500 },
    { name: 'Backups', unitAmount: 800, trialDays: 14 },
  );
  const [pro, support, analytics, backups] = subscriptions;
  if (!pro || !support || !analytics || !backups) throw new Error('The customer lacks a subscription.');
  const { id: productId } = await billing.products.create({ name: 'Team' });
  const monthly = { productId, unitAmount: 4_999, currency: 'usd', interval: 'month' } as const;
  const yearly = { productId, unitAmount: 49_900, currency: 'usd', interval: 'year' } as const;
  const offered = [await billing.prices.create(monthly), await billing.prices.create(yearly)];
  const { id: couponId } = await billing.coupons.create({
    name: 'Stay',
    percentOff: 20,
    duration: 'repeating',
    durationInMonths: 3,
  });
  const { id: promotionCodeId } = await billing.promotionCodes.create({ couponId });
  await billing.portalConfig.set({
    planSwitch: {
      enabled: true,
      priceIds: [pro.priceId, ...offered.map(({ id }) => id)].filter(it => it !== undefined),
    },
    quantity: { enabled: true, max: 50 },
    cancellation: { askReason: true, saveOffer: { promotionCodeId } },
    billingDetails: { enabled: true },
    brand: { accentColor: '#1a7f5a', supportUrl: 'https://northwind.example/help' },
  });
  await billing.subscriptions.change(backups.id, { priceId: offered[0]?.id, when: 'period_end' });
  await billing.subscriptions.cancelAtPeriodEnd(analytics.id);
  await processor.renew(support.processorSubscriptionId, 'decline');
  await waitFor(async () => (await billing.subscriptions.get(support.id)).status === 'past_due', {
    what: 'the subscription to be past due',
  });
  return {
    subscriptions: portalUrl,
    invoices: `${portalUrl}?tab=invoices`,
    'payment-methods': `${portalUrl}?tab=payment-methods`,
    change: `${portalUrl}/subscriptions/${pro.id}/change`,
    'change-review': `${portalUrl}/subscriptions/${pro.id}/change/preview?priceId=${offered[0]?.id}&quantity=5`,
    'change-review-less': `${portalUrl}/subscriptions/${pro.id}/change/preview?quantity=1`,
    'change-review-yearly': `${portalUrl}/subscriptions/${pro.id}/change/preview?priceId=${offered[1]?.id}&quantity=3`,
    'change-same': `${portalUrl}/subscriptions/${pro.id}/change/preview?quantity=3`,
    cancel: `${portalUrl}/subscriptions/${pro.id}/cancel`,
    'cancel-trial': `${portalUrl}/subscriptions/${backups.id}/cancel`,
    canceled: `${portalUrl}?notice=cancel-scheduled`,
    'payment-method-saved': `${portalUrl}?tab=payment-methods&notice=payment-method-saved`,
    'billing-details': `${portalUrl}/billing-details`,
    'not-found': `${portalUrl}/unknown`,
    expired: `${shop.tenant.gatewayUrl}/portal/${'0'.repeat(43)}`,
    returned: `${shop.tenant.gatewayUrl}/portal/return/0`,
  };
}
