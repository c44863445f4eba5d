import { waitFor } from '@billing/testing/wait-for';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { inBrowser } from './browse.ts';
import { openShop, type Shop } from './shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});

/** Returns the payment methods at the processor: the customer's default, then that of each subscription. */
async function readPaymentMethods(customerId: string, subscriptionIds: readonly string[]): Promise<string[]> {
  const { callProcessor } = shop.tenant;
  const customer = (await callProcessor(`/v1/customers/${customerId}`)) as {
    invoice_settings: { default_payment_method: string };
  };
  const subscriptions = await Promise.all(
    subscriptionIds.map(
      async id => (await callProcessor(`/v1/subscriptions/${id}`)) as { default_payment_method: string },
    ),
  );
  return [
    customer.invoice_settings.default_payment_method,
    ...subscriptions.map(subscription => subscription.default_payment_method),
  ];
}

/** Reads the payment method on the page. Reloads while it is missing, which happens when the processor is slow. */
function readCard(page: Page): Promise<string> {
  return waitFor(
    async () => {
      const [shown] = await page.locator('[data-panel=payment-methods] h3').allInnerTexts();
      if (shown === undefined) await page.reload();
      return shown;
    },
    { what: 'the payment method on the page' },
  );
}

const OFFERS = [
  { name: 'Pro', unitAmount: 2_999 },
  { name: 'Support', unitAmount: 4_900 },
];

inBrowser('replaces the payment method of every subscription, and confirms it', async ({ visit }) => {
  const { customer, subscriptions, portalUrl } = await shop.customerWith(...OFFERS);
  const ids = subscriptions.map(({ processorSubscriptionId }) => processorSubscriptionId);
  const before = new Set(await readPaymentMethods(customer.processorCustomerId, ids));
  const page = await visit(`${portalUrl}?tab=payment-methods`);
  const cardBefore = await readCard(page);

  await page.getByRole('button', { name: 'Update payment method' }).click();
  await page.waitForURL(/\/c\/pay\//);
  await page.getByRole('button', { name: 'Save card' }).click();
  await page.waitForURL(`${portalUrl}?tab=payment-methods&notice=payment-method-saved`);
  expect(await page.getByRole('status').first().innerText()).toContain('Your new payment method is saved');
  expect(await page.context().cookies()).toEqual([]);

  const after = await waitFor(
    async () => {
      const [first, ...others] = await readPaymentMethods(customer.processorCustomerId, ids);
      const isReplaced = first !== undefined && !before.has(first) && others.every(other => other === first);
      return isReplaced ? first : undefined;
    },
    { what: 'every subscription to use the new payment method' },
  );
  const { card } = (await shop.tenant.callProcessor(`/v1/payment_methods/${after}`)) as { card: { last4: string } };
  await page.goto(`${portalUrl}?tab=payment-methods`);
  const cardAfter = await readCard(page);
  expect(cardAfter).toMatch(new RegExp(`${card.last4}$`));
  expect(cardAfter).not.toBe(cardBefore);
});

inBrowser('saves or cancels a new payment method without JavaScript', async ({ visit }) => {
  const { portalUrl } = await shop.customerWith(...OFFERS.slice(0, 1));
  const page = await visit(`${portalUrl}?tab=payment-methods`, { javaScriptEnabled: false });
  await page.getByRole('button', { name: 'Update payment method' }).click();
  await page.waitForURL(/\/c\/pay\//);
  await page.getByRole('link', { name: 'Go back without saving' }).click();
  await page.waitForURL(`${portalUrl}?tab=payment-methods`);
  await page.getByRole('button', { name: 'Update payment method' }).click();
  await page.waitForURL(/\/c\/pay\//);
  await page.getByRole('button', { name: 'Save card' }).click();
  await page.waitForURL(/notice=payment-method-saved/);
});
