import { isWithoutBrowser } from '@billing/testing/browser';
import { expect, it } from 'vitest';
import { newTenant } from '../../system/tenant.ts';
import { pageOf, visitConsole } from './browse.ts';

it.skipIf(isWithoutBrowser())('takes the first click after an amount was mended', async () => {
  const tenant = await newTenant();
  const { id } = await tenant.billing.products.create({ name: 'Pro' });
  await using visit = await visitConsole(pageOf(tenant, `products/${id}`), { user: tenant.user });
  const { page, problems } = visit;
  await page.getByRole('button', { name: 'New price' }).click();
  const create = page.getByRole('button', { name: 'Create the price' });
  await page.getByLabel('Currency').selectOption('jpy');
  await page.getByLabel('Amount').fill('500.50');
  const before = await create.boundingBox();
  await create.click();
  await page.getByRole('alert').getByText('Japanese yen have no decimals.').waitFor();
  expect(await page.evaluate('document.activeElement.name')).toBe('amount');
  expect(await create.boundingBox()).toEqual(before);

  await page.getByLabel('Currency').selectOption('ugx');
  await page.getByLabel('Amount').fill('UGX 5,000');
  await page.getByLabel('Billed').selectOption('Every 3 months');
  // Pressed and released without a look in between, as a person does.
  const { x = 0, y = 0 } = (await create.boundingBox()) ?? {};
  await page.mouse.click(x + 5, y + 5);
  await page.getByText('UGX 5,000 every 3 months').waitFor();
  const [price] = await Array.fromAsync(tenant.billing.prices.list());
  expect(price).toMatchObject({ unitAmount: 500_000, currency: 'ugx', interval: 'month', intervalCount: 3 });
  expect(problems).toEqual([]);
});
