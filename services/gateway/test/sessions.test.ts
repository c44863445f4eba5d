import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { cookieOf } from './http-client.ts';
import { startGateway, type Gateway } from './start-gateway.ts';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

type Signed = Awaited<ReturnType<Gateway['signUp']>>;

const signIn = async ({ email, password }: Signed, more: object = {}) => {
  const response = await gateway.call('POST', '/api/auth/sign-in/email', { body: { email, password, ...more } });
  if (response.status !== 200) throw new Error(`sign-in: ${response.status} ${response.text}`);
  const headers = { cookie: cookieOf(response) };
  return {
    token: String(response.body.token),
    statusOf: async (path = '/api/service/teams') => (await gateway.call('GET', path, { headers })).status,
    call: (method: string, path: string, body?: object) => gateway.call(method, path, { headers, body }),
  };
};

interface Times {
  readonly created: string;
  readonly updated: string;
  readonly expires: string;
}

/** Sets the times of a session, as intervals from now. */
const setTimes = (token: string, { created, updated, expires }: Times) =>
  gateway.em.fork().execute(
    `update auth.session set "createdAt" = now() + ?::interval, "updatedAt" = now() + ?::interval,
              "expiresAt" = now() + ?::interval where token = ?`,
    [created, updated, expires, token],
  );

async function daysLeft(token: string): Promise<number> {
  const [row] = await gateway.em
    .fork()
    .execute<{ days: string }[]>(
      `select extract(epoch from "expiresAt" - now()) / 86400 as days from auth.session where token = ?`,
      [token],
    );
  return Number(row?.days);
}

it('S5: ends a session after seven days without use', async () => {
  const session = await signIn(await gateway.signUp());
  expect(await daysLeft(session.token)).toBeCloseTo(7, 2);
  await setTimes(session.token, { created: '-7 days', updated: '-7 days', expires: '-1 second' });
  expect(await session.statusOf()).toBe(401);
  expect((await session.call('GET', '/api/auth/get-session')).body).toBeNull();
  expect((await session.call('GET', '/api/auth/list-sessions')).status).toBe(401);
  expect((await session.call('POST', '/api/auth/verify-password', { password: 'x' })).status).toBe(401);
});

it('S5: knows no session by its id in the query or a header, or without its signature', async () => {
  const { cookie } = await gateway.signUp();
  const [name = '', value = ''] = cookie.split('=');
  const [id = ''] = decodeURIComponent(value).split('.');
  const statusWith = async (headers: Record<string, string>, query = '') =>
    (await gateway.call('GET', `/api/service/teams${query}`, { headers })).status;
  expect(await statusWith({ cookie })).toBe(200);
  for (const query of [`?session=${value}`, `?${name}=${value}`]) expect(await statusWith({}, query)).toBe(401);
  expect(await statusWith({ authorization: `Bearer ${id}` })).toBe(401);
  for (const forged of [id, `${id}.`, `${id}.${'A'.repeat(43)}%3D`, `${id}.${Buffer.alloc(32).toString('base64')}`])
    expect(await statusWith({ cookie: `${name}=${forged}` })).toBe(401);
});

it('S5: extends a session by its use, up to thirty days', async () => {
  const session = await signIn(await gateway.signUp());
  await setTimes(session.token, { created: '-5 days', updated: '-5 days', expires: '2 days' });
  expect(await session.statusOf()).toBe(200);
  expect(await daysLeft(session.token)).toBeCloseTo(7, 2);
  await setTimes(session.token, { created: '-29 days', updated: '-1 day', expires: '1 day' });
  expect(await session.statusOf()).toBe(200);
  expect(await daysLeft(session.token)).toBeCloseTo(1, 2);
  // Reading the session is no way to live longer.
  await setTimes(session.token, { created: '-29 days', updated: '-1 day', expires: '1 hour' });
  await session.call('GET', '/api/auth/get-session');
  expect(await daysLeft(session.token)).toBeLessThan(0.1);
});

