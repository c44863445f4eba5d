import { isWithoutBrowser } from '@billing/testing/browser';
import { waitFor } from '@billing/testing/wait-for';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { openShop, type Shop } from './shop.ts';

const withoutBrowser = isWithoutBrowser();
let shop: Shop;
beforeAll(async () => {
  if (!withoutBrowser) shop = await openShop();
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

it.skipIf(withoutBrowser)('replaces the payment method of every subscription, and confirms it', async () => {
  const { customer, subscriptions, portalUrl } = await shop.customerWith(...OFFERS);
  const ids = subscriptions.map(({ processorSubscriptionId }) => processorSubscriptionId);
  const before = new Set(await readPaymentMethods(customer.processorCustomerId, ids));
  await using visitor = await shop.visit(`${portalUrl}?tab=payment-methods`);
  const { page } = visitor;
  const cardBefore = await readCard(page);

  await page.getByRole('button', { name: 'Update payment method' }).click();
  await page.waitForURL(/\/c\/pay\//);
  await page.getByRole('button', { name: 'Save card' }).click();
  await page.waitForURL(`${portalUrl}?tab=payment-methods&notice=payment-method-saved`);
  expect(await page.getByRole('status').first().innerText()).toContain('Your new payment method is saved');
  expect(await visitor.context.cookies()).toEqual([]);

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
  expect(visitor.messages).toEqual([]);
});

it.skipIf(withoutBrowser)('saves or cancels a new payment method without JavaScript', async () => {
  const { portalUrl } = await shop.customerWith(...OFFERS.slice(0, 1));
  await using visitor = await shop.visit(`${portalUrl}?tab=payment-methods`, { javaScriptEnabled: false });
  const { page } = visitor;
  await page.getByRole('button', { name: 'Update payment method' }).click();
  await page.waitForURL(/\/c\/pay\//);
  await page.getByRole('link', { name: 'Go back without saving' }).click();
  await page.waitForURL(`${portalUrl}?tab=payment-methods`);
  await page.getByRole('button', { name: 'Update payment method' }).click();
  await page.waitForURL(/\/c\/pay\//);
  await page.getByRole('button', { name: 'Save card' }).click();
  await page.waitForURL(/notice=payment-method-saved/);
  expect(visitor.messages).toEqual([]);
});

it.skipIf(withoutBrowser)('does not expose the portal link to the processor', async () => {
  const { portalUrl, token } = await shop.customerWith(...OFFERS.slice(0, 1));
  await using visitor = await shop.visit(`${portalUrl}?tab=payment-methods`);
  await visitor.page.getByRole('button', { name: 'Update payment method' }).click();
  await visitor.page.waitForURL(/\/c\/pay\//);
  const sessionId = new URL(visitor.page.url()).pathname.split('/').at(-1) ?? '';
  const session = (await shop.tenant.callProcessor(`/v1/checkout/sessions/${sessionId}`)) as {
    success_url: string;
    cancel_url: string;
  };
  expect(JSON.stringify(session)).not.toContain(token);

  for (const address of [session.success_url, session.cancel_url]) {
    await using stranger = await shop.visit(address);
    expect(await stranger.page.locator('main').innerText()).toContain('Open your billing link again');
    expect(await stranger.page.content()).not.toMatch(/Ada|Lovelace|Pro\b/);
  }
  // The return URL works once, and only in the customer's own browser.
  await visitor.page.goto(session.cancel_url);
  expect(visitor.page.url()).toBe(`${portalUrl}?tab=payment-methods`);
  await visitor.page.goto(session.cancel_url);
  expect(await visitor.page.locator('main').innerText()).toContain('Open your billing link again');
});
