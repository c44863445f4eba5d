import { waitFor } from '@billing/testing/wait-for';
import { expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { ok } from '../../system/http.ts';
import { newCustomer, newEmail, newTenant, newUser, saveCard } from '../../system/tenant.ts';
import { openProject, sell } from '../test-clocks/clocks.ts';
import { inBrowser, pageOf } from './browse.ts';
import { follow, takeScreenshot } from './looks.ts';

inBrowser('bills a customer on a test clock by advancing it', async ({ visit }) => {
  const { tenant, priceId } = await openProject();
  const { billing } = tenant;
  const page = await visit(pageOf(tenant, 'test-clocks'), tenant, { timezoneId: 'UTC' });
  await page.getByRole('heading', { name: 'No test clocks yet' }).waitFor();
  await page.getByRole('button', { name: 'New test clock' }).first().press('Enter');
  await page.keyboard.type('A year of Pro');
  await page.getByLabel('It starts at').fill('2030-01-31T12:00');
  await page.getByRole('button', { name: 'Create the test clock' }).click();
  await page.getByRole('heading', { level: 1, name: 'A year of Pro' }).waitFor();
  const head = page.locator('.page-head');
  await head.getByText('Jan 31, 2030, 12:00').waitFor();
  await head.getByText('Ready').waitFor();
  const advance = page.getByRole('button', { name: 'Advance…' });
  const dialog = page.getByRole('dialog');
  await advance.press('Enter');
  await dialog.getByRole('button', { name: 'Advance', exact: true }).click();
  await dialog.getByText('No subscription on the test clock').waitFor();
  await dialog.getByRole('button', { name: 'Go back' }).click();

  const email = newEmail();
  await page.getByRole('button', { name: 'New customer on this clock' }).press('Enter');
  await page.keyboard.type(email);
  await dialog.getByLabel('Name').fill('Grace');
  await dialog.getByRole('button', { name: 'Create the customer' }).click();
  const row = page.getByRole('row', { name: /Grace/ });
  const testCard = row.getByRole('button', { name: 'Test card…' });
  await testCard.click();
  await dialog.getByLabel('The card').selectOption('Pays');
  await dialog.getByRole('button', { name: 'Give the card' }).click();
  await page.getByText('The customer has the card.').waitFor();
  const [customer] = (await billing.customers.list({ email }).page()).items;
  if (!customer) throw new Error('There is no customer.');
  await sell(tenant, customer.id, priceId);

  await advance.press('Enter');
  await expectAccessible(page);
  await takeScreenshot(page, 'advance-test-clock');
  await tenant.processor.fail({ path: '/v1/test_helpers', method: 'GET', mode: 'slow', delayMs: 1_000, times: 2 });
  await dialog.getByLabel('How far').selectOption('Until the next invoice is charged');
  await dialog.getByRole('button', { name: 'Advance', exact: true }).click();
  await page.getByText('It advances to').waitFor();
  await head.getByText('Ready').waitFor();
  await head.getByText('Feb 28, 2030').waitFor();
  expect(await page.getByText('It advances to').count()).toBe(0);
  await takeScreenshot(page, 'test-clock');

  await row.getByRole('link', { name: 'Grace' }).click();
  await page.getByText('This customer lives on the test clock').waitFor();
  await page.getByText('where it is Feb 28, 2030').waitFor();
  await page.getByRole('button', { name: 'Invoices', exact: true }).click();
  await page
    .getByRole('row', { name: /Paid.*\$29\.99|\$29\.99.*Paid/ })
    .nth(1)
    .waitFor();

  // A card that declines leaves the next invoice unpaid.
  await page.getByRole('link', { name: 'A year of Pro' }).click();
  await testCard.click();
  await dialog.getByLabel('The card').selectOption('Declines each charge');
  await dialog.getByRole('button', { name: 'Give the card' }).click();
  await dialog.waitFor({ state: 'detached' });
  await advance.press('Enter');
  await dialog.getByLabel('How far').selectOption('To a date');
  await dialog.getByLabel('Date and time').fill('2030-04-02T00:00');
  await dialog.getByRole('button', { name: 'Advance', exact: true }).click();
  await head.getByText('Apr 2, 2030, 12:00').waitFor();
  await row.getByRole('link', { name: 'Grace' }).click();
  await page.getByText('The payment failed: Your card was declined.').waitFor();

  await follow(page, pageOf(tenant, 'test-clocks'));
  await page.getByRole('row', { name: /A year of Pro.*Apr 2, 2030.*Ready.*Grace/ }).waitFor();
  await page.getByRole('link', { name: 'A year of Pro' }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await dialog.getByText('So do its customers').waitFor();
  await dialog.getByText('Grace').waitFor();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('heading', { name: 'No test clocks yet' }).waitFor();
  expect((await billing.customers.list({ email }).page()).items).toEqual([]);
});

inBrowser('shows what a customer has used by day, and why usage was rejected', async ({ visit }) => {
  const tenant = await newTenant();
  const { billing } = tenant;
  const { id: productId } = await billing.products.create({ name: 'API' });
  const metered = { productId, unitAmount: 5, currency: 'usd', interval: 'month' } as const;
  await billing.prices.create({ ...metered, meter: 'api_calls' });
  const { id: priceId } = await billing.prices.create({ ...metered, meter: 'storage' });
  const customerId = await newCustomer(tenant);
  const page = await visit(pageOf(tenant, `customers/${customerId}`), tenant);
  const card = page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Usage', exact: true }) });
  await page.getByRole('heading', { name: 'What happened' }).waitFor();
  expect(await card.count()).toBe(0);

  const yesterday = new Date(Date.now() - 86_400_000);
  const calls = { customerId, meter: 'api_calls' };
  await billing.usage.record({
    events: [
      { ...calls, id: 'call-1', value: 1_200 },
      { ...calls, id: 'call-2', value: 50 },
      { ...calls, id: 'call-3', value: 300, at: yesterday },
      { customerId, id: 'call-4', meter: 'no_such_meter', value: 7 },
    ],
  });
  const isKnown = async () => (await billing.usage.list({ status: 'pending' }).page()).items.length === 0;
  await waitFor(isKnown, { what: 'the usage to be sent or rejected' });
  await saveCard(tenant, customerId);
  await sell(tenant, customerId, priceId);
  await page.reload();
  await card.getByText('1,550 in the last 30 days').waitFor();
  await card.getByRole('listitem').filter({ hasText: '1,250' }).waitFor();
  await card.getByRole('listitem').filter({ hasText: '300' }).waitFor();
  const rejected = card.getByRole('region', { name: 'Rejected usage' });
  await rejected.getByText('7 of no_such_meter').waitFor();
  await rejected.getByText('No active meter').waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'usage-of-a-customer');
  await card.getByLabel('Meter').selectOption('storage');
  await card.getByText('0 in the last 30 days').waitFor();
  await card.getByLabel('Meter').selectOption('no_such_meter');
  await card.getByText('Stripe has no active meter with this name').waitFor();
});

inBrowser('offers test clocks in test mode only', async ({ visit }) => {
  const { user } = await newUser();
  const { team } = await ok(user.post('/api/service/teams', { name: 'Acme' }), 201);
  const teamPath = `/api/service/teams/${team.id}`;
  const { project } = await ok(user.post(`${teamPath}/projects`, { name: 'Shop' }), 201);
  const page = await visit(pageOf({ teamId: team.id, projectId: project.id }, 'settings/connection'), { user });
  const link = page.getByRole('link', { name: 'Test clocks' });
  await link.waitFor();
  const key = crypto.randomUUID().replaceAll('-', '');
  const account = { secretKey: `sk_live_${key}`, publishableKey: `pk_live_${key}`, webhookSecret: `whsec_${key}` };
  await ok(user.post(`${teamPath}/processor/connect`, account));
  await page.reload();
  await page.getByText('Live mode').waitFor();
  await link.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Price migrations' }).waitFor();
});
