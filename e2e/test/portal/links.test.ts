import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, inject, it } from 'vitest';
import { Caller, type Answer } from '../../system/http.ts';
import { newCustomer, newTenant, type Tenant } from '../../system/tenant.ts';

let tenant: Tenant;
let customerId: string;
const anybody = new Caller();
beforeAll(async () => {
  tenant = await newTenant();
  customerId = await newCustomer(tenant);
});

const open = (token: string): Promise<Answer> => anybody.get(`/portal/${token}`);
/** The page as every visitor gets it: what is made anew each time is left out. */
const bodyOf = ({ body }: Answer): string => String(body).replaceAll(/nonce="[^"]+"/g, '');

it('lets in until the time is up, and not after', async () => {
  const { token, expiresAt } = await tenant.billing.portal.create({ customerId, ttlMs: 4_000 });
  const end = Date.parse(expiresAt);
  // The database's clock is this machine's; a request that was under way at the end may go either way.
  const visits: { asked: number; answered: number; status: number }[] = [];
  while ((visits.at(-1)?.asked ?? 0) <= end) {
    const asked = Date.now();
    const { status } = await open(token);
    visits.push({ asked, answered: Date.now(), status });
    await delay(100);
  }
  expect(visits.filter(({ answered, status }) => answered < end && status !== 200)).toEqual([]);
  expect(visits.at(-1)?.status).toBe(404);
  expect((await anybody.post(`/api/portal/${token}/setup-intent`)).body.error.code).toBe('portal_link_expired');
});

it('lists the links that work, and revokes one at once', async () => {
  const { portal } = tenant.billing;
  const [one, other] = [await portal.create({ customerId }), await portal.create({ customerId })];
  const listed = async () => (await Array.fromAsync(portal.list({ customerId }))).map(({ sessionId }) => sessionId);
  expect(await listed()).toEqual([other.sessionId, one.sessionId]);
  expect((await tenant.api.get(`${tenant.P}/portal/sessions`)).body).not.toHaveProperty('sessions.0.token');

  await portal.revoke(one.sessionId);
  expect((await open(one.token)).status).toBe(404);
  expect((await open(other.token)).status).toBe(200);
  expect(await listed()).toEqual([other.sessionId]);
  await portal.revoke(one.sessionId);
  const patched = await anybody.patch(`/api/portal/${one.token}/subscriptions/ps_00000000000000000000`, {
    cancelAtPeriodEnd: true,
  });
  expect(patched.body.error.code).toBe('portal_link_expired');
});

it('lists and revokes no link of another project', async () => {
  const { sessionId, token } = await tenant.billing.portal.create({ customerId });
  const stranger = await newTenant();
  expect(await Array.fromAsync(stranger.billing.portal.list())).toEqual([]);
  const refused = await stranger.api.delete(`${stranger.P}/portal/sessions/${sessionId}`);
  expect(refused.body.error.code).toBe('portal_session_not_found');
  expect((await open(token)).status).toBe(200);
});

it('answers one page to links that never were, have ended, or are of a customer who is gone', async () => {
  const gone = await newCustomer(tenant);
  const ofGone = await tenant.billing.portal.create({ customerId: gone });
  const revoked = await tenant.billing.portal.create({ customerId });
  await tenant.billing.customers.delete(gone);
  await tenant.billing.portal.revoke(revoked.sessionId);
  const answers = await Promise.all(['A'.repeat(43), 'short', ofGone.token, revoked.token].map(open));
  for (const answer of answers) {
    expect(answer.status).toBe(404);
    expect(answer.body).toContain('This link has expired');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    });
  }
  expect(new Set(answers.map(bodyOf)).size).toBe(1);
});

it('tells no token to any log', async () => {
  const { token } = await tenant.billing.portal.create({ customerId });
  const left = await anybody.send('POST', `/portal/${token}/payment-method`).catch(() => undefined);
  expect(left).toBeDefined();
  const { body } = await anybody.post(`/api/portal/${token}/setup-intent`);
  expect(body.url).toBeDefined();
  await open(token);
  await open(`${token}?tab=invoices`);
  await anybody.get(`/portal/${token}/nothing`);

  const folder = join(inject('dataDir'), 'logs');
  const files = await readdir(folder);
  const logs = await Promise.all(files.map(file => readFile(join(folder, file), 'utf8')));
  expect(logs.join('')).toContain('/portal/:token');
  expect(files.filter((_, index) => logs[index]?.includes(token))).toEqual([]);
});
