import { isWithoutBrowser } from '@billing/testing/browser';
import { waitFor } from '@billing/testing/wait-for';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openShop, PATIENT, type Shop } from './visit.ts';

const withoutBrowser = isWithoutBrowser();
let shop: Shop;
beforeAll(async () => {
  if (!withoutBrowser) shop = await openShop();
});
afterAll(() => shop?.[Symbol.asyncDispose]());

/** What pays for a customer at the processor: the default, and that of each of these subscriptions. */
async function paying(customerId: string, subscriptionIds: readonly string[]): Promise<string[]> {
  const { askProcessor } = shop.tenant;
  const customer = (await askProcessor(`/v1/customers/${customerId}`)) as {
    invoice_settings: { default_payment_method: string };
  };
  const subscriptions = await Promise.all(
    subscriptionIds.map(
      async id => (await askProcessor(`/v1/subscriptions/${id}`)) as { default_payment_method: string },
    ),
  );
  return [
    customer.invoice_settings.default_payment_method,
    ...subscriptions.map(subscription => subscription.default_payment_method),
  ];
}

/** The payment method on the page, which goes without it while the processor does not tell in time. */
function cardShown(page: Page): Promise<string> {
  return waitFor(
    async () => {
      const [shown] = await page.locator('[data-panel=payment-methods] h3').allInnerTexts();
      if (shown === undefined) await page.reload();
      return shown;
    },
    { what: 'the payment method to be told', timeoutMs: 60_000 },
  );
}

const OFFERS = [
  { name: 'Pro', unitAmount: 2_999 },
  { name: 'Support', unitAmount: 4_900 },
];

it.skipIf(withoutBrowser)('replaces what pays for everything, and comes back to say so', PATIENT, async () => {
  const { customer, subscriptions, portalUrl } = await shop.customerWith(...OFFERS);
  const ids = subscriptions.map(({ processorSubscriptionId }) => processorSubscriptionId);
  const before = new Set(await paying(customer.processorCustomerId, ids));
  await using visitor = await shop.visit(`${portalUrl}?tab=payment-methods`);
  const { page } = visitor;
  const cardBefore = await cardShown(page);

  await page.getByRole('button', { name: 'Update payment method' }).click();
  await page.waitForURL(/\/c\/pay\//);
  await page.getByRole('button', { name: 'Save card' }).click();
  await page.waitForURL(`${portalUrl}?tab=payment-methods&notice=payment-method-saved`);
  expect(await page.getByRole('status').first().innerText()).toContain('Your new payment method is saved');
  expect(await visitor.context.cookies()).toEqual([]);

  const after = await waitFor(
    async () => {
      const [first, ...others] = await paying(customer.processorCustomerId, ids);
      const isReplaced = first !== undefined && !before.has(first) && others.every(other => other === first);
      return isReplaced ? first : undefined;
    },
    { what: 'the new method to pay for everything', timeoutMs: 45_000 },
  );
  const { card } = (await shop.tenant.askProcessor(`/v1/payment_methods/${after}`)) as { card: { last4: string } };
  await page.goto(`${portalUrl}?tab=payment-methods`);
  const cardAfter = await cardShown(page);
  expect(cardAfter).toMatch(new RegExp(`${card.last4}$`));
  expect(cardAfter).not.toBe(cardBefore);
  expect(visitor.complaints).toEqual([]);
});

it.skipIf(withoutBrowser)('goes to the processor and back without script, saving or not', PATIENT, async () => {
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
  expect(visitor.complaints).toEqual([]);
});

it.skipIf(withoutBrowser)(
  'tells the processor nothing that opens the portal, and opens nothing to whoever reads it there',
  PATIENT,
  async () => {
    const { portalUrl, token } = await shop.customerWith(...OFFERS.slice(0, 1));
    await using visitor = await shop.visit(`${portalUrl}?tab=payment-methods`);
    await visitor.page.getByRole('button', { name: 'Update payment method' }).click();
    await visitor.page.waitForURL(/\/c\/pay\//);
    const sessionId = new URL(visitor.page.url()).pathname.split('/').at(-1) ?? '';
    const session = (await shop.tenant.askProcessor(`/v1/checkout/sessions/${sessionId}`)) as {
      success_url: string;
      cancel_url: string;
    };
    expect(JSON.stringify(session)).not.toContain(token);

    for (const address of [session.success_url, session.cancel_url]) {
      await using stranger = await shop.visit(address);
      expect(await stranger.page.locator('main').innerText()).toContain('Open your billing link again');
      expect(await stranger.page.content()).not.toMatch(/Ada|Lovelace|Pro\b/);
    }
    // The customer's own browser comes back once; then that address opens nothing there either.
    await visitor.page.goto(session.cancel_url);
    expect(visitor.page.url()).toBe(`${portalUrl}?tab=payment-methods`);
    await visitor.page.goto(session.cancel_url);
    expect(await visitor.page.locator('main').innerText()).toContain('Open your billing link again');
  },
);
