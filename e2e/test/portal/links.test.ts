import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
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
