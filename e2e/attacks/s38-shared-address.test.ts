import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { newCustomer, newEmail } from '../system/tenant.ts';
import { callerFrom, countStatuses, newAddress, newLimitedTenant } from './limited.ts';
import { randomKey } from './random-key.ts';

const randomToken = () => randomBytes(32).toString('base64url');

it('S38: a hundred bad portal links from an address get 429 after twenty, and a good link behind it still opens', async () => {
  const tenant = await newLimitedTenant();
  const { token } = await tenant.billing.portal.create({ customerId: await newCustomer(tenant) });
  const shared = callerFrom(newAddress());
  expect(await countStatuses(100, () => shared.get(`/portal/${randomToken()}`))).toEqual({ 404: 20, 429: 80 });
  const flood = countStatuses(100, () => shared.get(`/portal/${randomToken()}`));
  expect((await shared.get(`/portal/${token}`)).status).toBe(200);
  expect((await shared.get(`/portal/${token}?tab=invoices`)).status).toBe(200);
  expect(await flood).toEqual({ 429: 100 });
});

it('S38: bad keys and another account’s bad passwords from an address refuse no good key and no good password', async () => {
  const { P, secret, credentials } = await newLimitedTenant();
  const address = newAddress();
  const shared = callerFrom(address);
  await countStatuses(100, () => callerFrom(address, { authorization: `Bearer ${randomKey()}` }).get(`${P}/customers`));
  const victim = newEmail();
  await countStatuses(5, () => shared.post('/api/auth/sign-in/email', { email: victim, password: 'not the password' }));
  expect((await callerFrom(address, { authorization: `Bearer ${secret}` }).get(`${P}/customers`)).status).toBe(200);
  expect((await shared.post('/api/auth/sign-in/email', credentials)).status).toBe(200);
});

it('S38: somebody who sends a good link too often is refused, and other links behind the address are not', async () => {
  const tenant = await newLimitedTenant();
  const open = async () => tenant.billing.portal.create({ customerId: await newCustomer(tenant) });
  const [busy, idle] = [await open(), await open()];
  const shared = callerFrom(newAddress());
  const { 200: opened = 0, 429: refused = 0 } = await countStatuses(80, () => shared.get(`/portal/${busy.token}`));
  expect(opened).toBeGreaterThanOrEqual(60);
  expect(opened + refused).toBe(80);
  expect((await shared.get(`/portal/${busy.token}`)).status).toBe(429);
  expect((await shared.get(`/portal/${idle.token}`)).status).toBe(200);
});
