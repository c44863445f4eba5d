import { isWithoutBrowser } from '@billing/testing/browser';
import { waitFor } from '@billing/testing/wait-for';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { expectAccessible } from '../system/accessibility.ts';
import { newestPayment, newOpenInvoice } from '../system/billing-records.ts';
import { newCheckout, newCustomer, newEmail, newTenant, type Tenant } from '../system/tenant.ts';
import { fillTenant } from '../system/tenant-life.ts';
import { newFailingEndpoint } from '../system/webhook-records.ts';
import { pageOf, visitConsole, type Visit } from './console/browse.ts';
import { LISTS, pathsOf } from './console/every-page.ts';
import {
  delayResponses,
  expectFitting,
  expectSteady,
  follow,
  IS_SYSTEM,
  LOOKS,
  takeScreenshot,
  untilLoaded,
  watchShifts,
  type Look,
} from './console/looks.ts';

const withoutBrowser = isWithoutBrowser();
/** Responses come this much later and out of order, so that a page shows what it does while it waits. */
const DELAY_MS = IS_SYSTEM ? 300 : 40;

let tenant: Tenant;
/** The pages of one record of each kind. */
let records: readonly string[];
/** Pages of the customers of tenants, and of who has no session. */
let others: Readonly<Record<string, string>>;
beforeAll(async () => {
  if (withoutBrowser) return;
  tenant = await newTenant();
  await fillTenant(tenant);
  const { billing, user, teamPath, P } = tenant;
  const [subscription] = (await billing.subscriptions.list().page()).items;
  const [code] = (await billing.referrals.listCodes().page()).items;
  const [promotionCode] = (await billing.promotionCodes.list().page()).items;
  const [price] = (await billing.prices.list().page()).items;
  const [invoice] = (await billing.invoices.list().page()).items;
  if (!subscription || !code || !promotionCode || !price || !invoice) throw new Error('The tenant lacks a record.');
  const { webhookEvents } = (await user.get(`${teamPath}/webhook-events?limit=1`)).body;
  const { customerId } = subscription;
  const dearer = await billing.prices.create({
    productId: price.productId,
    unitAmount: 3_999,
    currency: 'usd',
    interval: 'month',
  });
  const migration = { mode: 'report', fromPriceId: price.id, toPriceId: dearer.id } as const;
  const { id: testClockId } = await billing.testClocks.create({ name: 'A year of Pro' });
  await billing.customers.create({ name: 'Grace', email: newEmail(), testClockId });
  await recordUsage(tenant, customerId);
  records = pathsOf({
    customerId,
    subscriptionId: subscription.id,
    ...(await newestPayment(tenant)),
    priceMigrationId: (await billing.priceMigrations.create(migration)).id,
    testClockId,
    productId: price.productId,
    couponId: promotionCode.couponId,
    promotionCodeId: promotionCode.id,
    featureKey: 'seats',
    code: code.code,
    eventId: webhookEvents[0].id,
    ...(await newFailingEndpoint(tenant)),
  });
  await newOpenInvoice(tenant, price.id);
  await user.post(`${P}/syncs`, { mode: 'report' });
  await billing.portalConfig.set({ billingDetails: { enabled: true } });
  const { portalUrl } = await billing.portal.create({ customerId });
  others = {
    'sign-in': '/sign-in',
    'sign-up': '/sign-up',
    'accept-invitation': '/accept-invitation',
    'reset-password': '/reset-password',
    checkout: (await newCheckout(tenant, await newCustomer(tenant), price.id)).url,
    'checkout-invoice': String(invoice.hostedInvoiceUrl),
    'portal-subscriptions': portalUrl,
    'portal-invoices': `${portalUrl}?tab=invoices`,
    'portal-payment-methods': `${portalUrl}?tab=payment-methods`,
    'portal-billing-details': `${portalUrl}/billing-details`,
    // It takes as long as all others here.
    ...(IS_SYSTEM && { docs: '/docs' }),
  };
});

