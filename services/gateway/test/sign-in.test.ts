import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookieOf, withoutRequestId } from './http-client.ts';
import { startGateway, type Gateway } from './start-gateway.ts';
import { acceptPath, PASSWORD } from './tenants.ts';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

const signIn = (email: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  gateway.call('POST', '/api/auth/sign-in/email', { body: { email, password }, headers });

describe('sign-in', () => {
  it('S5: opens a session that sign-out ends, without an Origin header', async () => {
    const { email, cookie } = await gateway.signUp();
    expect((await gateway.call('GET', '/api/auth/get-session', { headers: { cookie } })).body.user.email).toBe(email);

    const response = await signIn(email);
    expect(response).toMatchObject({ status: 200, body: { user: { email } } });
    const second = { cookie: cookieOf(response) };
    expect(second.cookie).not.toBe(cookie);

    expect((await gateway.call('POST', '/api/auth/sign-out', { headers: second })).status).toBe(200);
    expect((await gateway.call('GET', '/api/auth/get-session', { headers: second })).body).toBeNull();
    expect((await gateway.call('GET', '/api/service/teams', { headers: second })).status).toBe(401);
    expect((await gateway.call('GET', '/api/service/teams', { headers: { cookie } })).status).toBe(200);
  });

  it('ignores the case of an e-mail address', async () => {
    const { email } = await gateway.signUp();
    expect((await signIn(` ${email.toUpperCase()} `)).status).toBe(200);
  });

  it.each(["a&b#/=!%{?|}~^`'*+-$@example.com", 'j\u00f6rg@b\u00fccher.example', 'ada@xn--bcher-kva.example'])(
    'takes the address %s, in any case and form of Unicode',
    async email => {
      await gateway.signUp(email);
      const response = await signIn(email.toUpperCase().normalize('NFD'));
      expect(response).toMatchObject({ status: 200, body: { user: { email } } });
      const { owner, teamPath } = await gateway.createTenant();
      const invited = await owner.call('POST', `${teamPath}/members`, {
        email: email.normalize('NFD'),
        role: 'member',
      });
      expect(invited).toMatchObject({ status: 202, body: { invitation: { email } } });
      const accept = acceptPath(invited.body.invitation.url);
      const accepted = await gateway.call('POST', accept, { headers: { cookie: cookieOf(response) } });
      expect(accepted).toMatchObject({ status: 200, body: { member: { email } } });
    },
  );

  it('sets a cookie that scripts cannot read and other sites cannot send', async () => {
    const { email } = await gateway.signUp();
    const [cookie] = (await signIn(email)).headers.getSetCookie();
    expect(cookie).toMatch(/^billing-8080\.session_token=/);
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it('does not reveal whether an address is registered', async () => {
    const { email } = await gateway.signUp();
    const wrong = await signIn(email, 'not the password');
    const unknown = await signIn('nobody@example.com', 'not the password');
    expect(wrong).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
    expect(unknown.status).toBe(401);
    expect(withoutRequestId(unknown)).toBe(withoutRequestId(wrong));
  });

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
  ])('S6: is forbidden to pages of other sites, and so is signing out: %j', async headers => {
    const { email, cookie } = await gateway.signUp();
    const left = await gateway.call('POST', '/api/auth/sign-out', { headers: { ...headers, cookie } });
    expect(left.status).toBe(403);
    const { body } = await gateway.call('GET', '/api/auth/get-session', { headers: { cookie } });
    expect(body.user.email).toBe(email);
    const refused = await signIn(email, PASSWORD, headers);
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    expect(refused.headers.getSetCookie()).toEqual([]);
  });

  it('is allowed to our own pages', async () => {
    const { email } = await gateway.signUp();
    const headers = { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' };
    expect((await signIn(email, PASSWORD, headers)).status).toBe(200);
  });

  it('S5: never adopts a session id that the caller chose', async () => {
    const { email } = await gateway.signUp();
    const planted = { cookie: 'billing-8080.session_token=chosen.by-the-caller' };
    const response = await signIn(email, PASSWORD, planted);
    expect((await gateway.call('GET', '/api/service/teams', { headers: planted })).status).toBe(401);
    expect(response.status).toBe(200);
    expect(cookieOf(response)).toMatch(/^billing-8080\.session_token=/);
    expect(cookieOf(response)).not.toContain('chosen');
  });

  it('rejects all but one sign-up of those with one address at the same moment, in the same words', async () => {
    const body = { name: 'Ada', email: 'at-once@example.com', password: PASSWORD };
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => gateway.call('POST', '/api/auth/sign-up/email', { body })),
    );
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(7);
    expect(new Set(refused.map(({ body: { error } }) => error.code))).toEqual(
      new Set(['user_already_exists_use_another_email']),
    );
  });

  it.each([
    ['in upper case', (email: string) => email.toUpperCase()],
    ['with white space', (email: string) => `  ${email}\t`],
    ['with a domain in mixed case', (email: string) => email.replace('example', 'ExAmPlE')],
  ])('S23: rejects a second sign-up with the same address %s, in our error format', async (_how, spell) => {
    const { email } = await gateway.signUp();
    const body = { name: 'Eve', email: spell(email), password: PASSWORD };
    const response = await gateway.call('POST', '/api/auth/sign-up/email', { body });
    expect(response.status).toBe(422);
    expect(response.body).toMatchObject({
      code: expect.stringMatching(/^USER_ALREADY_EXISTS/),
      error: { code: expect.stringMatching(/^user_already_exists/), requestId: response.headers.get('x-request-id') },
    });
  });

  it.each([
    [{ name: 'A\u0000', email: 'a@example.com', password: PASSWORD }, ['name']],
    [{ name: 'A', email: { $ne: null }, password: PASSWORD }, ['email']],
    [{ name: 'A', email: 'a@example.com\u0000', password: PASSWORD }, ['email']],
    [{ name: 'A', email: 'a@example.com' }, ['password']],
    [{}, ['name', 'email', 'password']],
    [[], ['']],
  ])('S50: names each wrong field of %j', async (body, paths) => {
    const response = await gateway.call('POST', '/api/auth/sign-up/email', { body });
    expect(response).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } });
    expect(response.body.error.details.fields.map((field: { path: string }) => field.path)).toEqual(paths);
  });

  it('rejects a short password', async () => {
    const body = { name: 'A', email: 'short@example.com', password: 'short' };
    const response = await gateway.call('POST', '/api/auth/sign-up/email', { body });
    expect(response).toMatchObject({ status: 400, body: { error: { code: 'password_too_short' } } });
  });

  it.each([
    '/change-email',
    '/delete-user',
    '/sign-in/social',
    '/two-factor/send-otp',
    '/two-factor/view-backup-codes',
    '/set-password',
    '/reset-password/x',
    '',
  ])('exposes no other route of better-auth: %s', async path => {
    const { cookie } = await gateway.signUp();
    for (const method of ['GET', 'POST']) {
      const response = await gateway.call(method, `/api/auth${path}`, { headers: { cookie } });
      expect(response).toMatchObject({ status: 404, body: { error: { code: 'route_not_found' } } });
    }
  });
});

it('keeps browsers to HTTPS when the public URL is https', async () => {
  await using secure = await startGateway({
    env: { PUBLIC_URL: 'https://billing.example', TRUST_PROXY: '1', SIGN_UP: 'open' },
  });
  const plain = await gateway.call('GET', '/health/live');
  expect(plain.headers.has('strict-transport-security')).toBe(false);
  for (const path of ['/health/live', '/portal/x', '/api/service/teams/team_x/projects/proj_x/products']) {
    const { headers } = await secure.call('GET', path);
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  }
  const body = { name: 'Ada', email: 'ada@example.com', password: PASSWORD };
  const response = await secure.call('POST', '/api/auth/sign-up/email', { body });
  const [cookie] = response.headers.getSetCookie();
  expect(cookie).toMatch(/^__Host-billing\.session_token=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  expect((await secure.call('GET', '/api/service/teams', { headers: { cookie: cookieOf(response) } })).status).toBe(
    200,
  );
});
