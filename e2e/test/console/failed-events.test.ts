import { isWithoutBrowser } from '@billing/testing/browser';
import { expect, it } from 'vitest';
import { newFailedEvent } from '../../system/failed-events.ts';
import { newMonthlyPrice, newSubscription, newTenant } from '../../system/tenant.ts';
import { pageOf, PATIENT, visitConsole } from './browse.ts';

it.skipIf(isWithoutBrowser())('shows failed events before newer ones, and why they failed', PATIENT, async () => {
  const tenant = await newTenant();
  const eventId = await newFailedEvent(tenant);
  const { priceId } = await newMonthlyPrice(tenant);
  await newSubscription(tenant, priceId);

  await using visit = await visitConsole(pageOf(tenant, 'events'), { user: tenant.user });
  const { page, problems } = visit;
  await page.getByRole('heading', { name: 'One event has failed' }).waitFor();
  const failed = page.getByRole('list', { name: 'Newest failed events' }).getByRole('listitem');
  const newest = page.getByRole('table').getByRole('link').first();
  await newest.waitFor();
  const [above, below] = await Promise.all([failed.first().boundingBox(), newest.boundingBox()]);
  expect(above?.y).toBeLessThan(below?.y ?? 0);
  await failed.getByRole('link', { name: 'checkout.session.completed' }).click();
  await page.waitForURL(new RegExp(`/events/${eventId}$`));
  await page.getByRole('button', { name: 'Replay' }).waitFor();
  expect(problems).toEqual([]);
});
