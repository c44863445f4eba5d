import { expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { newSiblingProject, newTenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { DESKTOP, expectFitting, PHONE, takeScreenshot } from './looks.ts';

const DOCUMENT = {
  version: 1,
  features: [{ key: 'seats', name: 'Seats', type: 'limit' }],
  products: [
    {
      key: 'pro',
      name: 'Pro',
      prices: [{ key: 'pro_monthly', unitAmount: 2999, currency: 'usd', interval: 'month' }],
    },
  ],
};
const fileOf = (document: unknown) => ({
  name: 'catalog.json',
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(document)),
});

inBrowser('compares the catalog with a file and another project, and applies what it shows', async ({ visit }) => {
  const tenant = await newTenant();
  const page = await visit(pageOf(tenant, 'products'), tenant);
  await page.getByRole('link', { name: 'Compare' }).click();
  await page.getByLabel('Document', { exact: true }).setInputFiles(fileOf({ version: 1, features: [{ key: 'A' }] }));
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('alert').getByText('features.0.key').waitFor();

  await page.getByLabel('Document', { exact: true }).setInputFiles(fileOf(DOCUMENT));
  await page.getByRole('button', { name: 'Compare' }).click();
  const findings = page.getByRole('region', { name: 'Findings' }).getByRole('row');
  await findings.filter({ hasText: 'pro_monthly' }).getByText('An apply creates it.').waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'catalog-compare');
  await page.setViewportSize(PHONE);
  await expectFitting(page, PHONE.width);
  await page.setViewportSize(DESKTOP);

  const { key } = await tenant.billing.features.create({ key: 'seats', name: 'Places', type: 'limit' });
  await page.getByRole('button', { name: 'Apply this report' }).click();
  await page.getByRole('alert').getByText('changed the catalog since this report: seats').waitFor();
  await page.getByRole('button', { name: 'Compare' }).click();
  await findings.filter({ hasText: key }).getByText('Places').waitFor();
  await page.getByRole('button', { name: 'Apply this report' }).click();
  await page.getByRole('status').getByText('3 applied.').waitFor();
  await takeScreenshot(page, 'catalog-applied');

  const other = await newSiblingProject(tenant);
  await page.goto(new URL(pageOf(other, 'products/compare'), page.url()).href);
  await page.getByLabel('Compare with').selectOption({ label: 'Another project' });
  await page
    .getByRole('combobox', { name: 'Project', exact: true })
    .selectOption(`${tenant.teamId} ${tenant.projectId}`);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('button', { name: 'Apply this report' }).click();
  await page.getByRole('status').getByText('3 applied.').waitFor();
  const [ours, theirs] = await Promise.all([tenant, other].map(({ billing }) => billing.catalog.export()));
  expect(theirs).toEqual(ours);

  await page.goto(new URL(pageOf(other, 'settings/syncs'), page.url()).href);
  await page.getByRole('link').filter({ hasText: ':' }).first().waitFor();
  await page.getByRole('row').filter({ hasText: 'Apply of a catalog' }).getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: 'Sync: apply of a catalog' }).waitFor();
  await page.getByRole('row').filter({ hasText: 'pro_monthly' }).getByText('It was created.').waitFor();
  await expectAccessible(page);
});

inBrowser('sets the key of a product once', async ({ visit }) => {
  const tenant = await newTenant();
  const { id } = await tenant.billing.products.create({ name: 'Pro' });
  const page = await visit(pageOf(tenant, `products/${id}`), tenant);
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Key', { exact: true }).fill('pro');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(async () => (await tenant.billing.products.get(id)).key).toBe('pro');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('button', { name: 'Save' }).waitFor();
  expect(await page.getByLabel('Key', { exact: true }).count()).toBe(0);
});
