import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { findViolations } from '@billing/testing/accessibility';
import { isWithoutBrowser, launchBrowser } from '@billing/testing/browser';
import { waitFor } from '@billing/testing/wait-for';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type Gateway } from './start-gateway.ts';

const withoutBrowser = isWithoutBrowser();
const NEW = 'a staple holds the horse';
const TOKEN = 'k3V9sT1wQ7xZ5bN8mR2cY6dL0pF4hJ7gA1eU3iO5tXs';

let gateway: Gateway;
beforeAll(async () => {
  // The pages call the API at PUBLIC_URL, so the port must be known before the start.
  const PORT = String(await freePort());
  gateway = await startGateway({ env: { PORT, PUBLIC_URL: `http://127.0.0.1:${PORT}` } });
});
afterAll(() => gateway[Symbol.asyncDispose]());

it.each(['/accept-invitation', '/verify-email', '/reset-password'])(
  '%s runs nothing but the files of the console, and tells nobody where it was',
  async path => {
    const response = await gateway.call('GET', `${path}?token=${TOKEN}`);
    expect(response.status).toBe(200);
    await waitFor(() => gateway.logLines.some(line => line.includes(`"path":"${path}"`)), { what: 'the log' });
    expect(gateway.logLines.join('')).not.toContain(TOKEN);
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; img-src 'self'; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('cache-control')).toBe('no-store');
  },
);

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // a server on a TCP port has this kind of address
  server.close();
  return port;
}

/** Opens a secret link on a phone. */
async function visit(url: string) {
  await using resources = new AsyncDisposableStack();
  const browser = await launchBrowser();
  resources.defer(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 320, height: 640 } });
  const page = await context.newPage();
  const messages: string[] = [];
  page.on('pageerror', error => messages.push(error.message));
  await page.goto(url);
  const moved = resources.move();
  return { page, messages, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

async function expectAccessible(page: Page): Promise<void> {
  expect(await findViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
}

it.skipIf(withoutBrowser)('lets an invited person sign up and accept, by keyboard', async () => {
  const { owner, teamPath } = await gateway.createTenant();
  const email = 'invited@example.com';
  const invited = await owner.call('POST', `${teamPath}/members`, { email, role: 'member' });
  await using visitor = await visit(invited.body.invitation.url);
  const { page } = visitor;
  await page.getByRole('heading', { name: 'Join Acme' }).waitFor();
  expect(await page.title()).toBe('Join Acme · Billing');
  await page.getByText(/^Ada \(\S+@\S+\) invites you as a member of the team\.$/).waitFor();
  await page.getByText('You have no account yet?').click();
  await expectAccessible(page);
  const signUp = page.getByRole('group');
  await page.getByLabel('Name').fill('Lin');
  expect(await page.getByLabel('E-mail address that was invited').inputValue()).toBe(email);
  await signUp.getByLabel('Password').fill('qwertyuiop');
  await page.keyboard.press('Enter');
  await page.getByText('lists of common passwords').waitFor();
  await signUp.getByLabel('Password').fill(NEW);
  await page.keyboard.press('Enter');
  await page.getByText('You are signed in as invited@example.com.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Accept the invitation' }).press('Enter');
  await page.getByText('You are a member of Acme.').waitFor();
  expect((await owner.call('GET', `${teamPath}/members`)).body.members).toMatchObject([{ email, role: 'member' }, {}]);
  expect(visitor.messages).toEqual([]);
});

it.skipIf(withoutBrowser)('opens a link of an earlier version, whose token stands behind a #', async () => {
  const { owner, teamPath } = await gateway.createTenant();
  const { body } = await owner.call('POST', `${teamPath}/members`, { email: 'old@example.com', role: 'member' });
  await using visitor = await visit(body.invitation.url.replace('?token=', '#'));
  await visitor.page.getByRole('heading', { name: 'Join Acme' }).waitFor();
  expect(visitor.messages).toEqual([]);
});

it.skipIf(withoutBrowser)('says at once that a link is no longer valid', async () => {
  await using visitor = await visit(`${gateway.url}/accept-invitation?token=unknown`);
  const { page } = visitor;
  await page.getByRole('heading', { name: 'This invitation is no longer valid' }).waitFor();
  expect(await page.getByRole('button').count()).toBe(0);
  await expectAccessible(page);
  expect(visitor.messages).toEqual([]);
});

it('says whom an invitation is from to who has its secret, until it is withdrawn, and limits guesses', async () => {
  await using strict = await startGateway({ limits: { badInvitations: 2 } });
  const { owner, teamPath } = await strict.createTenant();
  const body = { email: 'invited@example.com', role: 'owner' };
  const { invitation } = (await owner.call('POST', `${teamPath}/members`, body)).body;
  const describe = (token: string) => strict.call('POST', '/accept-invitation', { body: { token } });
  const token = invitation.url.split('token=')[1];
  // As gateways do that check the links of mails, however often.
  for (const method of ['HEAD', 'GET'] as const)
    expect((await strict.call(method, `/accept-invitation?token=${token}`)).status).toBe(200);
  const described = await describe(token);
  expect(described.body).toEqual({
    invitation: { teamName: 'Acme', inviter: { name: 'Ada', email: owner.email }, ...body },
  });
  await owner.call('DELETE', `${teamPath}/invitations/${invitation.id}`);
  expect((await describe(token)).body.error.code).toBe('invitation_not_found');
  expect((await describe('unknown')).status).toBe(404);
  expect((await describe('unknown')).status).toBe(429);
  expect(strict.logLines.join('')).not.toContain(token);
});

it.skipIf(withoutBrowser)('lets a person choose a new password', async () => {
  const { email } = await gateway.signUp();
  const link = await gateway.resetLink(email);
  // A gateway that checks the links of mails was here before, and cut what it could.
  for (let count = 0; count < 2; count += 1) await fetch(link);
  await using visitor = await visit(new URL(link).href.split('#')[0] ?? '');
  const { page } = visitor;
  await page.getByLabel('New password').fill(NEW);
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.getByText('Your password is changed').waitFor();
  const body = { email, password: NEW };
  expect((await gateway.call('POST', '/api/auth/sign-in/email', { body })).status).toBe(200);
  expect(gateway.logLines.join('')).not.toContain(link.split('token=')[1]);
});
