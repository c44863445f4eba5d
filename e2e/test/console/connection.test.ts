import { isWithoutBrowser } from '@billing/testing/browser';
import { expect, it } from 'vitest';
import { newSignedEvent, postSigned } from '../../system/signed-events.ts';
import { newTenant } from '../../system/tenant.ts';
import { pageOf, visitConsole } from './browse.ts';

it.skipIf(isWithoutBrowser())('connects with the signing secret of an endpoint that the team made itself', async () => {
  const tenant = await newTenant();
  const webhookSecret = `whsec_${crypto.randomUUID().replaceAll('-', '')}`;
  await using visit = await visitConsole('/', { user: tenant.user });
  const { page, problems } = visit;
  // What the page shows with the real Stripe; with the stand-in there is no form.
  await page.route(/\/processor$/, async route => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), isLocal: false } });
  });
  await page.goto(new URL(pageOf(tenant, 'settings/connection'), page.url()).href);
  await page.getByLabel('Secret key').fill(tenant.secretKey);
  await page.getByLabel('Signing secret').fill('wh_wrong');
  await page.getByRole('button', { name: 'Connect Stripe' }).click();
  await page.getByRole('alert').waitFor();
  // Beside the field, and nowhere else.
  const shown = await page.getByRole('alert').allInnerTexts();
  expect(shown).toEqual(['Expected a signing secret that starts with whsec_, whole as the processor shows it.']);
  await page.getByLabel('Signing secret').fill(webhookSecret);
  await page.getByRole('button', { name: 'Connect Stripe' }).click();
  await page.getByText('Connected.', { exact: true }).waitFor();
  const event = newSignedEvent('customer.created', { id: 'cus_1', object: 'customer' });
  expect(await postSigned({ ...tenant, webhookSecret }, event)).toMatchObject({ status: 200 });
  expect(problems).toEqual([]);
});
