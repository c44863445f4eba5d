import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookieOf, withoutRequestId } from './http-client.ts';
import { decodedMail, startMailServer } from './mail-server.ts';
import { startGateway, type Gateway } from './start-gateway.ts';
import { acceptPath, PASSWORD } from './tenants.ts';

const MAIN = join(import.meta.dirname, '../src/invite/main.ts');
const OTHER_PASSWORD = 'a staple holds the horse';

let gateway: Gateway;
/** Shares the database, and is closed to whom nobody invites. */
let closed: Gateway;
let mailServer: Awaited<ReturnType<typeof startMailServer>>;
/** Shares the database, and sends mail. */
let mailing: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  closed = await startGateway({ copyOf: gateway, env: { SIGN_UP: 'invited' } });
  mailServer = await startMailServer();
  mailing = await startGateway({ copyOf: gateway, env: { SIGN_UP: 'invited', SMTP_URL: mailServer.url } });
});
afterAll(async () => {
  for (const opened of [mailing, mailServer, closed, gateway]) await opened[Symbol.asyncDispose]();
});

/** Signs up by the link of an invitation, or without one. */
const signUp = (at: Gateway, email: string, link?: string, password = PASSWORD) =>
  at.call('POST', '/api/auth/sign-up/email', {
    body: { name: 'Ada', email, password, invitationToken: link?.split('token=')[1] },
  });
const signIn = (at: Gateway, email: string, password = PASSWORD) =>
  at.call('POST', '/api/auth/sign-in/email', { body: { email, password } });
const closedTo = { status: 403, body: { error: { code: 'sign_up_closed' } } };
let count = 0;
const newEmail = () => `person${(count += 1)}@example.com`;

/** Invites a new address to a new team. */
async function invite(email = newEmail()) {
  const { owner, teamPath } = await gateway.createTenant();
  const { body } = await owner.call('POST', `${teamPath}/members`, { email, role: 'member' });
  return { email, owner, teamPath, invitation: body.invitation };
}

describe('sign-up', () => {
  it.each([
    ['http://localhost:8080', undefined, 200],
    ['http://127.0.0.1:8080', '', 200],
    ['http://billing.example.com', undefined, 403],
    ['http://localhost:8080', 'off', 403],
    ['http://billing.example.com', 'open', 200],
  ])('at %s with SIGN_UP %j gives a stranger %i', async (PUBLIC_URL, SIGN_UP, status) => {
    const env = { PUBLIC_URL, ...(SIGN_UP !== undefined && { SIGN_UP }) };
    await using other = await startGateway({ copyOf: gateway, env });
    expect((await signUp(other, newEmail())).status).toBe(status);
  });

  it('S86: takes the link of an open invitation, and without it says the same of every address', async () => {
    const { email, owner, teamPath, invitation } = await invite();
    const other = await invite();
    const { email: registered } = await gateway.signUp();
    const wrong = `${invitation.url.slice(0, -3)}AAA`;
    const refused = await Promise.all(
      [newEmail(), registered, owner.email, email, other.email].flatMap(address =>
        [undefined, wrong, ...(address === email ? [other.invitation.url] : [invitation.url])].map(link =>
          signUp(closed, address, link),
        ),
      ),
    );
    for (const response of refused) expect(response).toMatchObject(closedTo);
    expect(new Set(refused.map(withoutRequestId)).size).toBe(1);

    const invited = await signUp(closed, email.toUpperCase(), invitation.url);
    expect(invited.status).toBe(200);
    const headers = { cookie: cookieOf(invited) };
    expect((await closed.call('POST', acceptPath(invitation.url), { headers })).status).toBe(200);
    expect(await signUp(closed, email, invitation.url)).toMatchObject(closedTo);

    const withdrawn = await invite();
    await withdrawn.owner.call('DELETE', `${withdrawn.teamPath}/invitations/${withdrawn.invitation.id}`);
    expect(await signUp(closed, withdrawn.email, withdrawn.invitation.url)).toMatchObject(closedTo);
    const expired = await invite();
    await gateway.em
      .fork()
      .execute(`update invitations set expires_at = now() - interval '1 second' where email = ?`, [expired.email]);
    expect(await signUp(closed, expired.email, expired.invitation.url)).toMatchObject(closedTo);
    expect((await owner.call('GET', `${teamPath}/members`)).body.members).toHaveLength(2);
  });
});

