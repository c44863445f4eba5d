import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from './authenticator-app.ts';
import { cookieOf } from './http-client.ts';
import { startGateway, type Gateway } from './start-gateway.ts';
import { PASSWORD } from './tenants.ts';

let gateway: Gateway;
/** With the limit on guesses that installations have. */
let limited: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  limited = await startGateway({
    copyOf: gateway,
    limits: { signInFailures: 4 },
    env: { RATE_LIMIT_PER_KEY: '30', TRUST_PROXY: 'loopback' },
  });
});
afterAll(async () => {
  await limited[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});

const wrong = { password: 'wrong', currentPassword: 'wrong', newPassword: 'a staple holds the horse', code: '000000' };
/** Every path of a session that tries a password or a code. */
const CHECKS = [
  'verify-password',
  'change-password',
  'two-factor/enable',
  'two-factor/disable',
  'two-factor/generate-backup-codes',
];
const CODE_CHECKS = ['two-factor/verify-totp', 'two-factor/verify-backup-code'];

/** Signs up a user with a second factor; the cookie is that of the session in which it was set up. */
async function withSecondFactor(by = gateway) {
  const { email, call } = await by.signUp();
  const { totpURI, backupCodes } = (await call('POST', '/api/auth/two-factor/enable', { password: PASSWORD })).body;
  const verified = await call('POST', '/api/auth/two-factor/verify-totp', { code: codeOf(totpURI) });
  return { email, cookie: cookieOf(verified), totpURI: String(totpURI), backupCodes: backupCodes as string[] };
}

/** Returns a user on whom this path tries a password or a code. */
const userFor = (path: string, by = gateway) => (/code|totp/.test(path) ? withSecondFactor(by) : by.signUp());

const post = (to: Gateway, cookie: string, path: string, body: object, address = '203.0.113.1') =>
  to.call('POST', `/api/auth/${path}`, { body, headers: { cookie, 'x-forwarded-for': address } });
const statusWith = async (cookie: string) =>
  (await gateway.call('GET', '/api/service/teams', { headers: { cookie } })).status;

describe('guesses with a session', () => {
  it.each(CHECKS)('count as failed sign-ins of the account: %s', async path => {
    const user = await userFor(path, limited);
    for (let turn = 0; turn < 4; turn += 1)
      expect((await post(limited, user.cookie, path, wrong)).status).not.toBe(429);
    expect((await post(limited, user.cookie, path, wrong)).status).toBe(429);
    const signIn = await post(limited, '', 'sign-in/email', { email: user.email, password: PASSWORD });
    expect(signIn.status).toBe(429);
    // The owner is not locked out elsewhere.
    const elsewhere = { email: user.email, password: PASSWORD };
    expect((await post(limited, '', 'sign-in/email', elsewhere, '203.0.113.9')).status).toBe(200);
  });

  it.each(CODE_CHECKS)('of a code count as well, also those that would complete a sign-in: %s', async path => {
    const { email, cookie } = await withSecondFactor(limited);
    const begun = cookieOf(await post(limited, '', 'sign-in/email', { email, password: PASSWORD }));
    for (const of of [cookie, cookie, begun, begun])
      expect((await post(limited, of, path, { code: '000000' })).status).toBe(401);
    for (const of of [cookie, begun]) expect((await post(limited, of, path, { code: '000000' })).status).toBe(429);
  });

  it.each([...CHECKS, ...CODE_CHECKS])('end it after ten in a row, whatever the address: %s', async path => {
    const { cookie } = await userFor(path);
    const guess = (turn: number) => post(gateway, cookie, path, wrong, `203.0.113.${turn}`);
    for (let turn = 1; turn <= 9; turn += 1) await guess(turn);
    expect(await statusWith(cookie)).toBe(200);
    await guess(10);
    expect(await statusWith(cookie)).toBe(401);
    expect((await guess(11)).status).toBe(401);
  });

  it('end it also when they arrive together', async () => {
    const { cookie } = await gateway.signUp();
    const guesses = Array.from({ length: 20 }, () => post(gateway, cookie, 'verify-password', wrong));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter(status => status === 400).length).toBeLessThanOrEqual(10);
    expect(await statusWith(cookie)).toBe(401);
  });

  it('are forgotten with the right password', async () => {
    const { cookie } = await gateway.signUp();
    for (let turn = 0; turn < 9; turn += 1) await post(gateway, cookie, 'verify-password', wrong);
    expect((await post(gateway, cookie, 'verify-password', { password: PASSWORD })).status).toBe(200);
    await post(gateway, cookie, 'verify-password', wrong);
    expect(await statusWith(cookie)).toBe(200);
  });
});

