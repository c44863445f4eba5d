import { expect } from 'vitest';
import { ok } from '../../system/http.ts';
import { addMember, newEmail, newTenant } from '../../system/tenant.ts';
import { HOSTILE_TEXTS } from '../portal/hostile-texts.ts';
import { inBrowser, pageOf } from './browse.ts';
import { follow } from './looks.ts';

inBrowser('shows nothing of another team after a switch, not even for a moment', async ({ visit }) => {
  const [first, second] = [await newTenant(), await newTenant()];
  await addMember(second, first);
  await ok(second.user.patch(second.P, { name: 'Second shop' }));
  await first.billing.customers.create({ email: newEmail(), name: 'Only in the first' });
  await second.billing.customers.create({ email: newEmail(), name: 'Only in the second' });

  const page = await visit(pageOf(first, 'customers'), first);
  await page.getByText('Only in the first').waitFor();
  // Answers of the second team are held back, so that whatever the page still shows stays visible.
  let release = () => {};
  const held = new Promise<void>(resolve => (release = resolve));
  await page.route(`**/teams/${second.teamId}/**/customers?**`, async route => {
    await held;
    await route.continue();
  });
  await follow(page, pageOf(second, 'customers'));
  await page.getByRole('button', { name: /Second shop/ }).waitFor();
  expect(await page.getByText('Only in the first').count()).toBe(0);
  release();
  await page.getByText('Only in the second').waitFor();
  expect(await page.getByText('Only in the first').count()).toBe(0);
});

inBrowser('keeps nothing after signing out', async ({ visit }) => {
  const tenant = await newTenant();
  const page = await visit(pageOf(tenant, 'overview'), tenant);
  await page.getByRole('button', { name: /Your account/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(tenant.teamId);
  await page.goBack();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

inBrowser('shows hostile names as text', async ({ visit }) => {
  const tenant = await newTenant();
  const { billing } = tenant;
  const names = HOSTILE_TEXTS.map(text => text.slice(0, 120)).filter(text => text.trim() === text);
  await ok(tenant.user.patch(tenant.P, { name: '<img src=x onerror=alert(1)>' }));
  for (const name of names) await billing.customers.create({ email: newEmail(), name });
  const hostile = { name: '<script>alert(1)</script>', description: '"><svg onload=alert(1)>' };
  const { id: productId } = await billing.products.create(hostile);
  await billing.features.create({ key: 'hostile', name: hostile.name, type: 'value', values: [hostile.description] });
  await billing.productFeatures.set(productId, 'hostile', { value: hostile.description });

  const page = await visit(pageOf(tenant, 'customers'), tenant);
  await page.getByText('<script>alert(1)</script>').first().waitFor();
  const shown = await page.locator('td:first-child bdi').allTextContents();
  expect(shown.toSorted()).toEqual(names.toSorted());
  await page.getByRole('link', { name: 'Products', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
  await page.getByRole('link', { name: '<script>alert(1)</script>', exact: true }).click();
  await page.locator('.page-head').getByText(hostile.description).waitFor();
  await page.getByRole('cell', { name: hostile.description }).waitFor();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: '<img src=x onerror=alert(1)>' }).waitFor();
});
