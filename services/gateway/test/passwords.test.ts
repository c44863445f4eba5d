import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from './authenticator-app.ts';
import { cookieOf, withoutRequestId } from './http-client.ts';
import { startMailServer } from './mail-server.ts';
import { startGateway, type Gateway } from './start-gateway.ts';
import { PASSWORD } from './tenants.ts';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

const NEW = 'a staple holds the horse';

const statusWith = async (cookie: string) =>
  (await gateway.call('GET', '/api/service/teams', { headers: { cookie } })).status;
const signIn = (email: string, password: string, from = gateway) =>
  from.call('POST', '/api/auth/sign-in/email', { body: { email, password } });

describe('a password', () => {
  let user: Awaited<ReturnType<Gateway['signUp']>>;
  /** Of a link to reset the user's password. */
  let token: string | undefined;
  beforeAll(async () => {
    user = await gateway.signUp();
    token = (await gateway.resetLink(user.email)).split('token=')[1];
  });

  it('S47: is changed with the old one only, which ends the other sessions', async () => {
    const { email, cookie, call } = await gateway.signUp();
    const other = cookieOf(await signIn(email, PASSWORD));
    const change = (currentPassword: string, newPassword: string) =>
      call('POST', '/api/auth/change-password', { currentPassword, newPassword, revokeOtherSessions: false });
    expect(await change('wrong', NEW)).toMatchObject({ status: 400, body: { error: { code: 'invalid_password' } } });
    expect(await change(PASSWORD, 'short')).toMatchObject({ body: { error: { code: 'password_too_short' } } });
    expect(await statusWith(other)).toBe(200);

    const changed = await change(PASSWORD, NEW);
    expect(changed.status).toBe(200);
    expect(await Promise.all([cookie, other, cookieOf(changed)].map(statusWith))).toEqual([401, 401, 200]);
    expect([(await signIn(email, PASSWORD)).status, (await signIn(email, NEW)).status]).toEqual([401, 200]);
  });

  it.each([
    ['password_too_short', 'password'],
    ['password_too_short', '123456789'],
    ['password_too_short', 'x7!kQ2-mP'],
    ['password_too_long', 'x7!kQ2-mP9'.repeat(13)],
    ['password_too_common', 'qwertyuiop'],
    ['password_too_common', 'Password123'],
    ['password_too_common', 'Superman2026!'],
    ['password_too_common', 'aaaaaaaaaaaaaa'],
    ['password_too_common', 'abababababab'],
  ])('S47: is refused as %s everywhere: %s', async (code, password) => {
    const signUp = { name: 'Ada', email: 'refused@example.com', password };
    expect(await gateway.call('POST', '/api/auth/sign-up/email', { body: signUp })).toMatchObject({
      status: 400,
      body: { error: { code } },
    });
    const change = { currentPassword: PASSWORD, newPassword: password };
    expect(await user.call('POST', '/api/auth/change-password', change)).toMatchObject({ body: { error: { code } } });
    const body = { newPassword: password, token };
    expect(await gateway.call('POST', '/api/auth/reset-password', { body })).toMatchObject({
      body: { error: { code } },
    });
  });

  it('is not made of the name or the address', async () => {
    const body = { name: 'Augusta Ada', email: 'ada.lovelace@example.com', password: 'Ada.Lovelace1' };
    const response = await gateway.call('POST', '/api/auth/sign-up/email', { body });
    expect(response).toMatchObject({ status: 400, body: { error: { code: 'password_too_common' } } });
    expect(response.body.error.message).toContain('your name or e-mail address');
  });
});

