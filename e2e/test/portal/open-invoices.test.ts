import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, expect } from 'vitest';
import { newSentInvoice } from '../../system/billing-records.ts';
import { inBrowser } from './browse.ts';
import { expectFitting, expectGood } from './fitting.ts';
import { openShop, type Shop } from './shop.ts';

/** The languages with the longest words, and one without spaces. */
const LONG_LANGUAGES = ['de', 'fr', 'pl', 'ja'];

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});

inBrowser('pays an open invoice beside subscriptions from the list, which has no drafts', async ({ visit }) => {
  const { customer, portalUrl } = await shop.customerWith();
  const { id, number } = await newSentInvoice(shop.tenant, { customerId: customer.id });
  await newSentInvoice(shop.tenant, { customerId: customer.id, draft: true });
  const page = await visit(`${portalUrl}?tab=invoices`, { viewport: { width: 320, height: 640 } });
  const rows = page.getByRole('row').filter({ has: page.getByRole('cell') });
  expect(await rows.count()).toBe(1);
  expect(await rows.innerText()).toMatch(/\$49\.00[\s\S]*Open[\s\S]*Due on \w+ \d+, \d{4}/);
  await expectGood(page);
  for (const language of LONG_LANGUAGES) {
    await page.goto(`${portalUrl}?tab=invoices&lang=${language}`);
    await expectFitting(page);
  }

  await page.goto(`${portalUrl}?tab=invoices`);
  await page.getByRole('link', { name: `Pay ${number}` }).click();
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.getByText('Amount paid').waitFor();
  const isPaid = async () => (await shop.tenant.billing.invoices.get(id)).status === 'paid';
  await waitFor(isPaid, { what: 'the payment', intervalMs: 50 });
  await page.goto(`${portalUrl}?tab=invoices`);
  expect(await rows.innerText()).toMatch(/Paid/);
  expect(await rows.getByRole('link', { name: /^Pay/ }).count()).toBe(0);
});
