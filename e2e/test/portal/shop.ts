import type { Subscription } from '@billing/client';
import type { Page } from 'playwright-core';
import { waitFor } from '@billing/testing/wait-for';
import { ok } from '../../system/http.ts';
import { newTenant, payOnHostedPage, type Tenant } from '../../system/tenant.ts';

/** A monthly subscription to a new product. */
export interface Offer {
  readonly name: string;
  readonly unitAmount: number;
  readonly currency?: string;
  readonly quantity?: number;
  readonly trialDays?: number;
}

/** Creates a tenant whose customers use the portal; in the shared system unless another one is given. */
export async function openShop(system?: Parameters<typeof newTenant>[0]) {
  const tenant = await newTenant(system);
  await ok(tenant.user.patch(tenant.P, { name: 'Northwind' }));
  return {
    tenant,
    /** Creates a customer who subscribes to these offers, with a portal link. */
    customerWith: (...offers: Offer[]) => customerWith(tenant, offers),
  };
}
export type Shop = Awaited<ReturnType<typeof openShop>>;

async function customerWith(tenant: Tenant, offers: readonly Offer[]) {
  const { billing } = tenant;
  const email = `ada.${crypto.randomUUID().slice(0, 6)}@example.com`;
  const customer = await billing.customers.create({ email, name: 'Ada Lovelace' });
  const subscriptions: Subscription[] = [];
  for (const offer of offers) subscriptions.push(await subscribe(tenant, customer.id, offer, subscriptions.length));
  const { portalUrl, token, sessionId } = await billing.portal.create({
    customerId: customer.id,
    returnUrl: 'https://northwind.example/account',
  });
  return { customer, subscriptions, portalUrl, token, sessionId };
}

async function subscribe({ billing }: Tenant, customerId: string, offer: Offer, before: number): Promise<Subscription> {
  const { name, unitAmount, currency = 'usd', ...bought } = offer;
  const product = await billing.products.create({ name });
  const price = await billing.prices.create({ productId: product.id, unitAmount, currency, interval: 'month' });
  const urls = { successUrl: 'https://northwind.example/', cancelUrl: 'https://northwind.example/' };
  const { url } = await billing.checkout.create({ customerId, priceId: price.id, ...urls, ...bought });
  await payOnHostedPage(url);
  return waitFor(
    async () => {
      const { items } = await billing.subscriptions.list({ customerId }).page();
      return items.length > before ? items.find(({ priceId }) => priceId === price.id) : undefined;
    },
    { what: `the subscription to ${name}`, intervalMs: 50 },
  );
}

/** Waits until the page's live region contains the text. */
export const untilAnnounced = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator('#announcer', { hasText: text }).waitFor({ state: 'attached' });

/** Locates the card of a subscription. */
export const cardOf = (page: Page, { id }: Pick<Subscription, 'id'>) => page.locator(`#${id}`);