it('names team and inviter in the mail of an invitation, and sends only so many for a team', async () => {
  const { owner, teamPath } = await gateway.createTenant();
  const headers = { cookie: owner.cookie };
  const emails = Array.from({ length: 21 }, newEmail);
  const links: string[] = [];
  for (const email of emails) {
    const { status, body } = await mailing.call('POST', `${teamPath}/members`, {
      body: { email, role: 'member' },
      headers,
    });
    expect(status).toBe(202);
    links.push(body.invitation.url);
  }
  const sentTo = (email: string) => mailServer.messages.find(text => text.includes(`To: ${email}`));
  const [first = '', last = ''] = [emails[0], emails.at(-1)];
  await waitFor(() => sentTo(emails[19] ?? '') !== undefined, { what: 'the last of the mails' });
  const mail = sentTo(first)?.replaceAll('=\n', '').replaceAll('=3D', '=');
  expect(mail).toContain('Subject: Ada invites you to Acme');
  expect(mail).toContain(`Ada (${owner.email}) invites you to the team Acme.`);
  expect(mail).toContain(links[0]);
  expect(sentTo(last)).toBeUndefined();
});

it('has no address in the mail of an invitation but those of the inviter and the link', async () => {
  const { owner, teamPath } = await gateway.createTenant();
  await owner.call('PATCH', teamPath, { name: 'visit evil.example now' });
  await owner.call('POST', '/api/auth/update-user', { name: 'https://evil.example' });
  const email = newEmail();
  const body = { email, role: 'member' };
  const headers = { cookie: owner.cookie };
  const invited = await mailing.call('POST', `${teamPath}/members`, { body, headers });
  const find = () => mailServer.messages.find(text => text.includes(`To: ${email}`));
  await waitFor(() => find() !== undefined, { what: 'the mail' });
  const mail = decodedMail(find() ?? '');
  expect(mail).not.toContain('evil.example');
  const [name, team] = ['https:\u200a//evil.\u200aexample', 'visit evil.\u200aexample now'];
  expect(mail).toContain(`${name} (${owner.email}) invites you to the team ${team}.`);
  expect(mail).toContain(invited.body.invitation.url);
});

describe('npm run invite', () => {
  const run = async (...args: readonly string[]) => {
    const { DATABASE_URL, PUBLIC_URL } = closed.env;
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], {
      env: { ...process.env, DATABASE_URL, PUBLIC_URL },
    });
    return stdout.trim();
  };

  it('lets the first owner of a closed installation in', async () => {
    const email = newEmail();
    const first = await run('--owner', '--email', email);
    const link = await run('--owner', '--email', email.toUpperCase(), '--team', 'Acme');
    expect(link).toMatch(/^http:\/\/localhost:8080\/accept-invitation\?token=[\w-]{43}$/);
    expect(await signUp(closed, email, first)).toMatchObject(closedTo);
    const headers = { cookie: cookieOf(await signUp(closed, email, link)) };
    expect((await closed.call('POST', acceptPath(first), { headers })).status).toBe(404);
    const accepted = await closed.call('POST', acceptPath(link), { headers });
    expect(accepted).toMatchObject({ status: 200, body: { member: { role: 'owner' } } });
    const { teams } = (await closed.call('GET', '/api/service/teams', { headers })).body;
    expect(teams).toHaveLength(1);
    const { entries } = (await closed.call('GET', `/api/service/teams/${teams[0].id}/audit-log`, { headers })).body;
    expect(entries.at(-1)).toMatchObject({ actor: { type: 'operator', id: null }, action: 'invite' });
  });

  it.each([[], ['--owner'], ['--email', 'a@example.com'], ['--owner', '--email', 'nobody']])(
    'says how it is used: %j',
    async (...args) => {
      await expect(run(...args)).rejects.toThrow('Usage');
    },
  );
});

