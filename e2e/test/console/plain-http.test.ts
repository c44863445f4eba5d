import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { newMonthlyPrice, newSubscription, newTenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';

/** Takes from a page what browsers give only to https and to this machine itself. */
const asOnPlainHttp = (page: Page) =>
  page.addInitScript(() => {
    Reflect.deleteProperty(Navigator.prototype, 'clipboard');
    Reflect.deleteProperty(Crypto.prototype, 'randomUUID');
    Reflect.deleteProperty(Crypto.prototype, 'subtle');
  });

/** What the clipboard holds, by pasting it. */
async function pasted(page: Page): Promise<string> {
  const search = page.getByRole('searchbox').or(page.getByRole('textbox')).first();
  await search.fill('');
  await search.press('ControlOrMeta+V');
  return search.inputValue();
}

inBrowser('works on a page of plain http: adds an item, copies an id and a secret', async ({ visit }) => {
  const tenant = await newTenant();
  const { priceId } = await newMonthlyPrice(tenant);
  await newMonthlyPrice(tenant);
  const { id } = await newSubscription(tenant, priceId);
  const page = await visit(pageOf(tenant, 'overview'), tenant, { permissions: ['clipboard-read'] });
  await asOnPlainHttp(page);
  await page.goto(new URL(pageOf(tenant, `subscriptions/${id}`), page.url()).href);
  expect(await page.evaluate(() => 'clipboard' in navigator || 'randomUUID' in crypto)).toBe(false);

  await page.getByRole('button', { name: 'Change plan…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Add an item' }).click();
  await dialog.getByLabel('Price').nth(1).waitFor();
  expect(await dialog.getByLabel('Price').count()).toBe(2);
  await page.keyboard.press('Escape');

  await page
    .getByRole('button', { name: `Copy ${id}` })
    .first()
    .click();
  await page.getByText('Copied').first().waitFor();

  await page.goto(new URL(pageOf(tenant, 'settings/keys'), page.url()).href);
  await page.getByRole('button', { name: 'New API key' }).first().click();
  await dialog.getByLabel('Name').fill('backend');
  await dialog.getByRole('button', { name: /^Create/ }).click();
  const secret = (await dialog.getByRole('region', { name: 'API key' }).innerText()).trim();
  await dialog.getByRole('button', { name: 'Copy: API key' }).click();
  await dialog.getByText('Copied', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.goto(new URL(pageOf(tenant, 'customers'), page.url()).href);
  expect(await pasted(page)).toBe(secret);
});
