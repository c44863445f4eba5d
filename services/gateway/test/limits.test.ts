import { expect, it } from 'vitest';
import { PASSWORD, startGateway, type Answer } from './harness.ts';

const expectLimited = (answer: Answer) => {
  expect(answer).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  const seconds = Number(answer.headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
};

it('counts requests of each key by itself', async () => {
  await using gateway = await startGateway({ limits: { perKey: 3 } });
  const { path, newKey } = await gateway.givenProject();
  const [busy, idle] = [await newKey(), await newKey()];
  const ask = ({ bearer }: typeof busy) => gateway.call('GET', `${path}/products`, { headers: bearer });
  const statuses = [];
  for (let index = 0; index < 3; index += 1) statuses.push((await ask(busy)).status);
  expect(statuses).toEqual([200, 200, 200]);
  expectLimited(await ask(busy));
  expect((await ask(idle)).status).toBe(200);
});

it('counts new checkout and portal sessions together, for each project', async () => {
  await using gateway = await startGateway({ limits: { sessionCreation: 2 } });
  const busy = await gateway.givenProject();
  const idle = await gateway.givenProject();
  const create = async (of: typeof busy, what: string) => of.owner.as('POST', `${of.path}/${what}`, {});
  expect((await create(busy, 'checkout')).status).toBe(200);
  // Who is refused does not use up what others may do.
  await idle.owner.as('POST', `${busy.path}/checkout`, {});
  expect((await create(busy, 'portal')).status).toBe(200);
  expectLimited(await create(busy, 'checkout'));
  expect((await create(busy, 'products')).status).toBe(200);
  expect((await create(idle, 'checkout')).status).toBe(200);
});

it('counts attempts to sign in by address, good and bad ones', async () => {
  await using gateway = await startGateway({ limits: { signIn: 2 }, trustProxy: 1 });
  const { email } = await gateway.signUp();
  const signIn = (password: string, address: string) =>
    gateway.call('POST', '/api/auth/sign-in/email', {
      body: { email, password },
      headers: { 'x-forwarded-for': address },
    });
  expect((await signIn('wrong', '203.0.113.1')).status).toBe(401);
  expect((await signIn(PASSWORD, '203.0.113.1')).status).toBe(200);
  expectLimited(await signIn(PASSWORD, '203.0.113.1'));
  expect((await signIn(PASSWORD, '203.0.113.2')).status).toBe(200);
});

it('believes no address that a caller writes itself', async () => {
  await using gateway = await startGateway({ limits: { signIn: 1 } });
  const { email } = await gateway.signUp();
  const signIn = (address: string) =>
    gateway.call('POST', '/api/auth/sign-in/email', {
      body: { email, password: PASSWORD },
      headers: { 'x-forwarded-for': address, 'x-real-ip': address, forwarded: `for=${address}` },
    });
  expect((await signIn('203.0.113.1')).status).toBe(200);
  expectLimited(await signIn('203.0.113.2'));
});

it('stops an address that guesses portal tokens, on the page and behind it', async () => {
  await using gateway = await startGateway({ limits: { badPortalTokens: 2 } });
  expect((await gateway.call('GET', '/portal/good')).body).toMatchObject({
    service: 'portal',
    principal: { kind: 'anonymous' },
  });
  expect((await gateway.call('GET', '/portal/guess-1?status=404')).status).toBe(404);
  expect((await gateway.call('GET', '/portal/good')).status).toBe(200);
  expect((await gateway.call('POST', '/api/portal/guess-2/setup-intent?status=404')).status).toBe(404);
  expectLimited(await gateway.call('GET', '/portal/good'));
  expectLimited(
    await gateway.call('PATCH', '/api/portal/good/subscriptions/ps_x', { body: { cancelAtPeriodEnd: true } }),
  );
});
