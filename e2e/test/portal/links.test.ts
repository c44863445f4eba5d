import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, inject, it } from 'vitest';
import { Caller, type ApiResponse } from '../../system/http.ts';
import { newCustomer, newTenant, type Tenant } from '../../system/tenant.ts';

let tenant: Tenant;
let customerId: string;
const anonymous = new Caller();
beforeAll(async () => {
  tenant = await newTenant();
  customerId = await newCustomer(tenant);
});

const open = (token: string): Promise<ApiResponse> => anonymous.get(`/portal/${token}`);
/** Returns the page without its nonces, which differ in every response. */
const bodyOf = ({ body }: ApiResponse): string => String(body).replaceAll(/nonce="[^"]+"/g, '');

it('opens the portal until the link expires, and not after', async () => {
  const { token, expiresAt } = await tenant.billing.portal.create({ customerId, ttlMs: 4_000 });
  const end = Date.parse(expiresAt);
  // The database uses this machine's clock. A visit in flight at the expiry may get either status.
  const visits: { sentAt: number; receivedAt: number; status: number }[] = [];
  while ((visits.at(-1)?.sentAt ?? 0) <= end) {
    const sentAt = Date.now();
    const { status } = await open(token);
    visits.push({ sentAt, receivedAt: Date.now(), status });
    await delay(100);
  }
  expect(visits.filter(({ receivedAt, status }) => receivedAt < end && status !== 200)).toEqual([]);
  expect(visits.at(-1)?.status).toBe(404);
  expect((await anonymous.post(`/api/portal/${token}/setup-intent`)).body.error.code).toBe('portal_link_expired');
});

it('lists valid links, and revokes one immediately', async () => {
  const { portal } = tenant.billing;
  const [one, other] = [await portal.create({ customerId }), await portal.create({ customerId })];
  const listIds = async () => (await Array.fromAsync(portal.list({ customerId }))).map(({ sessionId }) => sessionId);
  expect(await listIds()).toEqual([other.sessionId, one.sessionId]);
  expect((await tenant.api.get(`${tenant.P}/portal/sessions`)).body).not.toHaveProperty('sessions.0.token');

  await portal.revoke(one.sessionId);
  expect((await open(one.token)).status).toBe(404);
  expect((await open(other.token)).status).toBe(200);
  expect(await listIds()).toEqual([other.sessionId]);
  await portal.revoke(one.sessionId);
  const patched = await anonymous.patch(`/api/portal/${one.token}/subscriptions/ps_00000000000000000000`, {
    cancelAtPeriodEnd: true,
  });
  expect(patched.body.error.code).toBe('portal_link_expired');
});

it('hides links of other projects, and does not revoke them', async () => {
  const { sessionId, token } = await tenant.billing.portal.create({ customerId });
  const stranger = await newTenant();
  expect(await Array.fromAsync(stranger.billing.portal.list())).toEqual([]);
  const rejected = await stranger.api.delete(`${stranger.P}/portal/sessions/${sessionId}`);
  expect(rejected.body.error.code).toBe('portal_session_not_found');
  expect((await open(token)).status).toBe(200);
});

it('returns the same page for unknown, revoked and deleted customers’ links', async () => {
  const deleted = await newCustomer(tenant);
  const ofDeleted = await tenant.billing.portal.create({ customerId: deleted });
  const revoked = await tenant.billing.portal.create({ customerId });
  await tenant.billing.customers.delete(deleted);
  await tenant.billing.portal.revoke(revoked.sessionId);
  const responses = await Promise.all(['A'.repeat(43), 'short', ofDeleted.token, revoked.token].map(open));
  for (const response of responses) {
    expect(response.status).toBe(404);
    expect(response.body).toContain('This link has expired');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    });
  }
  expect(new Set(responses.map(bodyOf)).size).toBe(1);
});

it('writes no token to any log', async () => {
  const { token } = await tenant.billing.portal.create({ customerId });
  const redirected = await anonymous.send('POST', `/portal/${token}/payment-method`).catch(() => undefined);
  expect(redirected).toBeDefined();
  const { body } = await anonymous.post(`/api/portal/${token}/setup-intent`);
  expect(body.url).toBeDefined();
  await open(token);
  await open(`${token}?tab=invoices`);
  await anonymous.get(`/portal/${token}/unknown`);

  const folder = join(inject('dataDir'), 'logs');
  const files = await readdir(folder);
  const logs = await Promise.all(files.map(file => readFile(join(folder, file), 'utf8')));
  expect(logs.join('')).toContain('/portal/:token');
  expect(files.filter((_, index) => logs[index]?.includes(token))).toEqual([]);
});
