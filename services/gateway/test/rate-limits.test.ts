import { CustomerId } from '@billing/contracts/ids';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openApiKeyCache } from '#auth/api-key-cache.ts';
import { randomSecret } from '#domain/api-key-secret.ts';
import { countOf, expectRateLimited, repeat, statusesOf } from './rate-limited.ts';
import { startGateway, type Gateway } from './start-gateway.ts';
import { PASSWORD } from './tenants.ts';

// The clock stands still, so that no window ends during a test.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

describe('API keys and sessions', () => {
  it('have a limit for each key, and say what is left', async () => {
    await using gateway = await startGateway({ env: { RATE_LIMIT_PER_KEY: '4' } });
    // The owner makes four requests.
    const { path, createKey } = await gateway.createTenant();
    const [busy, idle] = [await createKey(), await createKey()];
    const list = ({ bearer }: typeof busy) => gateway.call('GET', `${path}/products`, { headers: bearer });
    const allowed = await repeat(4, () => list(busy));
    expect(statusesOf(allowed)).toEqual([200, 200, 200, 200]);
    expect(allowed.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['3', '2', '1', '0']);
    expect(allowed[0]?.headers.get('x-ratelimit-limit')).toBe('4');
    const reset = Number(allowed[0]?.headers.get('x-ratelimit-reset'));
    expect(reset).toBeGreaterThan(50);
    expect(reset).toBeLessThanOrEqual(60);
    expectRateLimited(await list(busy));
    expect((await list(idle)).status).toBe(200);
  });

  it('S37: have a limit for each user, whatever the number of sessions and teams', async () => {
    await using gateway = await startGateway({ env: { RATE_LIMIT_PER_KEY: '2' } });
    const { email, call } = await gateway.signUp();
    const again = await gateway.call('POST', '/api/auth/sign-in/email', { body: { email, password: PASSWORD } });
    const cookie = again.headers.getSetCookie().join('; ');
    const listTeams = () => gateway.call('GET', '/api/service/teams', { headers: { cookie } });
    expect(statusesOf([await listTeams(), await call('GET', '/api/service/teams')])).toEqual([200, 200]);
    expectRateLimited(await listTeams());
    for (const path of ['', '/team_x/projects', '/team_y/projects'])
      expectRateLimited(await call('GET', `/api/service/teams${path}`));
  });

  it('S37: have a limit for each team, whatever the number of credentials, which no stranger uses up', async () => {
    await using gateway = await startGateway({ env: { RATE_LIMIT_PER_TEAM: '10' } });
    // Makes 2 requests.
    const { owner, path, createKey } = await gateway.createTenant();
    const stranger = await gateway.createTenant();
    const strangersKey = await stranger.createKey();
    await repeat(10, () => stranger.owner.call('GET', `${path}/products`));
    await repeat(5, () => gateway.call('GET', `${path}/products`, { headers: strangersKey.bearer }));
    const keys = [await createKey(), await createKey(), await createKey()];
    const withKeys = await Promise.all(
      [...keys, ...keys].map(({ bearer }) => gateway.call('GET', `${path}/products`, { headers: bearer })),
    );
    expect(statusesOf(withKeys)).toEqual(withKeys.map(() => 200));
    expectRateLimited(await gateway.call('GET', `${path}/products`, { headers: keys[0]?.bearer ?? {} }));
    expectRateLimited(await owner.call('GET', `${path}/products`));
  });

  it('have a limit of their own for reads of states, for each key and for each team, which uses up no other', async () => {
    const limits = { stateReads: 4, stateReadsOfTeam: 16, apiKey: 7 };
    await using gateway = await startGateway({ limits });
    const { path, createKey } = await gateway.createTenant();
    const keys = await Promise.all(Array.from({ length: 5 }, () => createKey()));
    const readWith =
      (key: (typeof keys)[number] | undefined, suffix = '') =>
      () =>
        gateway.call('GET', `${path}/customers/${CustomerId.example}/state${suffix}`, { headers: key?.bearer ?? {} });
    const allowed = await repeat(2, readWith(keys[0]));
    allowed.push(...(await repeat(2, readWith(keys[0], '/seats'))));
    expect(allowed.map(({ status, headers }) => [status, headers.get('x-ratelimit-remaining')])).toEqual([
      [200, '3'],
      [200, '2'],
      [200, '1'],
      [200, '0'],
    ]);
    expectRateLimited(await readWith(keys[0])());
    const list = () => gateway.call('GET', `${path}/products`, { headers: keys[0]?.bearer ?? {} });
    expect(countOf(await repeat(7, list), 200)).toBe(7);
    expectRateLimited(await list());
    for (const key of keys.slice(1, 4)) expect((await repeat(4, readWith(key))).at(-1)?.status).toBe(200);
    expectRateLimited(await readWith(keys[4])());
  });

  it('share their limits over all copies of the gateway', async () => {
    const env = { RATE_LIMIT_PER_KEY: '300' };
    await using gateway = await startGateway({ env });
    await using copy = await startGateway({ env, copyOf: gateway });
    const { path, createKey } = await gateway.createTenant();
    const { bearer } = await createKey();
    const send = (to: Gateway) => to.call('GET', `${path}/products`, { headers: bearer });
    const responses = await Promise.all(Array.from({ length: 500 }, (_, index) => send(index % 2 ? gateway : copy)));
    const allowed = countOf(responses, 200);
    expect(allowed).toBeLessThanOrEqual(300);
    expect(allowed).toBeGreaterThanOrEqual(300 - 2 * 3);
    expect(countOf(responses, 429)).toBe(500 - allowed);
    expectRateLimited(await send(gateway));
    expectRateLimited(await send(copy));
  });

  it('limit new checkout and portal sessions together, for each project', async () => {
    await using gateway = await startGateway({ limits: { sessionCreation: 2 } });
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
});

describe('bad API keys', () => {
  const settings = { limits: { badKeys: 5 }, env: { TRUST_PROXY: '1' } };
  const from = (address: string, secret: string) => ({
    headers: { authorization: `Bearer ${secret}`, 'x-forwarded-for': address },
  });

  it('S28, S38: get 429 over the limit of their address, and never refuse a good key', async () => {
    await using gateway = await startGateway(settings);
    const { path, createKey } = await gateway.createTenant();
    const good = await createKey();
    const send = (address: string, secret: string) => gateway.call('GET', `${path}/products`, from(address, secret));
    const bad = await repeat(5, () => send('203.0.113.1', randomSecret('test')));
    expect(statusesOf(bad)).toEqual(bad.map(() => 401));
    expectRateLimited(await send('203.0.113.1', randomSecret('test')));
    expectRateLimited(await send('203.0.113.1', 'bil_test_short'));
    expect((await send('203.0.113.1', good.secret)).status).toBe(200);
    expect((await send('203.0.113.2', randomSecret('test'))).status).toBe(401);
  });

  it('S28: share few queries, and a known one needs none', async () => {
    await using gateway = await startGateway(settings);
    const { teamId, createKey } = await gateway.createTenant();
    const { secret } = await createKey();
    let queries = 0;
    const counting = Object.create(gateway.em, {
      fork: { value: () => ((queries += 1), gateway.em.fork()) },
    }) as typeof gateway.em; // each query needs a fork
    const cache = openApiKeyCache({ em: counting, now: () => new Date(), logger: gateway.logger });
    const caller = { isSuspect: true };
    const flood = Array.from({ length: 2_000 }, () => cache.find(randomSecret('test'), caller));
    expect(await cache.find(secret, caller)).toMatchObject({ teamId });
    expect(new Set(await Promise.all(flood))).toEqual(new Set([undefined]));
    const known = randomSecret('test');
    for (let index = 0; index < 50; index += 1) await cache.find(known, caller);
    await cache.close();
    expect(queries).toBeLessThan(10);
  });
});

describe('sign-in', () => {
  const signIn = (gateway: Gateway, email: string, password: string, address: string) =>
    gateway.call('POST', '/api/auth/sign-in/email', {
      body: { email, password },
      headers: { 'x-forwarded-for': address },
    });

  it('S36: is limited for each address together with sign-up, successful or not', async () => {
    await using gateway = await startGateway({ limits: { signIn: 3 }, env: { TRUST_PROXY: '1' } });
    const { email } = await gateway.signUp();
    const address = '203.0.113.1';
    expect((await signIn(gateway, email, 'wrong', address)).status).toBe(401);
    expect((await signIn(gateway, email, PASSWORD, address)).status).toBe(200);
    const signUp = await gateway.call('POST', '/api/auth/sign-up/email', {
      body: { name: 'Eve', email: 'eve@example.com', password: PASSWORD },
      headers: { 'x-forwarded-for': address },
    });
    expect(signUp.status).toBe(200);
    expectRateLimited(await signIn(gateway, email, PASSWORD, address));
    expect((await signIn(gateway, email, PASSWORD, '203.0.113.2')).status).toBe(200);
  });

  it('S28: counts every check of a password, a code or a link as a sign-in', async () => {
    await using gateway = await startGateway({ limits: { signIn: 1 } });
    const { call } = await gateway.signUp();
    const wrong = { password: 'wrong', currentPassword: 'wrong', newPassword: 'a staple holds the horse', token: 'x' };
    await call('POST', '/api/auth/verify-password', wrong);
    for (const path of [
      'sign-in/email',
      'verify-password',
      'change-password',
      'request-password-reset',
      'reset-password',
      'two-factor/enable',
      'two-factor/disable',
      'two-factor/generate-backup-codes',
      'two-factor/verify-totp',
      'two-factor/verify-backup-code',
    ])
      expectRateLimited(await call('POST', `/api/auth/${path}`, wrong));
  });

  it('takes every spelling of an address for the same, and what is no address for that of the connection', async () => {
    await using gateway = await startGateway({ limits: { signIn: 3 }, env: { TRUST_PROXY: 'loopback' } });
    const { email } = await gateway.signUp();
    for (const spell of [
      (turn: number) => `203.0.113.7:${turn}`,
      (turn: number) => `[2001:db8::${turn}%eth${turn}]:${turn}`,
      (turn: number) => `198.51.100.${turn}, ::ffff:203.0.113.8`,
      (turn: number) => `anything ${turn}`,
    ]) {
      const statuses = [];
      for (let turn = 1; turn <= 5; turn += 1)
        statuses.push((await signIn(gateway, email, 'wrong', spell(turn))).status);
      expect(statuses.filter(status => status === 429).length).toBeGreaterThanOrEqual(2);
    }
  });

  it('ignores addresses in headers without a trusted proxy', async () => {
    await using gateway = await startGateway({ limits: { signIn: 2 } });
    const { email } = await gateway.signUp();
    expect((await signIn(gateway, email, PASSWORD, '203.0.113.1')).status).toBe(200);
    expectRateLimited(await signIn(gateway, email, PASSWORD, '203.0.113.2'));
  });

  it('S28, S38: refuses an account after its failures from one address, parallel ones too, and not from another', async () => {
    await using gateway = await startGateway({ limits: { signInFailures: 3 }, env: { TRUST_PROXY: '1' } });
    const { email } = await gateway.signUp();
    expect((await signIn(gateway, email, PASSWORD, '203.0.113.1')).status).toBe(200);
    const guesses = await Promise.all(
      Array.from({ length: 10 }, () => signIn(gateway, email.toUpperCase(), 'wrong password', '203.0.113.1')),
    );
    expect([countOf(guesses, 401), countOf(guesses, 429)]).toEqual([3, 7]);
    expectRateLimited(await signIn(gateway, email, PASSWORD, '203.0.113.1'), 3_600);
    expect((await signIn(gateway, email, PASSWORD, '203.0.113.2')).status).toBe(200);
    expect((await signIn(gateway, 'other@example.com', 'wrong password', '203.0.113.1')).status).toBe(401);
    const { email: neighbour } = await gateway.signUp();
    expect((await signIn(gateway, neighbour, PASSWORD, '203.0.113.1')).status).toBe(200);
  });

  it('S38: lets a user in from a known address while many others guess', async () => {
    await using gateway = await startGateway({
      limits: { signInFailures: 1, signInFailuresOfNewAddresses: 10 },
      env: { TRUST_PROXY: '1' },
    });
    const { email } = await gateway.signUp();
    expect((await signIn(gateway, email, PASSWORD, '203.0.113.1')).status).toBe(200);
    const guesses = await Promise.all(
      Array.from({ length: 11 }, (_, index) => signIn(gateway, email, 'wrong password', `198.51.100.${index}`)),
    );
    expect([countOf(guesses, 401), countOf(guesses, 429)]).toEqual([10, 1]);
    expectRateLimited(await signIn(gateway, email, PASSWORD, '192.0.2.1'), 3_600);
    expect((await signIn(gateway, email, PASSWORD, '203.0.113.1')).status).toBe(200);
  });
});

describe('the portal', () => {
  const expired = 'status=404&problem=portal_link_expired';

  it('S38: returns 429 for bad links over the limit of an address, and never to a good one', async () => {
    await using gateway = await startGateway({ limits: { badPortalTokens: 2 } });
    const guess = (index: number) => gateway.call('GET', `/portal/guess-${index}?${expired}`);
    expect(statusesOf([await guess(1), await guess(2)])).toEqual([404, 404]);
    expectRateLimited(await guess(3));
    expectRateLimited(await gateway.call('POST', `/api/portal/guess-4/setup-intent?${expired}`));
    expect((await gateway.call('GET', '/portal/good')).status).toBe(200);
    // Another customer's subscription is no bad link.
    const patch = await gateway.call('PATCH', '/api/portal/good/subscriptions/ps_x?status=404', {
      body: { cancelAtPeriodEnd: true },
    });
    expect(patch.status).not.toBe(429);
    const flood = Array.from({ length: 100 }, (_, index) => guess(index));
    expect((await gateway.call('GET', '/portal/other')).status).toBe(200);
    expect(new Set(statusesOf(await Promise.all(flood)))).toEqual(new Set([429]));
  });

  it('S38: limits the requests of a valid link, and its setup sessions', async () => {
    await using gateway = await startGateway({ limits: { portalLink: 6, portalSetup: 2 } });
    const setUp = () => gateway.call('POST', '/api/portal/good/setup-intent');
    expect(statusesOf(await repeat(2, setUp))).toEqual([200, 200]);
    expectRateLimited(await setUp(), 3_600);
    expect(statusesOf(await repeat(3, () => gateway.call('GET', '/portal/good')))).toEqual([200, 200, 200]);
    expectRateLimited(await gateway.call('GET', '/portal/good'));
    expect((await gateway.call('GET', '/portal/other')).status).toBe(200);
  });
});

it('deletes windows that have ended', async () => {
  await using gateway = await startGateway();
  await gateway.signUp();
  await gateway.em.fork().execute(`insert into rate_limits values ('old', 1, 1000)`);
  for (const clean of gateway.parts.cleaning ?? []) await clean();
  const rows = await gateway.em.fork().execute<{ key: string }[]>('select key from rate_limits');
  expect(rows.map(({ key }) => key)).toEqual(['signIn:127.0.0.1']);
});
