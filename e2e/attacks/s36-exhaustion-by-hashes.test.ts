import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startGatewayCopy, type GatewayCopy } from '../system/gateway-copy.ts';
import { Caller, type ApiResponse } from '../system/http.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { newCustomer, newEmail, newTenant, type Tenant } from '../system/tenant.ts';

/** A gateway of these tests' own, so that no other test waits for its hashes. */
let gateway: GatewayCopy;
let tenant: Tenant;
beforeAll(async () => {
  [gateway, tenant] = await Promise.all([startGatewayCopy(inject('dataDir'), {}), newTenant()]);
  await newCustomer(tenant);
});
afterAll(() => gateway?.stop());

const post = (path: string, body: object): Promise<ApiResponse> =>
  new Caller({}, gateway.url).post(`/api/auth/${path}`, { password: 'a staple holds the horse', ...body });

it('S36: no API call is refused while a hundred sign-ups and sign-ins come at once', async () => {
  const flood = Array.from({ length: 100 }, (_, index) =>
    index % 2
      ? post('sign-up/email', { email: newEmail(), name: 'Eve' })
      : post('sign-in/email', { email: newEmail() }),
  );
  const api = new Caller({ authorization: `Bearer ${tenant.secret}` }, gateway.url);
  for (let calls = 0; calls < 20; calls += 1) expect((await api.get(`${tenant.P}/customers`)).status).toBe(200);
  // Those for which too many hashes wait are 503; how many that are depends on the machine.
  for (const { status } of await Promise.all(flood)) expect(status).toBeOneOf([200, 401, 503]);
});

it('S24: a sign-in for an unknown address hashes the password, as one with a wrong password does', async () => {
  // Only a sign-in that hashes is ever refused because too many hashes wait.
  let isRefused = false;
  const signIn = async () => {
    if (isRefused) return;
    const { body } = await post('sign-in/email', { email: newEmail() });
    if (body.error.message === 'Too many passwords are being checked at the moment.') isRefused = true;
  };
  await mapConcurrently(Array.from({ length: 2_000 }), signIn, 40);
  expect(isRefused).toBe(true);
});
