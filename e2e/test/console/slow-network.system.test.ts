import { beforeAll } from 'vitest';
import { newOpenInvoice } from '../../system/billing-records.ts';
import { mapConcurrently } from '../../system/map-concurrently.ts';
import { newCustomer, newMonthlyPrice, newTenant, type Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';
import { expectSteady, PHONE, TABLET, untilLoaded, watchShifts } from './looks.ts';

/** A telephone's: 0.15 s for each request, 1.6 Mbit/s down. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000 };
const PATHS = [
  'overview',
  'customers',
  'subscriptions',
  'invoices',
  'payments',
  'failing-payments',
  'events',
  'events/to-you?type=invoice.paid',
];

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
  const { priceId } = await newMonthlyPrice(tenant);
  // They fill the screen.
  const places = Array.from({ length: 12 }, (_, place) => place);
  await mapConcurrently(places, () => newOpenInvoice(tenant, priceId), 4);
  await mapConcurrently(places, () => newCustomer(tenant));
});

inBrowser(
  'moves nothing on the most visited pages, which come piece by piece over a slow network',
  async ({ visit }) => {
    for (const viewport of [PHONE, TABLET])
      for (const path of PATHS) {
        // A window of its own has nothing in its cache.
        const page = await visit('/llms.txt', tenant, { viewport });
        await watchShifts(page);
        const network = await page.context().newCDPSession(page);
        await network.send('Network.enable');
        await network.send('Network.emulateNetworkConditions', SLOW);
        await page.goto(new URL(pageOf(tenant, path), page.url()).href);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await untilLoaded(page);
        await page.evaluate('document.fonts.ready.then(() => null)');
        await expectSteady(page, path);
        await page.context().close();
      }
  },
);