describe('a link to reset a password', () => {
  it('S47: works once, ends every session and is not stored readably', async () => {
    const { email, cookie } = await gateway.signUp();
    const link = await gateway.resetLink(email.toUpperCase());
    expect(link).toMatch(/^http:\/\/localhost:8080\/reset-password\?token=[\w-]{43}$/);
    const token = String(link.split('token=')[1]);
    const stored = await gateway.em.fork().execute('select * from auth.verification');
    expect(stored.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored)).not.toContain(token);

    const reset = (newPassword: string, secret = token) =>
      gateway.call('POST', '/api/auth/reset-password', { body: { newPassword, token: secret } });
    expect((await reset('short')).status).toBe(400);
    for (const guess of ['x', token.slice(0, -1), token.toUpperCase()])
      expect((await reset(NEW, guess)).status).toBe(400);
    const responses = await Promise.all([reset(NEW), reset(NEW), reset(NEW)]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    expect(await reset(NEW)).toMatchObject({ status: 400, body: { error: { code: 'invalid_token' } } });
    expect(await statusWith(cookie)).toBe(401);
    expect([(await signIn(email, PASSWORD)).status, (await signIn(email, NEW)).status]).toEqual([401, 200]);
  });

  it('ends after an hour', async () => {
    const { email } = await gateway.signUp();
    const token = (await gateway.resetLink(email)).split('token=')[1];
    await gateway.em.fork().execute(`update auth.verification set "expiresAt" = now() - interval '1 second'`);
    const body = { newPassword: NEW, token };
    expect((await gateway.call('POST', '/api/auth/reset-password', { body })).body.error.code).toBe('invalid_token');
  });

  it('is not printed for an unknown address', async () => {
    await expect(gateway.resetLink('nobody@example.com')).rejects.toThrow(
      'No user has the address nobody@example.com.',
    );
    await expect(gateway.resetLink('nobody')).rejects.toThrow('Usage');
  });

  it('is not sent without a mail server', async () => {
    const body = { email: 'nobody@example.com' };
    expect(await gateway.call('POST', '/api/auth/request-password-reset', { body })).toMatchObject({
      status: 400,
      body: { error: { code: 'reset_password_disabled' } },
    });
  });

  it('is sent by the mail server to a known address only, with the same response', async () => {
    await using mailServer = await startMailServer();
    await using mailing = await startGateway({ copyOf: gateway, env: { SMTP_URL: mailServer.url } });
    const { email } = await gateway.signUp("o'neil&sons={#1}@example.com");
    const request = (address: string) =>
      mailing.call('POST', '/api/auth/request-password-reset', { body: { email: address } });
    const [unknown, known] = [await request('nobody@example.com'), await request(email)];
    expect([unknown.status, known.status]).toEqual([200, 200]);
    expect(withoutRequestId(known)).toBe(withoutRequestId(unknown));
    await waitFor(() => mailServer.messages.length > 0, { what: 'the e-mail' });
    expect(mailServer.messages).toHaveLength(1);
    const [message = ''] = mailServer.messages;
    expect(message).toContain(`To: ${email}`);
    expect(message).toContain('From: billing@localhost');
    const token = /reset-password\?token=(?:3D)?([\w-]+)/.exec(message.replaceAll('=\n', ''))?.[1];
    const body = { newPassword: NEW, token };
    expect((await mailing.call('POST', '/api/auth/reset-password', { body })).status).toBe(200);
    expect((await signIn(email, NEW, mailing)).status).toBe(200);
    expect(gateway.logLines.join('') + mailing.logLines.join('')).not.toContain(token);
  });

  it('gets its response also while the mail server is down', async () => {
    await using mailing = await startGateway({ copyOf: gateway, env: { SMTP_URL: 'smtp://127.0.0.1:1' } });
    const { email } = await gateway.signUp();
    const response = await mailing.call('POST', '/api/auth/request-password-reset', { body: { email } });
    expect(response.status).toBe(200);
    await waitFor(() => mailing.logLines.some(line => line.includes('could not send an e-mail')), {
      what: 'the log line',
    });
  });
});

describe('a second factor', () => {
  async function userWithSecondFactor() {
    const { email, call } = await gateway.signUp();
    const wrong = await call('POST', '/api/auth/two-factor/enable', { password: 'wrong' });
    expect(wrong.status).toBe(400);
    const { totpURI, backupCodes } = (await call('POST', '/api/auth/two-factor/enable', { password: PASSWORD })).body;
    const verified = await call('POST', '/api/auth/two-factor/verify-totp', { code: codeOf(totpURI) });
    expect(verified.status).toBe(200);
    return { email, cookie: cookieOf(verified), totpURI: String(totpURI), backupCodes: backupCodes as string[] };
  }

  it('S47: is needed beside the password', async () => {
    const { email, totpURI, backupCodes } = await userWithSecondFactor();
    const begin = async () => {
      const response = await signIn(email, PASSWORD);
      expect(response.body).toEqual({ twoFactorRedirect: true, twoFactorMethods: ['totp'] });
      const cookie = cookieOf(response);
      expect(await statusWith(cookie)).toBe(401);
      return (kind: 'totp' | 'backup-code', code: string) =>
        gateway.call('POST', `/api/auth/two-factor/verify-${kind}`, { body: { code }, headers: { cookie } });
    };
    const verify = await begin();
    expect((await verify('totp', '000000')).status).toBe(401);
    const completed = await verify('totp', codeOf(totpURI, 1));
    expect(await statusWith(cookieOf(completed))).toBe(200);
    expect((await verify('totp', codeOf(totpURI, -1))).status).toBe(401);

    const code = String(backupCodes[0]);
    expect(await statusWith(cookieOf(await (await begin())('backup-code', code)))).toBe(200);
    expect((await (await begin())('backup-code', code)).status).toBe(401);
  });

  it('counts as a fresh sign-in, but a code alone does not', async () => {
    const { email, cookie, totpURI } = await userWithSecondFactor();
    const checkedAt = async (of: string) =>
      (await gateway.call('GET', '/api/auth/get-session', { headers: { cookie: of } })).body.session.passwordCheckedAt;
    await gateway.em.fork().execute('update auth.session set "passwordCheckedAt" = null');
    await gateway.call('POST', '/api/auth/two-factor/verify-totp', {
      body: { code: codeOf(totpURI, -1) },
      headers: { cookie },
    });
    expect(await checkedAt(cookie)).toBeNull();
    const before = Date.now();
    const begun = cookieOf(await signIn(email, PASSWORD));
    const completed = await gateway.call('POST', '/api/auth/two-factor/verify-totp', {
      body: { code: codeOf(totpURI, 1) },
      headers: { cookie: begun },
    });
    expect(Date.parse(await checkedAt(cookieOf(completed)))).toBeGreaterThanOrEqual(before);
  });

  it('is locked for a while after ten wrong codes', async () => {
    const { email, totpURI } = await userWithSecondFactor();
    const tryCode = async (code: string, cookie: string) =>
      gateway.call('POST', '/api/auth/two-factor/verify-totp', { body: { code }, headers: { cookie } });
    for (let round = 0; round < 2; round += 1) {
      const cookie = cookieOf(await signIn(email, PASSWORD));
      for (let attempt = 0; attempt < 5; attempt += 1) await tryCode(`00000${round * 5 + attempt}`, cookie);
    }
    const locked = await tryCode(codeOf(totpURI, 1), cookieOf(await signIn(email, PASSWORD)));
    expect(locked).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  });
});
