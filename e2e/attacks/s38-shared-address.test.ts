import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Caller } from '../system/http.ts';
import { newCustomer, newEmail } from '../system/tenant.ts';
import { callerFrom, countStatuses, countWithinAMinute, newAddress, newLimitedTenant, signIn } from './limited.ts';
import { randomKey } from './random-key.ts';

const randomToken = () => randomBytes(32).toString('base64url');

it('S38: a hundred bad portal links from an address get 429 after twenty, and a good link behind it still opens', async () => {
  const tenant = await newLimitedTenant();
  const { token } = await tenant.billing.portal.create({ customerId: await newCustomer(tenant) });
  const guess = (from: Caller) => from.get(`/portal/${randomToken()}`);
  const { statuses, prepared: shared } = await countWithinAMinute(100, () => callerFrom(newAddress()), guess);
  expect(statuses).toEqual({ 404: 20, 429: 80 });
  const flood = countStatuses(100, () => guess(shared));
  expect((await shared.get(`/portal/${token}`)).status).toBe(200);
  expect((await shared.get(`/portal/${token}?tab=invoices`)).status).toBe(200);
  await flood;
});

it('S38: bad keys and another account’s bad passwords from an address refuse no good key and no good password', async () => {
  const { P, secret, credentials } = await newLimitedTenant();
  const address = newAddress();
  const shared = callerFrom(address);
  await countStatuses(100, () => callerFrom(address, { authorization: `Bearer ${randomKey()}` }).get(`${P}/customers`));
  const victim = newEmail();
  await countStatuses(5, () => shared.post('/api/auth/sign-in/email', { email: victim, password: 'not the password' }));
  expect((await callerFrom(address, { authorization: `Bearer ${secret}` }).get(`${P}/customers`)).status).toBe(200);
  expect((await signIn(shared, credentials)).status).toBe(200);
});

it('S38: somebody who sends a good link too often is refused, and other links behind the address are not', async () => {
  const tenant = await newLimitedTenant();
  const open = async () => (await tenant.billing.portal.create({ customerId: await newCustomer(tenant) })).token;
  const shared = callerFrom(newAddress());
  const { statuses } = await countWithinAMinute(80, open, token => shared.get(`/portal/${token}`));
  const { 200: opened = 0, 429: refused = 0 } = statuses;
  expect(opened).toBeGreaterThanOrEqual(60);
  expect(refused).toBeGreaterThan(0);
  expect(opened + refused).toBe(80);
  expect((await shared.get(`/portal/${await open()}`)).status).toBe(200);
});
