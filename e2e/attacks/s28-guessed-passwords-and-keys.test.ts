import { describe, expect, it } from 'vitest';
import { callerFrom, countStatuses, newAddress, newLimitedTenant } from './limited.ts';
import { randomKey } from './random-key.ts';

describe('guessing', () => {
  it('S28: two hundred passwords for one account get 429 from the tenth on, and its owner signs in from elsewhere', async () => {
    const home = newAddress();
    const { credentials } = await newLimitedTenant(home);
    const attacker = callerFrom(newAddress());
    const statuses = await countStatuses(200, () =>
      attacker.post('/api/auth/sign-in/email', { email: credentials.email, password: 'not the password' }),
    );
    expect(statuses).toEqual({ 401: 10, 429: 190 });
    const refused = await attacker.post('/api/auth/sign-in/email', credentials);
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    for (const address of [home, newAddress()])
      expect((await callerFrom(address).post('/api/auth/sign-in/email', credentials)).status).toBe(200);
  });

  it('S28: two hundred API keys from one address get 429 from the twentieth on, and a real key passes', async () => {
    const { P, secret } = await newLimitedTenant();
    const address = newAddress();
    const sendKey = (key: string) => callerFrom(address, { authorization: `Bearer ${key}` }).get(`${P}/customers`);
    expect(await countStatuses(200, () => sendKey(randomKey()))).toEqual({ 401: 20, 429: 180 });
    expect((await sendKey(secret)).status).toBe(200);
  });
});
