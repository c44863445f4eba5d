import { startReceiver } from '@billing/testing/receiver';
import { expect } from 'vitest';
import { newCustomer, newTenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';

inBrowser('leads from a new endpoint to what it got, sends that again, and changes the endpoint', async ({ visit }) => {
  let status = 200;
  await using receiver = await startReceiver(() => status);
  const tenant = await newTenant();
  const page = await visit(pageOf(tenant, 'webhook-endpoints'), tenant, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const dialog = page.getByRole('dialog');
  const choose = (name: string) => page.getByRole('button', { name, exact: true }).first().click();
  const confirm = (name: string) => dialog.getByRole('button', { name, exact: true }).click();

  await page.getByText('No endpoints yet').waitFor();
  await choose('New endpoint');
  await page.getByLabel('URL').fill('http://shop.example/hook');
  await confirm('Create the endpoint');
  await dialog.locator('[name="url"][aria-invalid="true"]').waitFor();
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByLabel('Only some').check();
  await dialog.getByText('Customer', { exact: true }).click();
  await page.getByLabel('All, also later ones').first().check();
  await confirm('Create the endpoint');
  expect(await page.getByRole('region', { name: 'Secret' }).innerText()).toMatch(/^whsec_\S{44}$/);
  await confirm('I have copied it');

  await page.getByRole('heading', { level: 1, name: new URL(receiver.url).host }).waitFor();
  await page.getByText('customer.*').waitFor();
  const endpointId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await choose('Send a test');
  await confirm('Send');
  await dialog.getByText('HTTP 200').waitFor();
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ type: 'ping', test: true });
  await Promise.all(Array.from({ length: 9 }, () => tenant.billing.webhookEndpoints.test(endpointId)));
  await confirm('Send again');
  await dialog.getByText('At most ten tests a minute').waitFor();
  await page.keyboard.press('Escape');

  await newCustomer(tenant);
  await page.getByRole('link', { name: 'customer.created' }).click();
  await page.getByRole('button', { name: 'Attempt 1' }).click();
  await dialog.getByText('HTTP 200').waitFor();
  const sent = receiver.received.at(-1);
  for (const name of ['webhook-id', 'webhook-timestamp']) {
    const value = await dialog.locator(`dt:text-is("${name}") + dd`).innerText();
    expect(value).toBe(sent?.headers[name]);
  }
  await page.keyboard.press('Escape');
  await choose('Copy as curl');
  const script = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(script).toContain(receiver.url);
  expect(script).toContain(sent?.body.replaceAll("'", String.raw`'\''`));
  status = 202;
  await choose('Send again');
  await page.getByText('The event is sent again.').waitFor();
  await page.getByText('HTTP 202').waitFor();
  await page.getByText('By hand').waitFor();

  await page.getByRole('link', { name: /^ev_/ }).click();
  await page.getByText('number 1 of this object').waitFor();
  await page.getByRole('link', { name: receiver.url }).waitFor();
  await page.getByRole('link', { name: /^pc_/ }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type(endpointId);
  await page.getByRole('option', { name: receiver.url }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Send a test' }).waitFor();

  await choose('Rotate the secret…');
  await confirm('Rotate');
  const secret = await page.getByRole('region', { name: 'Secret' }).innerText();
  await confirm('I have copied it');
  await page.getByText(`the secret that ends with ${secret.slice(-4)}`).waitFor();
  await page.getByText(/the secret that ends with .{4}, until/).waitFor();

  await choose('Recover…');
  await page.getByLabel('All, also those that arrived').check();
  await confirm('Send them again');
  await page.getByText('One event is sent again.').waitFor();

  await choose('Disable…');
  await confirm('Disable');
  await page.getByText('It is disabled.').waitFor();
  await choose('Enable…');
  await confirm('Enable');
  await page.getByText('The endpoint is enabled.').waitFor();
  await choose('Delete…');
  await confirm('Delete');
  await page.getByText('No endpoints yet').waitFor();
});
