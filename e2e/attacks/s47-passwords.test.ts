import { describe, expect, inject, it } from 'vitest';
import { codeOf, createResetLink } from '../system/account.ts';
import { Caller, ok } from '../system/http.ts';
import { newEmail, newUser } from '../system/tenant.ts';

const NEW = 'a staple holds the horse';
const visitor = () => new Caller({ origin: inject('gatewayUrl') });

describe('passwords', () => {
  it('S47: a password that is short, endless, common, or common with digits after it is refused, with the reason', async () => {
    const signUp = (password: string) =>
      visitor().post('/api/auth/sign-up/email', { name: 'Ada', email: newEmail(), password });
    for (const [password, reason] of [
      ['password', 'short'],
      ['123456789', 'short'],
      ['x7!kQ2-mP9'.repeat(13), 'long'],
      ['qwertyuiop', 'common'],
      ['Password123', 'common'],
      ['iloveyou2026!', 'common'],
      ['aaaaaaaaaaaaaa', 'common'],
    ] as const)
      expect(await signUp(password)).toMatchObject({
        status: 400,
        body: { error: { code: `password_too_${reason}`, message: expect.stringMatching(/password/i) } },
      });
  });

  it('S47: a new password needs the old one, and ends every other session', async () => {
    const { user, credentials } = await newUser();
    const elsewhere = visitor();
    await ok(elsewhere.post('/api/auth/sign-in/email', credentials));
    const change = { currentPassword: credentials.password, newPassword: NEW };
    expect((await user.post('/api/auth/change-password', { ...change, currentPassword: 'wrong' })).status).toBe(400);
    await ok(user.post('/api/auth/change-password', change));
    expect((await elsewhere.get('/api/service/teams')).status).toBe(401);
    await ok(user.get('/api/service/teams'));
    expect((await elsewhere.post('/api/auth/sign-in/email', credentials)).status).toBe(401);
  });

  it('S47: a forgotten password is replaced by a secret link only, which works once and ends every session', async () => {
    const { user, credentials } = await newUser();
    const link = await createResetLink(inject('dataDir'), credentials.email);
    const token = link.split('#')[1] ?? '';
    const reset = (of: string) => visitor().post('/api/auth/reset-password', { newPassword: NEW, token: of });
    for (const guess of ['x', token.slice(0, -1), token.toUpperCase()]) expect((await reset(guess)).status).toBe(400);
    await ok(reset(token));
    expect((await reset(token)).status).toBe(400);
    expect((await user.get('/api/service/teams')).status).toBe(401);
    await ok(visitor().post('/api/auth/sign-in/email', { ...credentials, password: NEW }));
  });

  it('S47: with a second factor, a stolen password opens no session', async () => {
    const { user, credentials } = await newUser();
    const { totpURI } = await ok(user.post('/api/auth/two-factor/enable', { password: credentials.password }));
    await ok(user.post('/api/auth/two-factor/verify-totp', { code: codeOf(totpURI) }));
    const thief = visitor();
    expect(await ok(thief.post('/api/auth/sign-in/email', credentials))).toMatchObject({ twoFactorRedirect: true });
    expect((await thief.get('/api/service/teams')).status).toBe(401);
    expect((await thief.post('/api/auth/two-factor/verify-totp', { code: '000000' })).status).toBe(401);
    expect((await thief.get('/api/service/teams')).status).toBe(401);
    const next = codeOf(totpURI, Date.now() + 30_000);
    await ok(thief.post('/api/auth/two-factor/verify-totp', { code: next }));
    await ok(thief.get('/api/service/teams'));
  });
});
