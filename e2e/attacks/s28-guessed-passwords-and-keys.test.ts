import { describe, expect, it } from 'vitest';
import { callerFrom, countStatuses, countWithinAMinute, newAddress, newLimitedTenant, signIn } from './limited.ts';
import { randomKey } from './random-key.ts';

describe('guessing', () => {
  it('S28: two hundred passwords for one account get 429 from the tenth on, and its owner signs in from elsewhere', async () => {
    const home = newAddress();
    const { credentials } = await newLimitedTenant(home);
    const attacker = callerFrom(newAddress());
    const statuses = await countStatuses(200, () =>
      attacker.post('/api/auth/sign-in/email', { email: credentials.email, password: 'not the password' }),
    );
    // Too many hashes may wait, since other tests sign in as well.
    const { 401: wrong = 0, 429: limited = 0, 503: busy = 0, ...others } = statuses;
    expect(others).toEqual({});
    expect(wrong).toBeLessThanOrEqual(10);
    expect(wrong + limited + busy).toBe(200);
    expect(limited).toBeGreaterThan(100);
    const refused = await attacker.post('/api/auth/sign-in/email', credentials);
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    for (const address of [home, newAddress()])
      expect((await signIn(callerFrom(address), credentials)).status).toBe(200);
  });

  it('S28: two hundred API keys from one address get 429 from the twentieth on, and a real key passes', async () => {
    const { P, secret } = await newLimitedTenant();
    const sendKey = (address: string, key: string) =>
      callerFrom(address, { authorization: `Bearer ${key}` }).get(`${P}/customers`);
    const { statuses, prepared } = await countWithinAMinute(200, newAddress, address => sendKey(address, randomKey()));
    expect(statuses).toEqual({ 401: 20, 429: 180 });
    expect((await sendKey(prepared, secret)).status).toBe(200);
  });
});
