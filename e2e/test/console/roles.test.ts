import { isWithoutBrowser } from '@billing/testing/browser';
import { beforeAll, expect, it } from 'vitest';
import { addMember, newTenant, newUser, type Tenant, type User } from '../../system/tenant.ts';
import { pageOf, visitConsole } from './browse.ts';

const withoutBrowser = isWithoutBrowser();

let tenant: Tenant;
let member: User;
beforeAll(async () => {
  if (withoutBrowser) return;
  tenant = await newTenant();
  member = await newUser();
  await addMember(tenant, member);
});

it.skipIf(withoutBrowser)('offers an owner what only owners may do', async () => {
  await using visit = await visitConsole(pageOf(tenant, 'settings/members'), { user: tenant.user });
  const { page } = visit;
  await page.getByRole('button', { name: 'Invite someone' }).click();
  await page.getByLabel('E-mail address').fill('lin@example.com');
  await page.getByRole('button', { name: 'Make the invitation' }).click();
  const link = await page.getByRole('region', { name: 'Invitation link' }).innerText();
  expect(link).toMatch(/\/accept-invitation#\S{20,}$/);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Withdraw the invitation of lin@example.com' }).click();
  await page.getByText('The invitation is withdrawn.').waitFor();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('button', { name: 'Invite member' }).first().waitFor();
});

it.skipIf(withoutBrowser)('shows a member neither the audit log nor how to invite', async () => {
  await using visit = await visitConsole(pageOf(tenant, 'settings/members'), { user: member.user });
  const { page } = visit;
  await page.getByText(member.credentials.email).first().waitFor();
  for (const name of ['Audit log', 'Dead letters']) expect(await page.getByRole('link', { name }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /Invite|Remove/ }).count()).toBe(0);
  await page.getByRole('link', { name: 'Connection' }).click();
  await page.getByText('Connected to Stripe').waitFor();
  expect(await page.getByRole('button', { name: 'Disconnect…' }).count()).toBe(0);
});

it.skipIf(withoutBrowser)('tells a member who opens an owner’s page why it is empty', async () => {
  await using visit = await visitConsole(pageOf(tenant, 'settings/audit-log'), { user: member.user });
  await visit.page.getByText('Your role does not allow this').waitFor();
  await visit.page.getByText('Request id').waitFor();
  expect(await visit.page.getByRole('table').count()).toBe(0);
});

it.skipIf(withoutBrowser)('shows strangers nothing of a team', async () => {
  const stranger = await newUser();
  await using visit = await visitConsole(pageOf(tenant, 'customers'), { user: stranger.user });
  await visit.page.getByRole('alert').waitFor();
  expect(await visit.page.getByText('Shop').count()).toBe(0);
});

it.skipIf(withoutBrowser)('asks signed-out people to sign in, and brings them to where they were heading', async () => {
  await using visit = await visitConsole(pageOf(tenant, 'customers'));
  const { page } = visit;
  await page.getByLabel('E-mail address').fill(tenant.credentials.email);
  await page.getByLabel('Password').fill(tenant.credentials.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(pageOf(tenant, 'customers'));
});
