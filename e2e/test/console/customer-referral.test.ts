import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newFailedCredit } from '../../system/billing-records.ts';
import { newCustomer, newTenant, type Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { expectFitting, follow, LOOKS, takeScreenshot } from './looks.ts';

let tenant: Tenant;
/** They have an inactive and an active code, and referred two customers. */
let referrer: string;
let code: string;
/** The referee who subscribed, and the one who has not. */
let converted: string;
let pending: string;

beforeAll(async () => {
  tenant = await newTenant();
  const { billing } = tenant;
  referrer = (await billing.customers.create({ email: 'ada@example.com', name: 'Ada Lovelace' })).id;
  await billing.referrals.deactivateCode((await billing.referrals.createCode({ customerId: referrer })).code);
  await newFailedCredit(tenant, { customerId: referrer });
  const [active] = (await billing.referrals.listCodes({ customerId: referrer }).page()).items;
  code = active?.code ?? '';
  const conversions = billing.referrals.list({ referrerCustomerId: referrer, status: 'converted' });
  converted = (await conversions.page()).items[0]?.refereeCustomerId ?? '';
  pending = await newCustomer(tenant);
  await billing.referrals.apply({ code, refereeCustomerId: pending });
});

const cardOf = (page: Page) =>
  page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Referral', exact: true }) });
/** Returns the text beside a term in the card. */
const valueOf = (page: Page, term: string) =>
  cardOf(page)
    .locator('dt', { hasText: new RegExp(`^${term}$`) })
    .locator('xpath=following-sibling::dd[1]');

inBrowser('tells who referred a customer, and leads there', async ({ visit }) => {
  const page = await visit(pageOf(tenant, `customers/${converted}`), tenant);
  await valueOf(page, 'Referred by').getByText('Ada Lovelace').waitFor();
  expect(await valueOf(page, 'With code').innerText()).toBe(code);
  expect(await valueOf(page, 'Status').innerText()).toContain('Converted');
  expect(await cardOf(page).innerText()).not.toContain('Own codes');
  await page.getByText('The referral converted').waitFor();
  await page.getByText(`Referred with the code ${code}`).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'desktop-light-customers-referee');

  await valueOf(page, 'With code').getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: code }).waitFor();
  await page.goBack();
  await valueOf(page, 'Referred by').getByRole('link', { name: 'Ada Lovelace' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor();
});

inBrowser('says that a referral has not converted, and says nothing where there is none', async ({ visit }) => {
  const page = await visit(pageOf(tenant, `customers/${pending}`), tenant);
  await valueOf(page, 'Status').getByText('Pending').waitFor();
  await page.getByText(`Referred with the code ${code}`).waitFor();
  expect(await page.getByText('The referral converted').count()).toBe(0);

  const nobody = await newCustomer(tenant);
  const answers = ['/referrals?', '/referrals/codes?', '/referrals/credits?'].map(async part => {
    const response = await page.waitForResponse(one => [part, nobody].every(text => one.url().includes(text)));
    await response.finished();
  });
  await follow(page, pageOf(tenant, `customers/${nobody}`));
  await Promise.all(answers);
  await page.getByText('Became a customer').waitFor();
  // It is drawn by then.
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
  expect(await cardOf(page).count()).toBe(0);
});

inBrowser.for(LOOKS)(
  'shows whom a customer referred and what that earned: $name',
  async ({ name, viewport, colorScheme }, { visit }) => {
    const page = await visit(pageOf(tenant, `customers/${referrer}`), tenant, { viewport, colorScheme });
    await valueOf(page, 'Referred').getByText('2 customers, 1 converted').waitFor();
    const codes = valueOf(page, 'Own codes').getByRole('listitem');
    expect(await codes.count()).toBe(2);
    expect(await codes.filter({ hasText: code }).innerText()).toContain('Active');
    expect(await codes.filter({ hasNotText: code }).innerText()).toContain('Inactive');
    const credits = await valueOf(page, 'Credits').getByRole('listitem').allInnerTexts();
    expect(credits.map(text => text.replaceAll(/\s+/g, ' '))).toEqual(['$5.00 for referring Failed']);
    await expectAccessible(page);
    await expectFitting(page, viewport.width);
    await cardOf(page).scrollIntoViewIfNeeded();
    await takeScreenshot(page, `${name}-customers-referral`);
  },
);
