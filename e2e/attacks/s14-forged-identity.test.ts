import { beforeAll, describe, expect, it } from 'vitest';
import { newCustomer, newTenant, type Tenant } from '../system/tenant.ts';
import { sendRaw, statusesIn } from './send-raw.ts';

let own: Tenant;
let other: Tenant;
let ownCustomer: string;
let otherCustomer: string;
beforeAll(async () => {
  [own, other] = await Promise.all([newTenant(), newTenant()]);
  [ownCustomer, otherCustomer] = await Promise.all([newCustomer(own), newCustomer(other)]);
});

/** An identity token in the form of the gateway's, signed by nobody. */
function unsigned(alg: string, { teamId, projectId }: Tenant): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  const principal = { kind: 'user', userId: 'x', teamId, projectId, role: 'owner' };
  return `${encode({ alg, typ: 'JWT' })}.${encode({ aud: 'customers', exp, principal })}.${alg === 'none' ? '' : 'AAAA'}`;
}

/** Raw header lines that claim to be the other tenant. */
function forgedHeaders(): string[][] {
  const { teamId, projectId, secret } = other;
  const tokens = [unsigned('none', other), unsigned('HS256', other), unsigned('EdDSA', other)];
  return [
    ...tokens.map(token => [`x-billing-identity: ${token}`]),
    ...tokens.map(token => [`X-Billing-Identity: ${token}`, `x-billing-identity: ${token}`]),
    [`x_billing_identity: ${tokens[0]}`],
    [`x-billing-identity : ${tokens[0]}`],
    [`Connection: x-billing-identity, close`, `x-billing-identity: ${tokens[0]}`],
    [`Connection: authorization, x-request-id, close`],
    [`x-tenant-id: ${teamId}`, `x-team-id: ${teamId}`, `x-project-id: ${projectId}`],
    [`X-Tenant-Id: ${teamId}`, `x-tenant-id: ${teamId}`, `X_TENANT_ID: ${teamId}`],
    [`x-internal-team: ${teamId}`, `X-Internal-Project: ${projectId}`, 'x-internal-user: admin', 'x-internal-auth: 1'],
    [`x-user-id: admin`, 'x-role: owner', 'x-scopes: *', 'x-authenticated: true', 'x-admin: 1', 'remote-user: admin'],
    [`x-api-key: ${secret}`, `proxy-authorization: Bearer ${secret}`],
    [`x-original-url: ${other.P}/customers`, `x-rewrite-url: ${other.P}/customers`],
    ['x-forwarded-for: 127.0.0.1', 'x-real-ip: 127.0.0.1', 'x-client-ip: 127.0.0.1', 'true-client-ip: 127.0.0.1'],
    [`x-http-method-override: DELETE`],
  ];
}

/** Sends one GET with header lines as they are; returns its status and body. */
async function rawGet(path: string, lines: readonly string[]): Promise<{ status: number | undefined; body: string }> {
  const closing = lines.some(line => /^connection:/i.test(line)) ? [] : ['Connection: close'];
  const received = await sendRaw([`GET ${path} HTTP/1.1`, 'Host: x', ...lines, ...closing, '', ''].join('\r\n'));
  return { status: statusesIn(received)[0], body: received.split('\r\n\r\n')[1] ?? '' };
}

describe('an identity in a header', () => {
  it('S14: forged identity and tenant headers, in any case, twice or named by Connection, show a key’s holder its own data alone', async () => {
    const authorization = `Authorization: Bearer ${own.secret}`;
    const responses = await Promise.all(
      forgedHeaders().map(async lines => ({
        lines,
        ...(await rawGet(`${own.P}/customers`, [authorization, ...lines])),
      })),
    );
    for (const { lines, status, body } of responses) {
      const row = lines.join(' | ').slice(0, 100);
      expect(body, row).not.toContain(otherCustomer);
      // A space before the colon is not HTTP.
      const isMalformed = lines.some(line => /^[^:]* :/.test(line));
      expect(status, row).toBe(isMalformed ? 400 : 200);
      expect(body.includes(ownCustomer), row).toBe(!isMalformed);
    }
  });

  it('S14: without credentials such headers open nothing, and with another team’s key they open no path of this team', async () => {
    const anonymous = await Promise.all(forgedHeaders().map(lines => rawGet(`${other.P}/customers`, lines)));
    expect(new Set(anonymous.map(({ status }) => status))).toEqual(new Set([401, 400]));
    const authorization = `Authorization: Bearer ${own.secret}`;
    const foreign = await Promise.all(
      forgedHeaders().map(lines => rawGet(`${other.P}/customers`, [authorization, ...lines])),
    );
    expect(new Set(foreign.map(({ status }) => status))).toEqual(new Set([403, 400]));
  });

  it('S14: two Authorization headers or two session cookies are never mixed', async () => {
    const both = [`Authorization: Bearer ${own.secret}`, `Authorization: Bearer ${other.secret}`];
    const first = await rawGet(`${other.P}/customers`, both);
    expect(first.body).not.toContain(otherCustomer);
    expect(first.status).toBe(403);
    const cookies = [`Cookie: ${own.user.cookie}`, `Cookie: ${other.user.cookie}`];
    const paths = [own.P, other.P].map(at => rawGet(`${at}/customers`, cookies));
    const statuses = (await Promise.all(paths)).map(({ status }) => status);
    expect(statuses).toEqual([200, 403]);
  });

  it('S14: nothing was changed or deleted on the way', async () => {
    expect((await other.api.get(`${other.P}/customers/${otherCustomer}`)).status).toBe(200);
    expect((await own.api.get(`${own.P}/customers/${ownCustomer}`)).status).toBe(200);
  });
});
