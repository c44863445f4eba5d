import { waitFor } from '@billing/testing/wait-for';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf, type VisitPage } from './browse.ts';
import { expectFitting, PHONE, untilLoaded } from './looks.ts';

let tenant: Tenant;
let email: string;
let customerId: string;
beforeAll(async () => {
  tenant = await newTenant();
  const { billing } = tenant;
  const { productId, priceId } = await newMonthlyPrice(tenant);
  await billing.features.create({ key: 'sso', name: 'Single sign-on', type: 'boolean' });
  await billing.productFeatures.set(productId, 'sso', { value: true });
  const { id: basicId } = await billing.products.create({ name: 'Basic' });
  const monthly = { productId: basicId, unitAmount: 900, currency: 'usd', interval: 'month' } as const;
  const basic = await billing.prices.create(monthly);
  const subscription = await newSubscription(tenant, priceId);
  ({ customerId } = subscription);
  email = (await billing.customers.get(customerId)).email ?? '';
  // Two changes that are published together are one, which tells nothing of the plan in between.
  const states = () => billing.events.list({ objectId: customerId, types: ['customer.state_changed'] }).page();
  const givesFeature = async () =>
    (await states()).items.some(
      it => it.type === 'customer.state_changed' && it.data !== undefined && 'sso' in it.data.entitlements,
    );
  await waitFor(givesFeature, { what: 'the state with the feature' });
  await billing.subscriptions.change(subscription.id, { priceId: basic.id });
});

/** Counts what a mouse clicks until the page is loaded anew; keys and scripts click without a count of their own. */
const COUNT_CLICKS = `
  self.clicks = 0;
  addEventListener('click', ({ isTrusted, detail }) => {
    if (isTrusted && detail > 0) clicks += 1;
  }, true);
`;
const clicksOn = (page: Page) => page.evaluate<number>('clicks');

/** Opens the overview, and counts the clicks on the way to what a person needs. */
async function start(visit: VisitPage): Promise<Page> {
  const page = await visit(pageOf(tenant, 'overview'), tenant);
  await page.evaluate(COUNT_CLICKS);
  return page;
}

async function openCustomer(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Search/ }).click();
  await page.keyboard.type(email);
  await page
    .getByRole('option', { name: new RegExp(email) })
    .first()
    .click();
}

/** Waits for what a change of plan costs. */
const untilPriced = (page: Page) =>
  page
    .getByRole('dialog')
    .getByText(/due today/i)
    .first()
    .waitFor();

inBrowser('refunds a part of the last payment of a person known by e-mail, in four clicks', async ({ visit }) => {
  const page = await start(visit);
  await openCustomer(page);
  await page.getByRole('button', { name: 'Refund…' }).first().click();
  await page.getByLabel('Amount', { exact: true }).fill('1');
  await page.getByRole('dialog').getByText('paid $29.99').waitFor();
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  await page.getByText('Paid $29.99 for Pro; $1.00 refunded').waitFor();
  expect(await clicksOn(page)).toBe(4);
});

inBrowser('finds why somebody lost a feature, in two clicks', async ({ visit }) => {
  const page = await start(visit);
  await openCustomer(page);
  const change = page.getByRole('listitem').filter({ hasText: 'Went from Pro to Basic: $9.00 a month' });
  await change.getByText('Lost Single sign-on').waitFor();
  expect(await clicksOn(page)).toBe(2);
});

inBrowser('tells a caller what an upgrade costs, in four clicks', async ({ visit }) => {
  const page = await start(visit);
  await openCustomer(page);
  await page.getByRole('button', { name: 'Change plan…' }).first().click();
  await page.getByRole('radio', { name: 'Pro: $29.99 a month' }).click();
  await untilPriced(page);
  await page
    .getByRole('dialog')
    .getByText(/^Single sign-on/)
    .waitFor();
  expect(await clicksOn(page)).toBe(4);
});

/** Moves the focus with the tab key until it is on what is written so. */
async function tabTo(page: Page, text: string): Promise<void> {
  const focused = async () => {
    await page.keyboard.press('Tab');
    return page.evaluate<string>('document.activeElement.textContent.trim()');
  };
  await expect.poll(focused, { interval: 1 }).toBe(text);
}

inBrowser('does all of it with the keyboard alone', async ({ visit }) => {
  const page = await start(visit);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type(email);
  await page.getByRole('option', { name: new RegExp(email) }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Lost Single sign-on').waitFor();
  await tabTo(page, 'Change plan…');
  await page.keyboard.press('Enter');
  await page.getByRole('radio', { name: 'Basic: $9.00 a month', checked: true }).waitFor();
  await page.keyboard.press('ArrowDown');
  await untilPriced(page);
  await page.keyboard.press('Escape');
  await tabTo(page, 'Refund…');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText('paid $29.99').waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  await page.getByText('$2.00 are on their way back.').waitFor();
  expect(await clicksOn(page)).toBe(0);
});

inBrowser('says what is paid and owed, and mails, copies and lists what there is', async ({ visit }) => {
  const page = await visit(pageOf(tenant, `customers/${customerId}`), tenant);
  await untilLoaded(page);
  const figure = (name: string) => page.locator('.figure', { hasText: name });
  await figure('MRR').getByText('$9.00').waitFor();
  await figure('Next invoice')
    .getByText(/for Basic, before discounts and taxes/)
    .waitFor();
  await figure('Paid in all').getByText('$2').waitFor();
  await figure('Payments').getByText('Up to date').waitFor();

  await page.getByRole('button', { name: 'Portal link' }).click();
  const link = (await page.getByRole('region', { name: 'Portal link' }).innerText()).trim();
  const draft = await page.getByRole('link', { name: 'Write an e-mail with it' }).getAttribute('href');
  expect(draft).toBe(`mailto:${encodeURIComponent(email)}?subject=Your%20billing&body=${encodeURIComponent(link)}`);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Invoices', exact: true }).click();
  await page.getByRole('region', { name: 'Invoices' }).getByText('Paid').first().waitFor();
  await page.getByRole('button', { name: 'Payments', exact: true }).click();
  await page
    .getByRole('region', { name: 'Payments' })
    .getByText(/refunded/i)
    .first()
    .waitFor();
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await expectFitting(page, PHONE.width);
});
