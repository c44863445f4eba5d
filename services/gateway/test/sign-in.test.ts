import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookieOf, PASSWORD, startGateway, type Gateway } from './harness.ts';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

const signIn = (email: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  gateway.call('POST', '/api/auth/sign-in/email', { body: { email, password }, headers });

describe('signing in', () => {
  it('works with plain requests that carry no Origin, up to signing out', async () => {
    const { email, cookie } = await gateway.signUp();
    expect((await gateway.call('GET', '/api/auth/get-session', { headers: { cookie } })).body.user.email).toBe(email);

    const entered = await signIn(email);
    expect(entered).toMatchObject({ status: 200, body: { user: { email } } });
    const later = { cookie: cookieOf(entered) };
    expect(later.cookie).not.toBe(cookie);

    expect((await gateway.call('POST', '/api/auth/sign-out', { headers: later })).status).toBe(200);
    expect((await gateway.call('GET', '/api/auth/get-session', { headers: later })).body).toBeNull();
    expect((await gateway.call('GET', '/api/service/teams', { headers: later })).status).toBe(401);
    expect((await gateway.call('GET', '/api/service/teams', { headers: { cookie } })).status).toBe(200);
  });

  it('takes an e-mail address whatever its case', async () => {
    const { email } = await gateway.signUp();
    expect((await signIn(` ${email.toUpperCase()} `)).status).toBe(200);
  });

  it('gives a cookie that scripts cannot read and other sites cannot send', async () => {
    const { email } = await gateway.signUp();
    const [cookie] = (await signIn(email)).headers.getSetCookie();
    expect(cookie).toMatch(/^billing\.session_token=/);
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it('answers the same to a wrong password and to an unknown address', async () => {
    const { email } = await gateway.signUp();
    const wrong = await signIn(email, 'not the password');
    const unknown = await signIn('nobody@example.com', 'not the password');
    expect(wrong).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
    expect({ ...unknown.body, error: undefined }).toEqual({ ...wrong.body, error: undefined });
  });

  it.each([{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }])(
    'is refused to a page of another site: %j',
    async headers => {
      const { email } = await gateway.signUp();
      expect(await signIn(email, PASSWORD, headers)).toMatchObject({
        status: 403,
        body: { error: { code: 'forbidden' } },
      });
    },
  );

  it('is open to our own pages', async () => {
    const { email } = await gateway.signUp();
    const headers = { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' };
    expect((await signIn(email, PASSWORD, headers)).status).toBe(200);
  });

  it('never adopts a session id that it did not give', async () => {
    const { email } = await gateway.signUp();
    const entered = await signIn(email, PASSWORD, { cookie: 'billing.session_token=chosen.by-somebody-else' });
    expect(entered.status).toBe(200);
    expect(cookieOf(entered)).not.toContain('chosen');
  });

  it('tells a second sign-up with the same address that it is taken, in the shape of all our errors', async () => {
    const { email } = await gateway.signUp();
    const body = { name: 'Eve', email: email.toUpperCase(), password: PASSWORD };
    const answer = await gateway.call('POST', '/api/auth/sign-up/email', { body });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      code: expect.stringMatching(/^USER_ALREADY_EXISTS/),
      error: { code: expect.stringMatching(/^user_already_exists/), requestId: answer.headers.get('x-request-id') },
    });
  });

  it.each([
    [{ name: 'A\u0000', email: 'a@example.com', password: PASSWORD }, ['name']],
    [{ name: 'A', email: { $ne: null }, password: PASSWORD }, ['email']],
    [{ name: 'A', email: 'a@example.com' }, ['password']],
    [{}, ['name', 'email', 'password']],
    [[], ['']],
  ])('names what is wrong with %j', async (body, paths) => {
    const answer = await gateway.call('POST', '/api/auth/sign-up/email', { body });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } });
    expect(answer.body.error.details.fields.map((field: { path: string }) => field.path)).toEqual(paths);
  });

  it('refuses a password that is too short', async () => {
    const body = { name: 'A', email: 'short@example.com', password: 'short' };
    const answer = await gateway.call('POST', '/api/auth/sign-up/email', { body });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'password_too_short' } } });
  });

  it.each([
    '/change-email',
    '/delete-user',
    '/update-user',
    '/sign-in/social',
    '/list-sessions',
    '/reset-password/x',
    '',
  ])('opens nothing else: %s', async path => {
    const { cookie } = await gateway.signUp();
    for (const method of ['GET', 'POST']) {
      const answer = await gateway.call(method, `/api/auth${path}`, { headers: { cookie } });
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'route_not_found' } } });
    }
  });
});

it('keeps cookies to secure connections where the public address is one', async () => {
  await using secure = await startGateway({ publicUrl: 'https://billing.example' });
  const body = { name: 'Ada', email: 'ada@example.com', password: PASSWORD };
  const answer = await secure.call('POST', '/api/auth/sign-up/email', { body });
  const [cookie] = answer.headers.getSetCookie();
  expect(cookie).toMatch(/^__Host-billing\.session_token=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  expect((await secure.call('GET', '/api/service/teams', { headers: { cookie: cookieOf(answer) } })).status).toBe(200);
});
