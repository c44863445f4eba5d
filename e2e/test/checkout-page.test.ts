import { isWithoutBrowser } from '@billing/testing/browser';
import { expect, it } from 'vitest';
import { openWindow } from '../system/browser.ts';
import { waitForActiveSubscription, newCheckout, newCustomer, newMonthlyPrice, newTenant } from '../system/tenant.ts';

it.skipIf(isWithoutBrowser())('takes a payment after a decline, and shows the subscription in the portal', async () => {
  const tenant = await newTenant();
  const { priceId } = await newMonthlyPrice(tenant);
  const customerId = await newCustomer(tenant);
  const checkout = await newCheckout(tenant, customerId, priceId);
  await using browser = await openWindow();
  const page = await browser.newPage();

  await page.goto(checkout.url);
  expect(await page.locator('body').innerText()).toMatch(/Pro[\s\S]*29\.99/);
  await page.getByRole('button', { name: /decline/i }).click();
  await page
    .getByText(/declined/i)
    .first()
    .waitFor();
  // The shop does not exist; the test only checks where the page redirects to.
  const redirected = page.waitForRequest(`https://shop.example/done?session=${checkout.sessionId}`);
  await page.getByRole('button', { name: /^pay/i }).click();
  await redirected;

  const subscription = await waitForActiveSubscription(tenant, customerId);
  expect(subscription).toMatchObject({ customerId, status: 'active' });
  const { portalUrl } = await tenant.billing.portal.create({ customerId });
  await page.goto(portalUrl);
  expect(await page.locator('body').innerText()).toMatch(/Pro[\s\S]*\$29\.99/);
});
