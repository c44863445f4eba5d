import { expect } from 'vitest';
import { newSignedEvent, postSigned } from '../../system/signed-events.ts';
import { expectAccessible } from '../../system/accessibility.ts';
import { ok } from '../../system/http.ts';
import { newTenant, newUser } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';

inBrowser('connects with the signing secret of an endpoint that the team made itself', async ({ visit }) => {
  const tenant = await newTenant();
  const webhookSecret = `whsec_${crypto.randomUUID().replaceAll('-', '')}`;
  const page = await visit('/', tenant);
  // What the page shows with the real Stripe; with the stand-in there is no form.
  await page.route(/\/processor$/, async route => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), isLocal: false } });
  });
  await page.goto(new URL(pageOf(tenant, 'settings/connection'), page.url()).href);
  await page.getByLabel('Secret key').fill(tenant.secretKey);
  await page.getByLabel('Signing secret').fill('wh_wrong');
  const replace = page.locator('form').getByRole('button', { name: 'Replace the key' });
  await replace.click();
  await page.getByRole('alert').waitFor();
  // Beside the field, and nowhere else.
  const shown = await page.getByRole('alert').allInnerTexts();
  expect(shown).toEqual(['Expected a signing secret that starts with whsec_, whole as the processor shows it.']);
  await page.getByLabel('Signing secret').fill(webhookSecret);
  await replace.click();
  await page.getByText('Connected.', { exact: true }).waitFor();
  const event = newSignedEvent('customer.created', { id: 'cus_1', object: 'customer' });
  expect(await postSigned({ ...tenant, webhookSecret }, event)).toMatchObject({ status: 200 });
});

inBrowser('connects the same account after a disconnect, and another one after a purge', async ({ visit }) => {
  const { user } = await newUser();
  const { team } = await ok(user.post('/api/service/teams', { name: 'Acme' }), 201);
  const projects = `/api/service/teams/${team.id}/projects`;
  const { project } = await ok(user.post(projects, { name: 'Shop' }), 201);
  const page = await visit(pageOf({ teamId: team.id, projectId: project.id }, 'settings/connection'), { user });
  const connect = () => page.getByRole('button', { name: 'Connect the local processor' }).click();
  const disconnect = async () => {
    await page.getByRole('button', { name: 'Disconnect…' }).click();
    await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await page.getByText('Its records are still here').waitFor();
  };
  await connect();
  await page.getByText('Connected to Stripe').waitFor();
  await ok(user.post(`${projects}/${project.id}/products`, { name: 'Pro' }), 201);
  await disconnect();
  // As in another browser: nothing but the team is known.
  await page.reload();
  await connect();
  await page.getByText('Connected to Stripe').waitFor();

  await disconnect();
  const otherKey = `sk_test_${crypto.randomUUID().replaceAll('-', '')}`;
  await page.getByLabel('Secret key').fill(otherKey);
  await connect();
  const refusal = page.getByRole('alert');
  await refusal.getByText('(1 product)').waitFor();
  await expectAccessible(page);
  await refusal.getByRole('button', { name: 'Delete the records…' }).click();
  await page.getByLabel('Name of the team').fill('acme');
  await page.getByRole('button', { name: 'Delete the records', exact: true }).click();
  await page.getByText('This is not the name of the team.').waitFor();
  await page.getByLabel('Name of the team').fill('Acme');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Delete the records', exact: true }).click();
  await page.getByText('The records are being deleted.').waitFor();
  await page.getByText('An account can be connected once they are.').waitFor({ state: 'hidden' });
  expect(await page.getByLabel('Secret key').inputValue()).toBe(otherKey);
  await connect();
  await page.getByText(`ends with ${otherKey.slice(-4)}`).waitFor();
});
