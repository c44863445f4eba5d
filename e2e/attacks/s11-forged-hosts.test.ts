import { beforeAll, describe, expect, inject, it } from 'vitest';
import { send } from '../system/hostile/send.ts';
import { newCustomer, newTenant, type Tenant } from '../system/tenant.ts';

const EVIL = 'evil.example';

/** Headers by which a service behind a proxy may be told another host. */
const FORGED: readonly Record<string, string>[] = [
  { host: EVIL },
  { host: `${EVIL}:80` },
  { host: `127.0.0.1@${EVIL}` },
  { host: '' },
  { 'x-forwarded-host': EVIL, 'x-forwarded-proto': 'https', 'x-forwarded-port': '443', 'x-forwarded-for': '10.0.0.1' },
  { forwarded: `for=10.0.0.1;host=${EVIL};proto=https` },
  { 'x-host': EVIL, 'x-forwarded-server': EVIL, 'x-http-host-override': EVIL, 'x-original-host': EVIL },
  { 'x-original-url': `//${EVIL}/`, 'x-rewrite-url': `//${EVIL}/` },
  { 'x-forwarded-prefix': `//${EVIL}`, 'x-forwarded-path': `//${EVIL}`, 'x-script-name': `//${EVIL}` },
  { origin: `https://${EVIL}`, referer: `https://${EVIL}/` },
];

let tenant: Tenant;
let customerId: string;
let token: string;
beforeAll(async () => {
  tenant = await newTenant();
  customerId = await newCustomer(tenant);
  ({ token } = await tenant.billing.portal.create({ customerId }));
});

/** Requests whose responses have addresses of ours, or make the processor keep one. */
const requests = () => {
  const bearer = { authorization: `Bearer ${tenant.secret}` };
  const session = { cookie: tenant.user.cookie };
  const json = { 'content-type': 'application/json' };
  return [
    {
      method: 'POST',
      path: `${tenant.P}/portal`,
      headers: { ...bearer, ...json },
      body: JSON.stringify({ customerId }),
    },
    { method: 'POST', path: `/api/portal/${token}/setup-intent`, headers: {} },
    { method: 'POST', path: `/portal/${token}/payment-method`, headers: {} },
    { method: 'GET', path: `/portal/${token}`, headers: {} },
    { method: 'GET', path: `${tenant.teamPath}/processor/webhook-url`, headers: session },
    { method: 'GET', path: '/openapi.json', headers: {} },
    { method: 'GET', path: '/docs', headers: {} },
  ];
};

describe('a forged Host', () => {
  it('S11: a Host, X-Forwarded-Host or Forwarded header of another site changes no link, redirect, cookie or address at the processor', async () => {
    const responses = await Promise.all(
      requests().flatMap(({ method, path, headers, body }) =>
        FORGED.map(async forged => {
          const bytes = body === undefined ? undefined : Buffer.from(body);
          // A cookie’s request with a foreign Origin is refused; that is another attack.
          const sent = 'cookie' in headers && 'origin' in forged ? {} : forged;
          const response = await send(inject('gatewayUrl'), {
            method,
            path,
            headers: { ...headers, ...sent },
            body: bytes,
          });
          return { row: `${method} ${path} with ${JSON.stringify(sent)}`, ...response };
        }),
      ),
    );
    for (const { row, status, headers, text } of responses) {
      expect(status, row).toBeOneOf([200, 201, 303]);
      expect(text + JSON.stringify(headers), row).not.toContain(EVIL);
    }
    const portalUrls = responses.flatMap(({ status, text }) =>
      status === 201 ? (JSON.parse(text).portalUrl as string) : [],
    );
    expect(portalUrls).toHaveLength(FORGED.length);
    for (const url of portalUrls) expect(new URL(url).origin).toBe(inject('gatewayUrl'));

    const { data: sessions } = await tenant.callProcessor('/v1/checkout/sessions?limit=100');
    const setups = sessions.filter(({ mode }: { mode: string }) => mode === 'setup');
    expect(setups.length).toBe(2 * FORGED.length);
    for (const { success_url: success, cancel_url: cancel } of setups)
      expect([new URL(success).origin, new URL(cancel).origin]).toEqual([inject('gatewayUrl'), inject('gatewayUrl')]);
  });

  it('S11: the customer’s return cookie is for the one path alone and for no host but ours', async () => {
    const { headers } = await send(inject('gatewayUrl'), {
      method: 'POST',
      path: `/api/portal/${token}/setup-intent`,
      headers: { host: EVIL, 'x-forwarded-host': EVIL },
      body: undefined,
    });
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^portal_return=[\w-]{43}; Max-Age=3600; Path=\/portal\/return\/[\w-]{16}; HttpOnly; SameSite=Lax$/,
      ),
    ]);
  });
});
