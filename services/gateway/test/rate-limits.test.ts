import { expect, it } from 'vitest';
import type { HttpResponse } from './http-client.ts';
import { startGateway } from './start-gateway.ts';
import { PASSWORD } from './tenants.ts';

const expectRateLimited = (response: HttpResponse) => {
  expect(response).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  const seconds = Number(response.headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
};

it('limits the requests of each API key', async () => {
  await using gateway = await startGateway({ env: { RATE_LIMIT_PER_KEY: '3' } });
  const { path, createKey } = await gateway.createTenant();
  const [busy, idle] = [await createKey(), await createKey()];
  const listProducts = ({ bearer }: typeof busy) => gateway.call('GET', `${path}/products`, { headers: bearer });
  const statuses = [];
  for (let index = 0; index < 3; index += 1) statuses.push((await listProducts(busy)).status);
  expect(statuses).toEqual([200, 200, 200]);
  expectRateLimited(await listProducts(busy));
  expect((await listProducts(idle)).status).toBe(200);
});

it('limits new checkout and portal sessions together, for each project', async () => {
  await using gateway = await startGateway({ env: { RATE_LIMIT_SESSION_CREATION: '2' } });
  const busy = await gateway.createTenant();
  const idle = await gateway.createTenant();
  const create = async (of: typeof busy, what: string) => of.owner.call('POST', `${of.path}/${what}`, {});
  expect((await create(busy, 'checkout')).status).toBe(200);
  // A rejected request does not count.
  await idle.owner.call('POST', `${busy.path}/checkout`, {});
  expect((await create(busy, 'portal')).status).toBe(200);
  expectRateLimited(await create(busy, 'checkout'));
  expect((await create(busy, 'products')).status).toBe(200);
  expect((await create(idle, 'checkout')).status).toBe(200);
});

it('limits sign-ins of each address, successful or not', async () => {
  await using gateway = await startGateway({ env: { RATE_LIMIT_SIGN_IN: '2', TRUST_PROXY: '1' } });
  const { email } = await gateway.signUp();
  const signIn = (password: string, address: string) =>
    gateway.call('POST', '/api/auth/sign-in/email', {
      body: { email, password },
      headers: { 'x-forwarded-for': address },
    });
  expect((await signIn('wrong', '203.0.113.1')).status).toBe(401);
  expect((await signIn(PASSWORD, '203.0.113.1')).status).toBe(200);
  expectRateLimited(await signIn(PASSWORD, '203.0.113.1'));
  expect((await signIn(PASSWORD, '203.0.113.2')).status).toBe(200);
});

it('ignores addresses in headers without a trusted proxy', async () => {
  await using gateway = await startGateway({ env: { RATE_LIMIT_SIGN_IN: '1' } });
  const { email } = await gateway.signUp();
  const signIn = (address: string) =>
    gateway.call('POST', '/api/auth/sign-in/email', {
      body: { email, password: PASSWORD },
      headers: { 'x-forwarded-for': address, 'x-real-ip': address, forwarded: `for=${address}` },
    });
  expect((await signIn('203.0.113.1')).status).toBe(200);
  expectRateLimited(await signIn('203.0.113.2'));
});

it('limits unknown portal tokens of each address, on the page and its API', async () => {
  await using gateway = await startGateway({ env: { RATE_LIMIT_BAD_PORTAL_TOKENS: '2' } });
  expect((await gateway.call('GET', '/portal/good')).body).toMatchObject({
    service: 'portal',
    principal: { kind: 'anonymous' },
  });
  expect((await gateway.call('GET', '/portal/guess-1?status=404')).status).toBe(404);
  expect((await gateway.call('GET', '/portal/good')).status).toBe(200);
  expect((await gateway.call('POST', '/api/portal/guess-2/setup-intent?status=404')).status).toBe(404);
  expectRateLimited(await gateway.call('GET', '/portal/good'));
  expectRateLimited(
    await gateway.call('PATCH', '/api/portal/good/subscriptions/ps_x', { body: { cancelAtPeriodEnd: true } }),
  );
});