it('keeps a session without rememberMe for a day only', async () => {
  const session = await signIn(await gateway.signUp(), { rememberMe: false });
  await setTimes(session.token, { created: '-20 hours', updated: '-20 hours', expires: '4 hours' });
  expect(await session.statusOf()).toBe(200);
  expect(await daysLeft(session.token)).toBeLessThan(0.2);
});

it('ends the oldest session when a user has more than twenty', async () => {
  const user = await gateway.signUp();
  const first = await signIn(user);
  await setTimes(first.token, { created: '-1 day', updated: '-1 day', expires: '6 days' });
  await gateway.em.fork().execute(
    `insert into auth.session (id, token, "userId", "createdAt", "updatedAt", "expiresAt")
       select 'more ' || n, 'more ' || n, ?, now(), now(), now() + interval '7 days' from generate_series(1, 18) n`,
    [user.userId],
  );
  expect(await first.statusOf()).toBe(200);
  const last = await signIn(user);
  expect([await first.statusOf(), await last.statusOf()]).toEqual([401, 200]);
  expect((await last.call('GET', '/api/auth/list-sessions')).body).toHaveLength(20);
});

it('S5: lists and ends the user’s own sessions only', async () => {
  const [ada, eve] = [await gateway.signUp(), await gateway.signUp()];
  const [one, other, third] = [await signIn(ada), await signIn(ada), await signIn(ada)];
  const listed = (await one.call('GET', '/api/auth/list-sessions')).body as { token: string; userId: string }[];
  expect(new Set(listed.map(({ userId }) => userId))).toEqual(new Set([ada.userId]));
  expect(listed.map(({ token }) => token)).toEqual(expect.arrayContaining([one.token, other.token, third.token]));

  await eve.call('POST', '/api/auth/revoke-session', { token: other.token });
  expect(await other.statusOf()).toBe(200);
  await one.call('POST', '/api/auth/revoke-session', { token: other.token });
  expect([await one.statusOf(), await other.statusOf(), await third.statusOf()]).toEqual([200, 401, 200]);
  await one.call('POST', '/api/auth/revoke-other-sessions');
  expect([await one.statusOf(), await third.statusOf()]).toEqual([200, 401]);
  await one.call('POST', '/api/auth/revoke-sessions');
  expect(await one.statusOf()).toBe(401);
  expect((await eve.call('GET', '/api/service/teams')).status).toBe(200);
});

it('changes the name of its user, and nothing else of them', async () => {
  const tenant = await gateway.createTenant();
  const { owner, teamPath } = tenant;
  const rename = (body: object) => owner.call('POST', '/api/auth/update-user', body);
  expect(await rename({ name: ' Grace Hopper ' })).toMatchObject({ status: 200, body: { status: true } });
  const { user } = (await owner.call('GET', '/api/auth/get-session')).body;
  expect(user).toMatchObject({ name: 'Grace Hopper', email: owner.email });
  expect((await owner.call('GET', `${teamPath}/members`)).body.members).toMatchObject([{ name: 'Grace Hopper' }]);
  for (const more of [{ email: 'eve@example.com' }, { image: 'x' }, { emailVerified: true }, { name: '' }])
    expect((await rename({ name: 'Eve', ...more })).status).toBe(400);
  expect((await owner.call('GET', '/api/auth/get-session')).body.user).toEqual(user);
  expect((await gateway.call('POST', '/api/auth/update-user', { body: { name: 'Eve' } })).status).toBe(401);
});

it('opens although old sessions can not be deleted, so that no sign-up fails whose account is there', async () => {
  const user = await gateway.signUp();
  const em = gateway.em.fork();
  await em.execute(`create function auth.refuse() returns trigger language plpgsql as $$begin raise 'refused'; end$$`);
  await em.execute('create trigger refuse before delete on auth.session for each row execute function auth.refuse()');
  onTestFinished(() => em.execute('drop function auth.refuse() cascade').then(() => undefined));
  const outdated = `update auth.session set "expiresAt" = now() - interval '1 day' where "userId" = ?`;
  await em.execute(outdated, [user.userId]);
  expect(await (await signIn(user)).statusOf()).toBe(200);
});
