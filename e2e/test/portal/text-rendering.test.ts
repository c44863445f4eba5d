import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, expect } from 'vitest';
import { ok } from '../../system/http.ts';
import { inBrowser } from './browse.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { openShop, type Shop } from './shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});

const ELEMENTS = `[...document.querySelectorAll('*')].map(it => it.localName + [...it.getAttributeNames()]).join()`;

inBrowser('S13: renders hostile customer and project names as text', async ({ visit }) => {
  const { tenant } = shop;
  const { customer, portalUrl } = await shop.customerWith({ name: 'Pro', unitAmount: 2_999 });
  const page = await visit(portalUrl);
  await waitFor(
    async () => {
      await page.reload();
      return (await page.locator('.method').count()) === 1;
    },
    { what: 'the payment method on the page' },
  );
  const harmless = await page.evaluate(ELEMENTS);
  // The portal's own tests compare the page's elements for all of them; here a browser reads a few.
  for (const name of HOSTILE_TEXTS.filter((_text, index) => index % 8 === 0)) {
    await tenant.billing.customers.update(customer.id, { name });
    const project = name.slice(0, 120);
    await ok(tenant.user.patch(tenant.P, { name: project }));
    // The page omits the project's name or the payment method when they do not load in time.
    await waitFor(
      async () => {
        await page.reload();
        const hasAll = (await page.locator('.advice').count()) === 0;
        return hasAll && (await page.locator('.project').textContent()) === project;
      },
      { what: `the project name ${project}` },
    );
    expect(await page.locator('.who p').first().textContent()).toBe(name);
    expect(await page.evaluate(ELEMENTS)).toBe(harmless);
  }
  await ok(tenant.user.patch(tenant.P, { name: 'Northwind' }));
});

inBrowser('S13: renders long, hostile and right-to-left product names within the page', async ({ visit }) => {
  const names = ['عضوية <b>مميزة</b>', `Pro ${'x'.repeat(196)}`, '"><img src=x onerror=alert(1)>'];
  const { portalUrl } = await shop.customerWith(...names.map(name => ({ name, unitAmount: 2_999 })));
  const page = await visit(portalUrl, { viewport: { width: 320, height: 640 } });
  const shown = await page.locator('.card h3 bdi').allTextContents();
  for (const name of names) expect(shown).toContain(name);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
});
