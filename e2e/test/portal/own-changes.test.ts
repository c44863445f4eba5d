import { formatMoney } from '@billing/client';
import { waitFor } from '@billing/testing/wait-for';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { newPromotionCode } from '../../system/billing-records.ts';
import { inBrowser } from './browse.ts';
import { expectGood } from './fitting.ts';
import { cardOf, openShop, type Shop } from './shop.ts';

const PRO = { name: 'Pro', unitAmount: 2_999 };
const SMALLEST = { width: 320, height: 640 };
const DESKTOP = { width: 1280, height: 900 };

const COMMENT = 'Bis zum Frühling';
/** What a customer does who is offered a discount instead of canceling, and what becomes of the subscription. */
const ACCEPTS = {
  make: (page: Page) => press(page, '.offer button', 'Enter'),
  leadsTo: { cancelAtPeriodEnd: false, discounts: [{ percentOff: expect.any(Number) }] },
};
const DECLINES = {
  async make(page: Page) {
    await press(page, '[value=too_expensive]', 'Space');
    await page.locator('textarea').fill(COMMENT);
    await press(page, 'button.danger', 'Enter');
  },
  leadsTo: { cancelAtPeriodEnd: true, cancellation: { reason: 'too_expensive', comment: COMMENT } },
};

/** Who changes their subscription: in which language and look, and the words that lead there. */
const READERS = [
  {
    locale: 'en-US',
    look: { viewport: DESKTOP, colorScheme: 'light' },
    words: { update: /^Update subscription/, dueToday: 'Due today', updated: 'is updated' },
    decision: ACCEPTS,
  },
  {
    locale: 'de-DE',
    look: { viewport: SMALLEST, colorScheme: 'dark' },
    words: { update: /^Abonnement ändern/, dueToday: 'Heute fällig', updated: 'wurde geändert' },
    decision: DECLINES,
  },
  {
    locale: 'ja-JP',
    look: { viewport: SMALLEST, colorScheme: 'light' },
    words: { update: /^サブスクリプションを変更/, dueToday: '本日のお支払い', updated: '変更しました' },
    decision: DECLINES,
  },
] as const;

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  const { billing } = shop.tenant;
  const { id: productId } = await billing.products.create({ name: 'Team' });
  const monthly = { productId, unitAmount: 4_999, currency: 'usd', interval: 'month' } as const;
  const { id: team } = await billing.prices.create(monthly);
  const { id: promotionCodeId } = await newPromotionCode(shop.tenant);
  await billing.portalConfig.set({
    planSwitch: { enabled: true, priceIds: [team] },
    quantity: { enabled: true },
    cancellation: { askReason: true, saveOffer: { promotionCodeId } },
  });
});

inBrowser.for(READERS)(
  'changes the plan by keyboard for exactly what was shown, and is offered to stay: $locale',
  async ({ locale, look, words, decision }, { visit }) => {
    const { billing } = shop.tenant;
    const { subscriptions, portalUrl } = await shop.customerWith(PRO);
    const [subscription] = subscriptions;
    if (!subscription) throw new Error('There is no subscription.');
    const page = await visit(portalUrl, { locale, reducedMotion: 'reduce', ...look });
    await follow(page, words.update);
    await expectGood(page);
    await page.getByRole('radio', { name: 'Team' }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('spinbutton').fill('4');
    await page.keyboard.press('Enter');
    await page.locator('.amounts').waitFor();
    await expectGood(page);

    const due = Number(await page.locator('input[name=expectedAmountDue]').inputValue());
    expect(due).toBeGreaterThan(0);
    const shown = await page.locator('.sums tr', { hasText: words.dueToday }).locator('td').innerText();
    expect(shown).toBe(formatMoney(due, 'usd', locale));
    await page.locator('.actions button').focus();
    await page.keyboard.press('Enter');
    await page.locator('.notice', { hasText: words.updated }).waitFor();
    expect(await cardOf(page, subscription).innerText()).toMatch(/Team[\s\S]*× 4/);
    expect(await billing.subscriptions.get(subscription.id)).toMatchObject({ quantity: 4, pendingChange: null });
    await waitFor(
      async () => {
        const { items } = await billing.invoices.list({ subscriptionId: subscription.id, status: 'paid' }).page();
        return items.find(
          ({ billingReason, amountPaid }) => billingReason === 'subscription_update' && amountPaid === due,
        );
      },
      { what: `an invoice of ${due}` },
    );

    await page.locator('a[href*="/cancel"]').focus();
    await page.keyboard.press('Enter');
    await page.locator('.offer').waitFor();
    await expectGood(page);
    await decision.make(page);
    await page.locator('.notice').waitFor();
    expect(await billing.subscriptions.get(subscription.id)).toMatchObject(decision.leadsTo);
  },
);

/** Presses a key on what the keyboard has reached. */
async function press(page: Page, selector: string, key: string): Promise<void> {
  await page.locator(selector).focus();
  await page.keyboard.press(key);
}

/** Follows a link by its name, as the keyboard does. */
async function follow(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('link', { name }).focus();
  await page.keyboard.press('Enter');
  await page.locator('fieldset').waitFor();
}
