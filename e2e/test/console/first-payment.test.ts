import { expect, inject } from 'vitest';
import { newEmail } from '../../system/tenant.ts';
import { inBrowser } from './browse.ts';

inBrowser('leads from sign-up to the first payment without a terminal', async ({ visit }) => {
  const page = await visit('/');
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('E-mail address').fill(newEmail());
  await page.getByLabel('Password').fill('a staple holds the horse');
  await page.getByRole('button', { name: 'Create the account' }).click();

  await page.getByLabel('Team name').fill('Acme');
  await page.getByLabel('First project').fill('Shop');
  await page.getByRole('button', { name: 'Create the team' }).click();

  await page.getByRole('button', { name: 'Connect the local processor' }).click();
  await page.getByText('Connected to').waitFor();
  const imported = await page.getByRole('link', { name: 'Compare and import' }).getAttribute('href');
  expect(imported).toMatch(/\/settings\/syncs$/);
  await page.getByLabel('Product', { exact: true }).fill('Pro');
  await page.getByLabel('Amount').fill('29.99');
  await page.getByRole('button', { name: 'Create both' }).click();

  await page.getByRole('button', { name: 'Make a test checkout' }).click();
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Open the checkout' }).click();
  const checkout = await opened;
  await checkout.getByRole('button', { name: /^Pay/ }).click();
  await page.getByRole('log').getByText('invoice.paid').waitFor();
  await page.getByText('The first payment has arrived: $29.99.').waitFor();

  await page.getByRole('button', { name: 'Create an API key' }).click();
  const key = await page.getByRole('region', { name: 'API key' }).innerText();
  const request = await page.getByRole('region', { name: 'A first request' }).innerText();
  const [, url = ''] = /curl (\S+)/.exec(request) ?? [];
  expect(url).toContain(`${inject('gatewayUrl')}/api/service/teams/team_`);
  const response = await fetch(url, { headers: { authorization: `Bearer ${key.trim()}` } });
  expect(await response.json()).toMatchObject({ products: [{ name: 'Pro' }] });

  // The README's lines, which the test of the packed client runs, with the ids of this project.
  await page.getByText('Or make a checkout with the client').click();
  const script = await page.getByRole('region', { name: 'first-checkout.mjs' }).innerText();
  const [, teamId, projectId] = /teams\/(\w+)\/projects\/(\w+)/.exec(url) ?? [];
  expect(script).toContain(
    `baseUrl: '${inject('gatewayUrl')}', apiKey, teamId: '${teamId}', projectId: '${projectId}'`,
  );
  expect(await page.getByRole('region', { name: 'Install the client' }).innerText()).toContain(
    'npm install ../billing/',
  );
  expect(await page.getByRole('region', { name: 'Run it' }).innerText()).toBe(
    `BILLING_API_KEY=${key.trim()} node first-checkout.mjs`,
  );

  // The code scrolls in its place.
  const { width } = page.viewportSize() ?? { width: 0 };
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  // What is paid is not offered to be paid once more.
  await page.getByRole('button', { name: 'Make a test checkout' }).waitFor();

  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('link', { name: /^MRR \$29\.99/ }).waitFor();
});
