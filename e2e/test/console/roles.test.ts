import { beforeAll, expect } from 'vitest';
import { ok } from '../../system/http.ts';
import { addMember, invite, newTenant, newUser, type Tenant, type User } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';

let tenant: Tenant;
let member: User;
beforeAll(async () => {
  tenant = await newTenant();
  member = await newUser();
  await addMember(tenant, member);
});

inBrowser('offers an owner what only owners may do', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'settings/members'), tenant);
  await page.getByRole('button', { name: 'Invite someone' }).click();
  await page.getByLabel('E-mail address').fill('lin@example.com');
  await page.getByRole('button', { name: 'Make the invitation' }).click();
  const link = await page.getByRole('region', { name: 'Invitation link' }).innerText();
  expect(link).toMatch(/\/accept-invitation\?token=\S{20,}$/);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Withdraw the invitation of lin@example.com' }).click();
  await page.getByText('The invitation is withdrawn.').waitFor();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByText('Ada invited a new member').first().waitFor();

  await page.getByLabel('Who').selectOption({ label: 'API key backend' });
  await page.getByText('No entry matches').waitFor();
  await page.getByLabel('Who').selectOption({ label: `Ada, ${tenant.credentials.email}` });
  const entry = page.locator('details', { hasText: 'Ada created the key backend' });
  expect(await entry.getByText('createApiKey').count()).toBe(0);
  await entry.locator('summary').click();
  await entry.getByText('createApiKey').waitFor();
  await page.getByLabel('Until').fill('2020-01-31');
  await page.getByText('No entry matches').waitFor();

  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('button', { name: `Remove ${member.credentials.email}` }).waitFor();
  // The team keeps its last owner.
  expect(await page.getByRole('button', { name: /^(Leave|Remove)/ }).count()).toBe(1);
  await page.getByLabel('Team name').fill('Acme Inc.');
  await page.getByRole('button', { name: 'Rename the team' }).click();
  await page.getByRole('button', { name: /Acme Inc\..*Switch the project/s }).waitFor();

  await page.getByText('Developers', { exact: true }).click();
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('row', { name: /backend .* by Ada/ }).waitFor();
  await page.getByRole('button', { name: 'New API key' }).click();
  await page.getByLabel('Name').fill('short-lived');
  await page.getByLabel('It works').selectOption('For 30 days');
  await page.getByRole('button', { name: 'Create the key' }).click();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  const end = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' }).format(Date.now() + 30 * 86_400_000);
  await page
    .getByRole('row', { name: /short-lived/ })
    .getByText(end)
    .waitFor();
});

inBrowser('opens the team that somebody joins, and another one when they leave it', async ({ visit }) => {
  const [shared, other] = [await newTenant(), await newUser()];
  await ok(other.user.post('/api/service/teams', { name: 'Their own' }), 201);
  const [, token] = /invitations\/(.+)\/accept/.exec(await invite(shared, other.credentials.email, 'owner')) ?? [];
  const page = await visit(`/accept-invitation?token=${token}`, other);
  await page.getByRole('button', { name: 'Accept the invitation' }).click();
  await page.getByRole('link', { name: 'Open the console' }).click();
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
  await page.getByText('Settings', { exact: true }).click();
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('button', { name: 'Leave the team' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Create a project' }).waitFor();
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(shared.teamId);
});

inBrowser('shows a member neither the audit log nor how to invite', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'settings/members'), member);
  await page.getByText(member.credentials.email).first().waitFor();
  await page.getByText('Developers', { exact: true }).click();
  for (const name of ['Audit log', 'Dead letters']) expect(await page.getByRole('link', { name }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /Invite|Remove/ }).count()).toBe(0);
  await page.getByRole('link', { name: 'Connection' }).click();
  await page.getByText('Connected to Stripe').waitFor();
  expect(await page.getByRole('button', { name: 'Disconnect…' }).count()).toBe(0);
});

inBrowser('tells a member who opens an owner’s page why it is empty', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'settings/audit-log'), member);
  await page.getByText('Your role does not allow this').waitFor();
  await page.getByText('Request id').waitFor();
  expect(await page.getByRole('table').count()).toBe(0);
});

inBrowser('shows strangers nothing of a team', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'customers'), await newUser());
  await page.getByRole('heading', { level: 1, name: 'No such project' }).waitFor();
  expect(await page.getByText('Shop').count()).toBe(0);
});

inBrowser('asks signed-out people to sign in, and brings them to where they were heading', async ({ visit }) => {
  const page = await visit(pageOf(tenant, 'customers'));
  await page.getByLabel('E-mail address').fill(tenant.credentials.email);
  await page.getByLabel('Password').fill(tenant.credentials.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(pageOf(tenant, 'customers'));
});
