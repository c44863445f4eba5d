import { beforeAll, expect } from 'vitest';
import { newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
  const { priceId } = await newMonthlyPrice(tenant);
  await newSubscription(tenant, priceId);
});

const failure = (requestId: string) => ({
  status: 500,
  contentType: 'application/json',
  body: JSON.stringify({ error: { code: 'internal', message: 'Something went wrong on our side.', requestId } }),
});

inBrowser('shows the request id of what failed, and tries again', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'overview'), tenant);
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
  await page.route('**/invoices?**', route => route.fulfill(failure('req-4711')));
  await page.getByRole('link', { name: 'Invoices' }).click();
  await page.getByText('req-4711').waitFor();
  expect(await page.getByRole('alert').innerText()).toContain('Something went wrong on our side.');
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('4711');
  await page.getByRole('dialog').getByText('Something went wrong on our side.').waitFor();
  await page.keyboard.press('Escape');
  await page.unroute('**/invoices?**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('cell', { name: 'Paid' }).first().waitFor();
});

inBrowser('says that the service is busy while it waits to try again', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'products'), tenant);
  await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
  let isBusy = true;
  await page.route('**/invoices?**', route =>
    isBusy ? route.fulfill({ status: 503, headers: { 'retry-after': '2' }, json: {} }) : route.continue(),
  );
  await page.getByRole('link', { name: 'Invoices' }).click();
  await page.getByText(/The service is busy; trying again in [12] s/).waitFor();
  isBusy = false;
  await page.getByRole('cell', { name: 'Paid' }).first().waitFor();
  await page.getByText('The service is busy').waitFor({ state: 'detached' });
  expect(await page.getByRole('alert').count()).toBe(0);
});

inBrowser('says so when the reader is offline, and keeps what it shows', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'products'), tenant);
  await page.getByRole('button', { name: 'New product' }).click();
  await page.getByLabel('Name').fill('Offline');
  await page.getByLabel('Amount').fill('29');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Create the product' }).click();
  await page.getByRole('dialog').getByText('could not be reached').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Create the product' }).click();
  await page.getByRole('heading', { level: 1, name: 'Offline' }).waitFor();
  expect((await tenant.billing.products.list().page()).items).toContainEqual(
    expect.objectContaining({ name: 'Offline' }),
  );
});

inBrowser('shows a change at once, and takes it back with a word when it is refused', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'subscriptions'), tenant);
  let refuse = () => {};
  const refused = new Promise<void>(resolve => (refuse = resolve));
  await page.route('**/subscriptions/ps_*', async route => {
    await refused;
    await route.fulfill(failure('req-4712'));
  });
  const cancel = async () => {
    await page.getByRole('button', { name: 'Cancel…' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.evaluate(box => box.scrollWidth - box.clientWidth)).toBe(0);
    await page.getByRole('button', { name: 'Cancel at the end of the period' }).click();
    await page.getByRole('button', { name: 'Resume…' }).waitFor();
  };
  await cancel();
  refuse();
  await page.getByText('The subscription was not canceled.').waitFor();
  await page.getByText('req-4712').waitFor();
  await page.getByRole('button', { name: 'Cancel…' }).waitFor();

  await page.unroute('**/subscriptions/ps_*');
  await cancel();
  await page.getByText('The subscription ends with its period.').waitFor();
  const { items } = await tenant.billing.subscriptions.list().page();
  expect(items).toMatchObject([{ cancelAtPeriodEnd: true }]);
  await page.getByRole('button', { name: 'Resume…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
  await page.getByText('The subscription goes on.').waitFor();
});
