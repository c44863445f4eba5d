import { waitFor } from '@billing/testing/wait-for';
import { openShop } from '../test/portal/shop.ts';

/** What a page of the portal is called in pictures, and its address. */
export type PortalPages = Readonly<Record<string, string>>;

/**
 * Creates a customer with an active, an overdue, an ending and a trialing subscription, and returns every page that they see.
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
  await billing.subscriptions.cancelAtPeriodEnd(analytics.id);
  await processor.renew(support.processorSubscriptionId, 'decline');
  await waitFor(async () => (await billing.subscriptions.get(support.id)).status === 'past_due', {
    what: 'the subscription to be past due',
  });
  return {
    subscriptions: portalUrl,
    invoices: `${portalUrl}?tab=invoices`,
    'payment-methods': `${portalUrl}?tab=payment-methods`,
    cancel: `${portalUrl}/subscriptions/${pro.id}/cancel`,
    'cancel-trial': `${portalUrl}/subscriptions/${backups.id}/cancel`,
    canceled: `${portalUrl}?notice=cancel-scheduled`,
    'payment-method-saved': `${portalUrl}?tab=payment-methods&notice=payment-method-saved`,
    'not-found': `${portalUrl}/unknown`,
    expired: `${shop.tenant.gatewayUrl}/portal/${'0'.repeat(43)}`,
    returned: `${shop.tenant.gatewayUrl}/portal/return/0`,
  };
}
