import { waitFor } from '@billing/testing/wait-for';
import { expect } from 'vitest';
import { newDeadLetter, newFailedEvent } from '../../system/failed-events.ts';
import { ok } from '../../system/http.ts';
import { newMonthlyPrice, newSubscription, newTenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';

inBrowser('shows failed events before newer ones, why they failed, and replays them', async ({ visit }) => {
  const tenant = await newTenant();
  const eventId = await newFailedEvent(tenant);
  const { priceId } = await newMonthlyPrice(tenant);
  await newSubscription(tenant, priceId);

  const page = await visit(pageOf(tenant, 'events'), tenant);
  await page.getByRole('heading', { name: 'One event has failed' }).waitFor();
  const failed = page.getByRole('list', { name: 'Newest failed events' }).getByRole('listitem');
  const newest = page.getByRole('table').getByRole('link').first();
  await newest.waitFor();
  const [above, below] = await Promise.all([failed.first().boundingBox(), newest.boundingBox()]);
  expect(above?.y).toBeLessThan(below?.y ?? 0);
  await failed.getByRole('link', { name: 'checkout.session.completed' }).click();
  await page.waitForURL(new RegExp(`/events/${eventId}$`));
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByText('The event is handled once more.').waitFor();
});

inBrowser('retries a dead letter, and drops it for good', async ({ visit }) => {
  const tenant = await newTenant();
  const { user, teamPath } = tenant;
  const path = `${teamPath}/dead-letters/${await newDeadLetter(tenant)}`;
  const page = await visit(pageOf(tenant, 'dead-letters'), { user });
  const choose = async (name: string) => {
    await page.getByRole('table').getByRole('button', { name: 'Checkout session completed' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name }).click();
  };
  await choose('Retry');
  await page.getByText('The event is handled once more.').waitFor();
  const failedAgain = async () => {
    const { deadLetter } = await ok(user.get(path));
    return deadLetter.status === 'failed' && deadLetter.attempts === 2;
  };
  await waitFor(failedAgain, { what: 'the retry to fail' });
  await choose('Drop…');
  const dialog = page.getByRole('dialog', { name: 'Drop the event' });
  await dialog.waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Go back');
  await dialog.getByRole('button', { name: 'Drop for good' }).click();
  await page.getByText('Nothing is left behind').waitFor();
  expect((await user.get(path)).status).toBe(404);
});
