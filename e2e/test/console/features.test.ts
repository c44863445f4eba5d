import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newMonthlyPrice, newSubscription, newTenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { expectFitting, follow, PHONE, takeScreenshot } from './looks.ts';

const cardOf = (page: Page, title: string) =>
  page.locator('.card').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

inBrowser('defines a feature, and says which product and price give it', async ({ visit }) => {
  const tenant = await newTenant();
  const { productId } = await newMonthlyPrice(tenant);
  const page = await visit(pageOf(tenant, 'features'), tenant);
  await page.getByRole('heading', { name: 'No features yet' }).waitFor();
  await page.getByRole('button', { name: 'New feature' }).first().press('Enter');
  await page.keyboard.type('Seats');
  await page.getByLabel('Key').fill('Seats!');
  await page.getByLabel('What it is').selectOption('One of several values');
  await page.getByLabel('Values').fill('basic\n\npriority');
  await page.getByLabel('What it is').selectOption('A limit');
  await page.getByLabel('Given several times').selectOption('They add up');
  await page.getByRole('button', { name: 'Define the feature' }).click();
  await page.getByText('Expected 1 to 80 characters').waitFor();
  await page.getByLabel('Key').fill('seats');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Seats' }).waitFor();
  await page.getByText('A limit; several add up').waitFor();
  await page.getByRole('heading', { name: 'Nothing gives it' }).waitFor();
  await page.getByText('Who subscribes has it.').waitFor();

  const give = page.getByRole('button', { name: 'Give it' });
  const submit = page.getByRole('button', { name: 'Give the feature' });
  await give.press('Enter');
  await page.getByRole('dialog', { name: 'Give Seats' }).waitFor();
  await page.getByLabel('Given by').selectOption('Pro');
  await page.getByLabel('Limit', { exact: true }).fill('5');
  await page.getByLabel('Counted').selectOption('For each of the quantity');
  await expectAccessible(page);
  await submit.click();
  await page.getByText('5 for each of the quantity').waitFor();
  await give.click();
  await page.getByLabel('Given by').selectOption('Pro: $29.99 a month');
  await page.getByLabel('Unlimited').check();
  await submit.click();
  const ofPrice = page.getByRole('row', { name: /29\.99 a month/ });
  await ofPrice.getByText('Unlimited').waitFor();
  expect(await tenant.billing.productFeatures.list(productId)).toMatchObject([{ value: 5, per: 'quantity' }]);

  // The dialog begins with what is given now.
  await ofPrice.getByRole('button', { name: 'Change' }).click();
  await page.getByRole('dialog', { name: 'Change the Seats of Pro: $29.99 a month' }).waitFor();
  expect(await page.getByLabel('Unlimited').isChecked()).toBe(true);
  await page.getByLabel('Unlimited').uncheck();
  await page.getByLabel('Limit', { exact: true }).fill('20');
  await page.getByRole('button', { name: 'Save' }).click();
  await ofPrice.getByText('20').waitFor();
  await page.getByText('Changed, at once for all who subscribe to it.').first().waitFor();

  await page.getByRole('link', { name: 'Pro', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Pro' }).waitFor();
  const features = cardOf(page, 'Features');
  await features.getByRole('row', { name: /The product.*5 for each/ }).waitFor();
  await features
    .getByRole('row', { name: /29\.99/ })
    .getByRole('button', { name: 'Remove' })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await features.getByRole('row', { name: /29\.99/ }).waitFor({ state: 'detached' });

  await page.getByRole('link', { name: 'Features', exact: true }).first().click();
  await page.getByRole('row', { name: /Seats.*seats.*several add up.*Pro/ }).waitFor();
  await page.getByRole('link', { name: 'Seats' }).click();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Places');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { level: 1, name: 'Places' }).waitFor();
  await page.getByRole('button', { name: 'Deactivate' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
  await page.getByText('This feature is inactive').waitFor();
  await page.getByRole('button', { name: 'Activate', exact: true }).click();
  await page.getByText('This feature is inactive').waitFor({ state: 'detached' });
});

inBrowser('shows what a customer may use with every source, and gives by hand', async ({ visit }) => {
  const tenant = await newTenant();
  const { billing } = tenant;
  const { productId, priceId } = await newMonthlyPrice(tenant);
  await billing.features.create({ key: 'seats', name: 'Seats', type: 'limit' });
  await billing.features.create({ key: 'sso', name: 'Single sign-on', type: 'boolean' });
  await billing.productFeatures.set(productId, 'seats', { value: 5 });
  const { id, customerId, processorSubscriptionId } = await newSubscription(tenant, priceId);
  const page = await visit('/llms.txt', tenant);
  const mayUse = cardOf(page, 'May use');
  const summary = page.locator('.figures');
  const path = `**/customers/${customerId}/state`;
  const error = { code: 'internal', message: 'Something went wrong on our side.' };
  await page.route(path, route => route.fulfill({ status: 500, json: { error } }));
  await page.goto(new URL(pageOf(tenant, `customers/${customerId}`), tenant.gatewayUrl).href);
  await mayUse.getByText('Something went wrong on our side.').waitFor();
  expect(await mayUse.getByText('Nothing:').count()).toBe(0);
  await page.unroute(path);
  // Before the button is pressed, the page may have tried again by itself.
  const seats = mayUse.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Seats' }) });
  const given = seats.filter({ hasText: /Seats\s*5\s*By Pro/ });
  await Promise.any([mayUse.getByRole('button', { name: 'Try again' }).click(), given.waitFor()]);
  await given.waitFor();
  await summary.getByText('Up to date').waitFor();
  await mayUse.getByText('May not use 1 feature').click();
  await mayUse.getByText('Single sign-on Nothing gives it.').waitFor();

  await mayUse.getByRole('button', { name: 'Give a feature' }).press('Enter');
  await page.getByLabel('Feature', { exact: true }).selectOption('Seats');
  await page.getByLabel('Limit', { exact: true }).fill('8');
  await page.getByLabel('Until').fill('2099-01-31T10:00');
  await page.getByLabel('Note').fill('For the migration');
  await expectAccessible(page);
  await takeScreenshot(page, 'desktop-light-grant');
  await page.keyboard.press('Enter');
  await mayUse.getByText('Given by hand: 8 until Jan 31, 2099').waitFor();
  await mayUse.getByText('“For the migration”').waitFor();
  await mayUse.getByText('The highest counts.').waitFor();
  await page.getByText('Seats from 5 to 8: given by hand').waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'desktop-light-entitlements');
  const [{ expiresAt } = { expiresAt: null }] = await billing.grants.list(customerId);
  await mayUse.getByRole('button', { name: 'Change…' }).click();
  await page.getByLabel('Limit', { exact: true }).fill('9');
  await page.getByRole('button', { name: 'Save' }).click();
  await mayUse.getByText('Given by hand: 9 until').waitFor();
  expect(await billing.grants.list(customerId)).toMatchObject([{ value: 9, expiresAt, note: 'For the migration' }]);
  await mayUse.getByRole('button', { name: 'Change…' }).click();
  await page.getByLabel('Until').fill('2020-01-31T10:00');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The end has passed already').waitFor();
  await mayUse.getByText('Given by hand, without effect since').waitFor();
  await mayUse.getByRole('button', { name: 'Take back…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click();
  await mayUse.getByText('Given by hand').waitFor({ state: 'detached' });

  await tenant.processor.renew(processorSubscriptionId, 'decline');
  await given.filter({ hasText: ', past due, in grace until ' }).waitFor();
  await summary.getByText('Past due since').waitFor();
  await summary.getByText('$29.99').last().waitFor();
  await page.getByText('The payment failed: Your card was declined.').waitFor();
  await page.getByText('Access goes on in grace until').waitFor();
  await page.getByRole('button', { name: 'Copy the payment link' }).waitFor();
  await page.setViewportSize(PHONE);
  await expectFitting(page, PHONE.width);
  await takeScreenshot(page, 'phone-light-entitlements-in-grace');

  await follow(page, pageOf(tenant, 'settings/project'));
  await page.getByLabel('Days of grace').fill('0');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The project is changed.').waitFor();
  await follow(page, pageOf(tenant, `customers/${customerId}`));
  await mayUse.getByText('gives nothing: it is past due, and its grace is over.').waitFor();
  await page.getByText('Lost Seats: Pro is past due, and its grace is over').first().waitFor();
  await billing.subscriptions.cancelNow(id);
  await summary.getByText('Waits for payment').waitFor();
  await page.getByText('1 that has ended').waitFor();
});
