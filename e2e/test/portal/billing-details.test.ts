import type { Customer } from '@billing/client';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { inBrowser } from './browse.ts';
import { expectGood } from './fitting.ts';
import { openShop, type Shop } from './shop.ts';

const SMALLEST = { width: 320, height: 640 };

/** Who fills the form in, in which language and look, and the words that they read. */
const READERS = [
  {
    locale: 'en-US',
    colorScheme: 'light',
    words: { open: 'Billing details', refused: 'isn’t accepted as EU VAT', saved: 'are saved', verified: 'Verified' },
  },
  {
    locale: 'de-DE',
    colorScheme: 'dark',
    words: { open: 'Rechnungsdaten', refused: 'nicht als EU VAT', saved: 'wurden gespeichert', verified: 'Bestätigt' },
  },
  {
    locale: 'ja-JP',
    colorScheme: 'light',
    words: { open: '請求先情報', refused: 'EU VATとして', saved: '保存しました', verified: '確認済み' },
  },
] as const;

const TYPED = {
  businessName: 'Analytical Engines GmbH',
  line1: 'Invalidenstr. 1',
  postalCode: '10115',
  city: 'Berlin',
  phone: '+49 30 123456',
  purchaseOrder: '2026-17',
};

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  await shop.tenant.billing.portalConfig.set({ billingDetails: { enabled: true } });
});

inBrowser.for(READERS)(
  'explains a tax id that is not accepted, keeps what was typed, and saves it corrected: $locale',
  async ({ locale, colorScheme, words }, { visit, messages }) => {
    const { customer, portalUrl } = await shop.customerWith();
    const page = await visit(portalUrl, { locale, colorScheme, viewport: SMALLEST, reducedMotion: 'reduce' });
    await page.getByRole('link', { name: words.open }).click();
    await page.locator('form').waitFor();
    await expectGood(page);

    const [language] = locale.split('-');
    await fillIn(page, 'DE1', language);
    await page.locator('#taxIdValue-problem', { hasText: words.refused }).waitFor();
    expect(await page.locator('#taxIdValue-problem').innerText()).toContain('DE123456789');
    expectOnlyRefusal(messages);
    await expectGood(page);
    expect(await detailsOf(customer)).toEqual({ business_name: undefined, country: undefined, taxIds: [] });
    for (const [name, value] of Object.entries({ ...TYPED, country: 'DE', taxIdValue: 'DE1' }))
      expect(await page.locator(`#${name}`).inputValue()).toBe(value);

    await page.locator('#taxIdValue').fill('DE123456789');
    await page.locator('form button').click();
    await page.locator('.notice', { hasText: words.saved }).waitFor();
    await page.locator('.status', { hasText: words.verified }).waitFor();
    await expectGood(page);
    const { postalCode, line1, city, ...others } = TYPED;
    expect(await shop.tenant.billing.billingDetails.get(customer.id)).toMatchObject({
      ...others,
      address: { line1, city, postalCode, country: 'DE' },
      taxIds: [{ type: 'eu_vat', value: 'DE123456789' }],
      locale: language,
    });
    const taxIds = ['eu_vat DE123456789'];
    expect(await detailsOf(customer)).toEqual({ business_name: TYPED.businessName, country: 'DE', taxIds });
  },
);

inBrowser('saves and removes a tax id without JavaScript', async ({ visit, messages }) => {
  const { customer, portalUrl } = await shop.customerWith();
  const page = await visit(portalUrl, { javaScriptEnabled: false });
  await page.getByRole('link', { name: 'Billing details' }).click();
  await fillIn(page, 'DE1');
  expect(await page.getByRole('alert').innerText()).toContain('Nothing is saved yet.');
  expectOnlyRefusal(messages);
  await page.locator('#taxIdValue').fill('DE123456789');
  await page.getByRole('button', { name: 'Save' }).click();
  expect(await page.getByRole('status').first().innerText()).toContain('are saved');
  // The kinds of the country that is saved now come first.
  expect(await page.locator('optgroup').first().getAttribute('label')).toBe('Germany');
  await page.getByRole('checkbox', { name: 'Remove EU VAT DE123456789' }).check();
  await page.locator('#locale').selectOption('fr');
  await page.getByRole('button', { name: 'Save' }).click();
  // From now on the portal speaks the customer's language.
  await page.locator('.notice', { hasText: 'sont enregistrées' }).waitFor();
  expect(await detailsOf(customer)).toMatchObject({ business_name: TYPED.businessName, taxIds: [] });
});

/** Fills the form in with a German tax id, and sends it. */
async function fillIn(page: Page, taxId: string, language = 'en'): Promise<void> {
  for (const [name, value] of Object.entries(TYPED)) await page.locator(`#${name}`).fill(value);
  await page.locator('#country').selectOption('DE');
  await page.locator('#locale').selectOption(language);
  await page.locator('#taxIdKind').selectOption('DE:eu_vat');
  await page.locator('#taxIdValue').fill(taxId);
  await page.locator('form button').click();
}

/** Expects the browser to say nothing but the status of the page; it is taken out of its messages. */
const expectOnlyRefusal = (messages: string[]): void =>
  expect(messages.splice(0)).toEqual([expect.stringContaining('status of 422')]);

/** What the processor has of a customer. */
async function detailsOf({ processorCustomerId }: Pick<Customer, 'processorCustomerId'>) {
  const { tenant } = shop;
  const path = `/v1/customers/${processorCustomerId}`;
  const { business_name, address } = await tenant.callProcessor(path);
  const { data } = (await tenant.callProcessor(`${path}/tax_ids`)) as { data: { type: string; value: string }[] }; // Stripe's
  return {
    business_name: business_name ?? undefined,
    country: address?.country ?? undefined,
    taxIds: data.map(({ type, value }) => `${type} ${value}`),
  };
}