/** Records usage of a meter, and of one that does not exist. */
async function recordUsage({ billing }: Tenant, customerId: string): Promise<void> {
  const meter = 'api_calls';
  const { id: productId } = await billing.products.create({ name: 'API' });
  await billing.prices.create({ productId, unitAmount: 5, currency: 'usd', interval: 'month', meter });
  const usage = { customerId, value: 25 };
  await billing.usage.record({
    events: [
      { ...usage, id: 'call-1', meter },
      { ...usage, id: 'call-2', meter: 'calls' },
    ],
  });
  const isKnown = async () => (await billing.usage.list({ status: 'pending' }).page()).items.length === 0;
  await waitFor(isKnown, { what: 'the usage to be sent or rejected' });
}

it.skipIf(withoutBrowser).each(LOOKS)(
  'shows each page of the console steadily, within the screen: $name',
  async look => {
    await using visit = await visitIn(look, '/account', true);
    const { page } = visit;
    await expectGood(visit, look, 'account');
    for (const path of ['/new-team', `/new-project?teamId=${tenant.teamId}`]) {
      await open(page, path);
      await expectGood(visit, look, path.slice(1, path.indexOf('?') + 1 || undefined));
    }
    for (const { path, heading, shows, dialogs = [] } of LISTS) {
      await open(page, pageOf(tenant, path));
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
      await page.locator('#content').getByText(shows).filter({ visible: true }).first().waitFor();
      await expectGood(visit, look, path);
      for (const name of dialogs) await expectGoodDialog(page, look, path, name);
    }
    for (const path of records) {
      await open(page, pageOf(tenant, path));
      await page.locator('.crumb').waitFor();
      await expectGood(visit, look, path.replace(/\/[^/]*$/, '-one'), path);
    }
    expect(visit.problems).toEqual([]);
  },
);

it.skipIf(withoutBrowser).each(LOOKS)(
  'shows each page without a session steadily, within the screen: $name',
  async look => {
    await using visit = await visitIn(look, '/sign-in', false);
    for (const [name, path] of Object.entries(others)) {
      await visit.page.goto(new URL(path, tenant.gatewayUrl).href);
      await expectGood(visit, look, name);
    }
  },
);

async function visitIn({ viewport, colorScheme }: Look, path: string, isSignedIn: boolean): Promise<Visit> {
  const options = { viewport, colorScheme, ...(isSignedIn && { user: tenant.user }) };
  const visit = await visitConsole('/llms.txt', options);
  const { page } = visit;
  await watchShifts(page);
  await delayResponses(page, DELAY_MS);
  await page.goto(new URL(path, tenant.gatewayUrl).href);
  return visit;
}

/** Goes to a page as a link does; in `npm run test:system` loads it anew, which shows more of what may move. */
const open = (page: Page, path: string): Promise<unknown> =>
  IS_SYSTEM ? page.goto(new URL(path, tenant.gatewayUrl).href) : follow(page, path);

async function expectGood({ page }: Visit, { name, viewport }: Look, what: string, path = what): Promise<void> {
  await page.getByRole('heading').first().waitFor();
  await untilLoaded(page);
  await expectFitting(page, viewport.width);
  await expectSteady(page, path);
  await expectAccessible(page);
  if (IS_SYSTEM) await takeScreenshot(page, `${name}-${what.replaceAll(/[/?=]/g, '-')}`);
}

async function expectGoodDialog(page: Page, { name, viewport }: Look, path: string, button: string) {
  await press(page, button);
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await untilLoaded(page);
  await expectFitting(page, viewport.width);
  expect(await dialog.evaluate(box => box.scrollWidth - box.clientWidth)).toBe(0);
  await expectAccessible(page);
  if (IS_SYSTEM)
    await takeScreenshot(page, `${name}-${path.replaceAll('/', '-')}-${button.replace('…', '').replaceAll(' ', '-')}`);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.evaluate('shifts.length = 0');
}

/** Presses a button of the page, which may stand in the sheet of a row. */
async function press(page: Page, name: string): Promise<void> {
  const content = page.locator('#content');
  const wanted = content.getByRole('button', { name }).first();
  for (const more of await content.getByRole('button', { name: 'More', exact: true }).all()) {
    if (await wanted.isVisible()) break;
    await page.keyboard.press('Escape');
    await more.click();
  }
  await wanted.click();
}
