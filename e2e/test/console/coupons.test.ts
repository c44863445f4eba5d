import { expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newMonthlyPrice, newSubscription, newTenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { follow } from './looks.ts';

inBrowser('creates a coupon and its code, discounts a subscription by it, and deletes it', async ({ visit }) => {
  const tenant = await newTenant();
  const { billing } = tenant;
  const { priceId } = await newMonthlyPrice(tenant);
  const { id } = await newSubscription(tenant, priceId);
  const page = await visit(pageOf(tenant, 'coupons'), tenant);
  const dialog = page.getByRole('dialog');
  const done = (text: string) => page.getByText(text).first().waitFor();

  await done('No coupons yet');
  await page.getByRole('button', { name: 'New coupon' }).first().press('Enter');
  await page.keyboard.type('Spring sale');
  await dialog.getByLabel('It takes off').selectOption('An amount');
  await dialog.getByLabel('Amount').fill('5');
  await dialog.getByLabel('For', { exact: true }).selectOption('Some months');
  await dialog.getByLabel('Months').fill('3');
  await dialog.getByLabel('Redeemed, at most').fill('100');
  await dialog.getByText('All, unless you choose some').click();
  await dialog.getByLabel('Pro').check();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Spring sale' }).waitFor();
  for (const said of ['$5.00 off', '3 months', 'Only Pro', '0 of 100']) await done(said);

  await page.getByRole('button', { name: 'New code' }).press('Enter');
  await page.keyboard.type('SPRING');
  await dialog.getByLabel('Only for', { exact: true }).selectOption({ index: 1 });
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create the code' }).click();
  await done('Customers can redeem SPRING.');
  await page.getByRole('link', { name: 'SPRING' }).click();
  await page.getByRole('heading', { level: 1, name: 'SPRING' }).waitFor();
  await page.locator('#content').getByRole('link', { name: 'Grace' }).waitFor();

  // A subscription gets it, and loses it.
  await follow(page, pageOf(tenant, `subscriptions/${id}`));
  await done('Nothing is taken off its invoices.');
  await page.getByRole('button', { name: 'Set a code…' }).click();
  await page.keyboard.type('no-such-code');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').filter({ hasText: 'promotion code' }).waitFor();
  await dialog.getByLabel('Promotion code').fill('spring');
  await page.keyboard.press('Enter');
  await done('The discount counts from the next invoice on.');
  await page.getByRole('link', { name: 'Spring sale' }).waitFor();
  expect((await billing.subscriptions.get(id)).discounts).toMatchObject([{ amountOff: 500, currency: 'usd' }]);
  await page.getByRole('button', { name: 'Remove…' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await done('Nothing is taken off its invoices.');

  await follow(page, pageOf(tenant, 'coupons?code=spring'));
  await page.getByRole('button', { name: 'Deactivate' }).click();
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await page.locator('.badge', { hasText: 'Inactive' }).waitFor();
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.locator('.badge', { hasText: /^Active/ }).waitFor();
  await page.getByRole('link', { name: 'Spring sale' }).first().click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await done('No coupons yet');
  expect((await tenant.callProcessor('/v1/coupons')).data).toEqual([]);
});
