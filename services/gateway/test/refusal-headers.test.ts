import { CustomerId } from '@billing/contracts/ids';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeOf } from './authenticator-app.ts';
import { cookieOf, type HttpResponse } from './http-client.ts';
import { startGateway, type Gateway } from './start-gateway.ts';
import { PASSWORD } from './tenants.ts';

/** Each limit has a number of its own, so that the headers show which one refused. */
const LIMITS = {
  apiKey: 31,
  user: 32,
  session: 33,
  team: 500,
  sessionCreation: 3,
  stateReads: 4,
  stateReadsOfTeam: 100,
  signIn: 7,
  signInFailures: 2,
  signInFailuresOfNewAddresses: 50,
  badKeys: 5,
  badPortalTokens: 6,
  portalLink: 9,
  portalSetup: 8,
  webhookEvents: 10,
  webhookBytes: 2_048,
};

let gateway: Gateway;
let addresses = 0;
beforeAll(async () => {
  gateway = await startGateway({ limits: LIMITS, env: { TRUST_PROXY: 'loopback' } });
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** Calls from an address that no other test has. */
function newCaller() {
  const address = `203.0.113.${(addresses += 1)}`;
  return (method: string, path: string, options: Parameters<Gateway['call']>[2] = {}) =>
    gateway.call(method, path, { ...options, headers: { 'x-forwarded-for': address, ...options.headers } });
}

/** Sends until one is refused, and returns its response. */
async function untilRefused(send: () => Promise<HttpResponse>): Promise<HttpResponse> {
  for (let turn = 0; turn < 120; turn += 1) {
    const response = await send();
    if (response.status === 429) return response;
  }
  throw new Error('Nothing was refused.');
}

/** A user, a team and a key, all of them made from an address of their own. */
async function newTenant() {
  const call = newCaller();
  const email = `refused${addresses}@example.com`;
  const signedUp = await call('POST', '/api/auth/sign-up/email', { body: { name: 'Ada', email, password: PASSWORD } });
  const headers = { cookie: cookieOf(signedUp) };
  const { team } = (await call('POST', '/api/service/teams', { body: { name: 'Acme' }, headers })).body;
  const teamPath = `/api/service/teams/${team.id}`;
  const { project } = (await call('POST', `${teamPath}/projects`, { body: { name: 'Shop' }, headers })).body;
  const path = `${teamPath}/projects/${project.id}`;
  const scopes = ['products:read', 'subscriptions:write', 'customers:read', 'entitlements:read'];
  const { secret } = (await call('POST', `${path}/api-keys`, { body: { name: 'a key', scopes }, headers })).body;
  return { call, email, headers, path, bearer: { authorization: `Bearer ${secret}` }, teamId: String(team.id) };
}

const webhookPath = (teamId: string) => `/api/webhooks/processor/${teamId}`;

/** What refuses, how it is brought about, and the limit in the headers; null where it is no limit of the gateway. */
const REFUSALS: readonly (readonly [string, number | null, () => Promise<HttpResponse>])[] = [
  [
    'a key',
    LIMITS.apiKey,
    async () => {
      const { call, path, bearer } = await newTenant();
      return untilRefused(() => call('GET', `${path}/products`, { headers: bearer }));
    },
  ],
  [
    'the reads of states of a key',
    LIMITS.stateReads,
    async () => {
      const { call, path, bearer } = await newTenant();
      return untilRefused(() => call('GET', `${path}/customers/${CustomerId.example}/state`, { headers: bearer }));
    },
  ],
  [
    'a user',
    LIMITS.user,
    async () => {
      const { call, headers } = await newTenant();
      return untilRefused(() => call('GET', '/api/service/teams', { headers }));
    },
  ],
  [
    'new sessions of a project',
    LIMITS.sessionCreation,
    async () => {
      const { call, path, headers } = await newTenant();
      return untilRefused(() => call('POST', `${path}/portal`, { body: {}, headers }));
    },
  ],
  [
    'bad keys of an address',
    LIMITS.badKeys,
    async () => {
      const call = newCaller();
      return untilRefused(() => call('GET', '/api/service/teams', { headers: { authorization: 'Bearer bad' } }));
    },
  ],
  [
    'sign-ins of an address',
    LIMITS.signIn,
    async () => {
      const call = newCaller();
      let turn = 0;
      const body = () => ({ email: `nobody${(turn += 1)}@example.com`, password: 'wrong' });
      return untilRefused(() => call('POST', '/api/auth/sign-in/email', { body: body() }));
    },
  ],
  [
    'failed sign-ins of an account',
    LIMITS.signInFailures,
    async () => {
      const { email } = await newTenant();
      const call = newCaller();
      return untilRefused(() => call('POST', '/api/auth/sign-in/email', { body: { email, password: 'wrong' } }));
    },
  ],
  [
    'bad links to the portal, once the portal has said so',
    LIMITS.badPortalTokens,
    async () => {
      const call = newCaller();
      let turn = 0;
      const guess = () => `/portal/guess-${(turn += 1)}?status=404&problem=portal_link_expired`;
      return untilRefused(() => call('GET', guess()));
    },
  ],
  [
    'a link to the portal',
    LIMITS.portalLink,
    async () => {
      const call = newCaller();
      return untilRefused(() => call('GET', '/portal/good'));
    },
  ],
  [
    'methods of payment of a link to the portal',
    LIMITS.portalSetup,
    async () => {
      const call = newCaller();
      return untilRefused(() => call('POST', '/api/portal/other/setup-intent'));
    },
  ],
  [
    'webhooks of a team',
    LIMITS.webhookEvents,
    async () => {
      const call = newCaller();
      return untilRefused(() => call('POST', webhookPath('team_0123456789abcdefghij'), { body: '{}' }));
    },
  ],
  [
    'bytes of webhooks of a team',
    LIMITS.webhookBytes,
    async () => {
      const call = newCaller();
      const body = JSON.stringify('x'.repeat(900_000));
      return untilRefused(() => call('POST', webhookPath('team_aaaaaaaaaaaaaaaaaaaa'), { body }));
    },
  ],
  [
    'codes of an account, by the lock of better-auth',
    null,
    async () => {
      const { call, email, headers } = await newTenant();
      const enabled = await call('POST', '/api/auth/two-factor/enable', { body: { password: PASSWORD }, headers });
      const code = codeOf(enabled.body.totpURI);
      await call('POST', '/api/auth/two-factor/verify-totp', { body: { code }, headers });
      await gateway.em.fork().execute(`update auth."twoFactor" set "lockedUntil" = now() + interval '10 minutes'`);
      const signIn = { email, password: PASSWORD };
      const cookie = cookieOf(await call('POST', '/api/auth/sign-in/email', { body: signIn }));
      return call('POST', '/api/auth/two-factor/verify-totp', { body: { code: '000000' }, headers: { cookie } });
    },
  ],
  [
    'a service',
    null,
    async () => {
      const { call, path, bearer } = await newTenant();
      return call('GET', `${path}/products?status=429&retry-after=17`, { headers: bearer });
    },
  ],
  [
    'the portal',
    null,
    async () => {
      const call = newCaller();
      await call('GET', '/portal/busy');
      return call('GET', '/portal/busy?status=429&retry-after=17');
    },
  ],
  [
    'the receipt of webhooks',
    null,
    async () => {
      gateway.services.webhooks.respondToWebhooks(429, 17);
      const response = await newCaller()('POST', webhookPath('team_bbbbbbbbbbbbbbbbbbbb'), { body: '{}' });
      gateway.services.webhooks.respondToWebhooks(200);
      return response;
    },
  ],
];

it.each(REFUSALS)(
  '429 by the limit of %s says how that limit stands, and when to try again',
  async (_, limit, refuse) => {
    const { status, headers } = await refuse();
    expect(status).toBe(429);
    const shown = ['limit', 'remaining', 'reset'].map(name => headers.get(`x-ratelimit-${name}`));
    const retryAfter = headers.get('retry-after') ?? '';
    expect(Number(retryAfter)).toBeGreaterThan(0);
    expect(shown).toEqual(limit === null ? [null, null, null] : [String(limit), '0', retryAfter]);
    expect(limit !== null || ['17', '900'].includes(retryAfter)).toBe(true);
  },
);