describe('an address, where mail is sent,', () => {
  /** The secret of the newest mail to an address. */
  async function secretFor(email: string, kind: 'verify-email' | 'reset-password'): Promise<string> {
    const find = () => mailServer.messages.findLast(text => text.includes(`To: ${email}`) && text.includes(kind));
    await waitFor(() => find() !== undefined, { what: 'the e-mail' });
    const found = (find() ?? '').replaceAll('=\n', '');
    return new RegExp(`${kind}\\?token=(?:3D)?([\\w-]+)`).exec(found)?.[1] ?? '';
  }
  const confirm = (token: string, password: string) =>
    mailing.call('POST', '/api/auth/verify-email', { body: { token, password } });

  it('is confirmed before the first session', async () => {
    const { email, invitation } = await invite();
    const signedUp = await signUp(mailing, email, invitation.url);
    expect(signedUp).toMatchObject({ status: 200, body: { token: null } });
    expect(signedUp.headers.getSetCookie()).toEqual([]);
    expect(await signIn(mailing, email)).toMatchObject({
      status: 403,
      body: { error: { code: 'email_not_verified' } },
    });
    const token = await secretFor(email, 'verify-email');
    expect(await confirm(token, 'not the password')).toMatchObject({ body: { error: { code: 'invalid_password' } } });
    expect(await confirm('x', PASSWORD)).toMatchObject({ body: { error: { code: 'invalid_token' } } });
    const confirmed = await confirm(token, PASSWORD);
    expect(confirmed.status).toBe(200);
    const headers = { cookie: cookieOf(confirmed) };
    expect((await mailing.call('POST', acceptPath(invitation.url), { headers })).status).toBe(200);
    expect(await confirm(token, PASSWORD)).toMatchObject({ body: { error: { code: 'invalid_token' } } });
    expect((await signIn(mailing, email)).status).toBe(200);
    expect(mailing.logLines.join('')).not.toContain(token);
  });

  it('that a thief of its invitation registers first stays its owner’s', async () => {
    const { email, invitation } = await invite();
    await signUp(mailing, email, invitation.url, OTHER_PASSWORD);
    const ofThief = await secretFor(email, 'verify-email');
    expect((await signIn(mailing, email, OTHER_PASSWORD)).status).toBe(403);
    // The owner follows the thief's mail with a password of their own, or signs up, which looks the same as ever.
    expect((await confirm(ofThief, PASSWORD)).status).toBe(400);
    expect(await signUp(mailing, email, invitation.url)).toMatchObject({ status: 200, body: { token: null } });
    const token = await secretFor(email, 'reset-password');
    const body = { newPassword: PASSWORD, token };
    expect((await mailing.call('POST', '/api/auth/reset-password', { body })).status).toBe(200);
    expect((await signIn(mailing, email, OTHER_PASSWORD)).status).toBe(401);
    const headers = { cookie: cookieOf(await signIn(mailing, email)) };
    expect((await mailing.call('POST', acceptPath(invitation.url), { headers })).status).toBe(200);
  });

  it('gets five mails an hour, whoever requests them, with the same response', async () => {
    await using limited = await startGateway({
      copyOf: gateway,
      limits: { mails: 5 },
      env: { SMTP_URL: mailServer.url, TRUST_PROXY: 'loopback' },
    });
    const { email } = await gateway.signUp();
    const { email: other } = await gateway.signUp();
    const requestReset = (address: string, turn: number) =>
      limited.call('POST', '/api/auth/request-password-reset', {
        body: { email: address },
        headers: { 'x-forwarded-for': `203.0.113.${turn}` },
      });
    const countOf = (address: string) => mailServer.messages.filter(text => text.includes(`To: ${address}`)).length;
    const responses = [];
    for (let turn = 1; turn <= 8; turn += 1) responses.push(await requestReset(email, turn));
    expect(new Set(responses.map(withoutRequestId)).size).toBe(1);
    await requestReset(other, 1);
    await waitFor(() => countOf(email) === 5 && countOf(other) === 1, { what: 'the mails' });
    await waitFor(() => limited.logLines.filter(line => line.includes('gets no more mail')).length === 3, {
      what: 'the refused ones',
    });
    expect(countOf(email)).toBe(5);
  });
});
