import { expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newPromotionCode } from '../../system/billing-records.ts';
import { newCustomer, newMonthlyPrice, newTenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { takeScreenshot } from './looks.ts';

inBrowser('sets what the portal offers and how it looks, with a preview of the page', async ({ visit }) => {
  const tenant = await newTenant();
  const { billing } = tenant;
  const { productId, priceId } = await newMonthlyPrice(tenant);
  const yearly = await billing.prices.create({ productId, unitAmount: 29_900, currency: 'usd', interval: 'year' });
  const { id: promotionCodeId, code } = await newPromotionCode(tenant);
  const page = await visit(pageOf(tenant, 'settings/portal'), tenant);
  const preview = page.frameLocator('iframe');
  await preview.getByText('Your billing').first().waitFor();

  await page.getByLabel('Name').fill('Analytical Engines');
  await preview.getByText('Analytical Engines').first().waitFor();
  await page.getByLabel('Color of buttons and links').fill('green');
  await page.getByText('Expected a color like #1a7f5a.').waitFor();
  // What the service took last stays.
  await preview.getByText('Analytical Engines').first().waitFor();
  await page.getByLabel('Color of buttons and links').fill('#1a7f5a');
  await page.getByText('Expected a color like #1a7f5a.').waitFor({ state: 'detached' });
  await page.getByLabel('Language of the preview').selectOption('German');
  await preview.locator('html[lang^=de]').waitFor();

  await page.getByLabel('Customers can change their plan').check();
  await page.getByLabel('Offer a price').selectOption({ label: 'Pro: $29.99 a month' });
  await page.getByLabel('Offer a price').selectOption({ label: 'Pro: $299.00 a year' });
  await page.getByRole('button', { name: 'Move Pro: $299.00 a year up' }).press('Enter');
  await page.getByLabel('Customers can change the quantity').check();
  await page.getByLabel('At least').fill('5');
  await page.getByLabel('At most').fill('3');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Expected at least `min`.').waitFor();
  await page.getByLabel('At most').fill('50');
  await page.getByLabel('Ask why').check();
  await page.getByLabel('Customers can change the address and tax ids').check();
  await preview.getByRole('link', { name: 'Rechnungsdaten' }).waitFor();
  await page.getByLabel('Customers can pause their payments').check();
  await page.getByLabel('Longest pause, in days').fill('60');
  await preview.getByRole('link', { name: 'Pausieren' }).waitFor();
  await page.getByLabel('Offer a discount once').selectOption({ label: code });
  await expectAccessible(page);
  await takeScreenshot(page, 'desktop-light-portal-settings');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByText('The portal is changed, for every customer.').waitFor();
  expect(await billing.portalConfig.get()).toMatchObject({
    planSwitch: { enabled: true, priceIds: [yearly.id, priceId], when: 'auto' },
    quantity: { enabled: true, min: 5, max: 50 },
    cancellation: { askReason: true, saveOffer: { promotionCodeId } },
    pause: { enabled: true, maxDays: 60 },
    billingDetails: { enabled: true },
    brand: { name: 'Analytical Engines', accentColor: '#1a7f5a', logoUrl: null },
  });
  await page.reload();
  await page.getByRole('list', { name: 'What is offered' }).getByText('$299.00 a year').first().waitFor();
  const { portalUrl } = await billing.portal.create({ customerId: await newCustomer(tenant) });
  await page.goto(portalUrl);
  await page.getByText('Analytical Engines').first().waitFor();
});