describe('a session whose password was checked long ago', () => {
  it('S40: makes no keys and invites nobody, until it was checked again', async () => {
    const tenant = await gateway.createTenant();
    const { owner, path, teamPath, createKey } = tenant;
    const { id } = await createKey();
    await gateway.em
      .fork()
      .execute(`update auth.session set "passwordCheckedAt" = now() - interval '16 minutes' where "userId" = ?`, [
        owner.userId,
      ]);
    const attempts = [
      () => owner.call('POST', `${path}/api-keys`, { name: 'a key', scopes: ['products:read'] }),
      () => owner.call('POST', `${path}/api-keys/${id}/rotate`, {}),
      () => owner.call('POST', `${teamPath}/members`, { email: 'eve@example.com', role: 'member' }),
      () => owner.call('POST', `${teamPath}/members`, { email: owner.email, role: 'owner' }),
    ];
    for (const attempt of attempts)
      expect(await attempt()).toMatchObject({ status: 403, body: { error: { code: 'reauthentication_required' } } });
    await owner.call('POST', '/api/auth/verify-password', { password: PASSWORD });
    const statuses = [];
    for (const attempt of attempts) statuses.push((await attempt()).status);
    expect(statuses).toEqual([201, 201, 202, 409]);
  });
});

const countSessions = async () => {
  const [row] = await gateway.em
    .fork()
    .execute<{ count: number }[]>(`select count(*)::int as count from rate_limits where key like 'session:%'`);
  return row?.count ?? 0;
};

describe('requests with a session', () => {
  it('S37: are limited before it is looked up, on every path', async () => {
    const { cookie } = await gateway.signUp();
    const { cookie: other } = await gateway.signUp();
    const before = await countSessions();
    const get = (path: string, of = cookie) => limited.call('GET', path, { headers: { cookie: of } });
    for (let turn = 0; turn < 30; turn += 1) expect((await get('/api/auth/get-session')).status).toBe(200);
    for (const path of ['/api/auth/get-session', '/api/auth/list-sessions', '/api/service/teams'])
      expect((await get(path)).status).toBe(429);
    const posts = [
      'revoke-session',
      'revoke-sessions',
      'revoke-other-sessions',
      'sign-out',
      'verify-password',
      'update-user',
    ];
    for (const path of posts) expect((await post(limited, cookie, path, { token: 'x', ...wrong })).status).toBe(429);
    // Neither another spelling of the cookie nor a second one of its name is a way around; a session that we did not sign
    // is neither looked up nor counted.
    const [pair = ''] = cookie.split('; ');
    const respelled = pair.replace(/=.*/, value => value.replaceAll('.', '%2E'));
    expect((await get('/api/auth/get-session', respelled)).status).toBe(429);
    expect(await get('/api/auth/get-session', `billing-8080.session_token=x.y; ${pair}`)).toMatchObject({
      status: 200,
      body: null,
    });
    expect((await get('/api/auth/get-session', other)).status).toBe(200);
    expect(await countSessions()).toBe(before + 2);
  });
});

describe('a code of an authenticator app', () => {
  it('works once, also in requests that arrive together', async () => {
    const { email, totpURI, cookie } = await withSecondFactor();
    const begin = async () => cookieOf(await post(gateway, '', 'sign-in/email', { email, password: PASSWORD }));
    const verify = (of: string, code: string) => post(gateway, of, 'two-factor/verify-totp', { code });
    // The one that completed the set-up is used.
    expect((await verify(await begin(), codeOf(totpURI))).status).toBe(401);
    const begun = [await begin(), await begin(), await begin(), cookie];
    const responses = await Promise.all(begun.map(of => verify(of, codeOf(totpURI, 1))));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401]);
    const refused = responses.filter(({ status }) => status === 401).map(({ body }) => body.code);
    expect(new Set(refused)).toEqual(new Set(['INVALID_CODE']));
  });

  it('does so in place of a backup code as well', async () => {
    const { email, backupCodes } = await withSecondFactor();
    const begin = async () => cookieOf(await post(gateway, '', 'sign-in/email', { email, password: PASSWORD }));
    const begun = [await begin(), await begin(), await begin()];
    const responses = await Promise.all(
      begun.map(of => post(gateway, of, 'two-factor/verify-backup-code', { code: backupCodes[0] })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});
