import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { Caller } from '../system/http.ts';
import { send } from '../system/hostile/send.ts';
import { newCustomer, newTenant, type Tenant } from '../system/tenant.ts';

let tenant: Tenant;
let customerId: string;
beforeAll(async () => {
  tenant = await newTenant();
  customerId = await newCustomer(tenant);
});

/** What can be tried with a token, and the path below it. */
const ENTRANCES = [
  { method: 'GET', path: (token: string) => `/portal/${token}` },
  { method: 'GET', path: (token: string) => `/portal/${token}?tab=invoices` },
  { method: 'GET', path: (token: string) => `/portal/${token}/subscriptions/ps_00000000000000000000/cancel` },
  { method: 'POST', path: (token: string) => `/portal/${token}/subscriptions/ps_00000000000000000000/cancel` },
  { method: 'GET', path: (token: string) => `/portal/${token}/subscriptions/ps_00000000000000000000/change/preview` },
  { method: 'POST', path: (token: string) => `/portal/${token}/subscriptions/ps_00000000000000000000/change` },
  { method: 'DELETE', path: (token: string) => `/api/portal/${token}/subscriptions/ps_00000000000000000000/change` },
  { method: 'POST', path: (token: string) => `/portal/${token}/payment-method` },
  { method: 'POST', path: (token: string) => `/api/portal/${token}/setup-intent` },
  { method: 'PATCH', path: (token: string) => `/api/portal/${token}/subscriptions/ps_00000000000000000000` },
] as const;

/** Sends a request with a token, and returns the response without the nonces of a page. */
async function enter({ method, path }: (typeof ENTRANCES)[number], token: string) {
  const isChange = method === 'PATCH';
  const { status, headers, text } = await send(inject('gatewayUrl'), {
    method,
    path: path(token),
    headers: { 'x-request-id': 'the-same', ...(isChange && { 'content-type': 'application/json' }) },
    body: isChange ? Buffer.from('{"cancelAtPeriodEnd":true}') : undefined,
  });
  const { date: _, 'content-security-policy': policy, ...others } = headers;
  return { status, headers: others, hasPolicy: policy !== undefined, text: text.replaceAll(/nonce="[^"]+"/g, '') };
}

/** Texts like a token, none of which is one. */
function alterations(token: string): string[] {
  const letter = /[a-z]/i.exec(token)?.[0] ?? '';
  const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  const bytes = Buffer.from(token, 'base64url');
  // 43 characters hold two bits more than 32 bytes, so another last one may stand for the same bytes.
  const twins = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
    .map(last => token.slice(0, -1) + last)
    .filter(text => Buffer.from(text, 'base64url').equals(bytes));
  return [
    ...[1, 10, 22, 42].map(length => token.slice(0, length)),
    token.slice(1),
    `${token}A`,
    `A${token}`,
    `${token}=`,
    `${token}.`,
    token + token,
    token.replace(letter, flipped),
    token.toUpperCase(),
    token.toLowerCase(),
    Array.from(token).toReversed().join(''),
    bytes.toString('hex'),
    encodeURIComponent(bytes.toString('base64').replaceAll('/', '_')),
    bytes.toString('base64url').slice(0, -1),
    ...twins,
    'A'.repeat(43),
    '_'.repeat(43),
    '-',
    'null',
    'undefined',
    '*',
    'return',
    'assets',
    'short',
  ].filter(text => text !== token);
}

/** Opens a link in every way at the same time; returns the statuses. */
const statusesOf = (token: string) =>
  Promise.all(ENTRANCES.map(async entrance => (await enter(entrance, token)).status));

/** Opens a link that expires soon, and visits it once before; `end` is when it expires, in milliseconds. */
async function openShortLink(): Promise<{ token: string; end: number }> {
  for (let ttlMs = 1_000; ; ttlMs *= 2) {
    const { token, expiresAt } = await tenant.billing.portal.create({ customerId, ttlMs });
    // On a busy machine it may have expired by now.
    if ((await enter(ENTRANCES[0], token)).status === 200) return { token, end: Date.parse(expiresAt) };
  }
}

describe('a portal link', () => {
  it('S7: a guessed, cut, extended, case-flipped, revoked or deleted customer’s token gets the same 404 in every way in', async () => {
    const { billing } = tenant;
    const goneCustomer = await newCustomer(tenant);
    const [{ token }, revoked, gone] = await Promise.all([
      billing.portal.create({ customerId }),
      billing.portal.create({ customerId }),
      billing.portal.create({ customerId: goneCustomer }),
    ]);
    await Promise.all([billing.portal.revoke(revoked.sessionId), billing.customers.delete(goneCustomer)]);
    const bad = [randomBytes(32).toString('base64url'), revoked.token, gone.token, ...alterations(token)];
    await Promise.all(
      ENTRANCES.map(async entrance => {
        const [first, ...rest] = await Promise.all(bad.map(text => enter(entrance, text)));
        expect(first?.status, entrance.path(':token')).toBe(404);
        expect(first?.headers).toMatchObject({
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
          'x-robots-tag': 'noindex',
        });
        expect(first?.text).toMatch(/This link has expired|portal_link_expired/);
        for (const [index, seen] of rest.entries()) expect(seen, bad[index + 1]).toEqual(first);
      }),
    );
    expect((await new Caller().get(`/portal/${token}`)).status).toBe(200);
  });

  it('S7: three hundred guesses at a time open nothing', async () => {
    const guesses = Array.from({ length: 300 }, () => randomBytes(32).toString('base64url'));
    const [page] = ENTRANCES;
    const statuses = await Promise.all(guesses.map(async guess => (await enter(page, guess)).status));
    expect(new Set(statuses)).toEqual(new Set([404]));
  });

  it('S7: a link works until it expires by the database’s clock, and in no way after', async () => {
    const { token, end } = await openShortLink();
    // The database uses this machine's clock. A visit in flight at the expiry may get either status.
    for (;;) {
      const { status } = await enter(ENTRANCES[0], token);
      if (Date.now() >= end) break;
      expect(status).toBe(200);
      await delay(50);
    }
    expect(await statusesOf(token)).toEqual(ENTRANCES.map(() => 404));
  });

  it('S7: a time to live of zero, below, above thirty days or of another type is 400', async () => {
    const times = [0, -1, -0.5, 1.5, 2_592_000_001, 2 ** 53, 1e18, 1e308, '1000', '', true, [1_000], {}, 'Infinity'];
    await Promise.all(
      times.map(async ttlMs => {
        const { status, body } = await tenant.api.post(`${tenant.P}/portal`, { customerId, ttlMs });
        expect({ ttlMs, status, path: body.error?.details?.fields[0]?.path as unknown }).toEqual({
          ttlMs,
          status: 400,
          path: 'ttlMs',
        });
      }),
    );
  });

  it('S7: tokens have 256 random bits each, no two alike, and are told once: no list has them', async () => {
    const sessions = await Promise.all(Array.from({ length: 20 }, () => tenant.billing.portal.create({ customerId })));
    const tokens = sessions.map(({ token }) => token);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/);
    expect(new Set(tokens.map(token => token.slice(0, 8))).size).toBe(tokens.length);
    const list = JSON.stringify((await tenant.api.get(`${tenant.P}/portal/sessions?limit=100`)).body);
    expect(tokens.filter(token => list.includes(token))).toEqual([]);
  });
});
