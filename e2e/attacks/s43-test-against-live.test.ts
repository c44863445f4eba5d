import { randomBytes } from 'node:crypto';
import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, describe, expect, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { Caller, ok } from '../system/http.ts';
import { newSignedEvent, postSigned } from '../system/signed-events.ts';
import { newEmail, newTenant, newUser, type Tenant } from '../system/tenant.ts';

/** When the newest event of the account's own mode was created: each is newer than those before, whatever their mode. */
let newest = Math.floor(Date.now() / 1_000) + 3_600;

describe('events of the other mode', () => {
  let tenant: Tenant;
  let customer: { id: string; processorCustomerId: string };
  beforeAll(async () => {
    tenant = await newTenant();
    customer = await tenant.billing.customers.create({ email: newEmail(), name: 'Grace' });
    // Until its own event has come, the customer is read at the processor, whatever other events say.
    await drain(tenant);
  });
  const recordOf = async (eventId: string) => {
    const { webhookEvents } = await ok(tenant.user.get(`${tenant.teamPath}/webhook-events?projectId=none`));
    return webhookEvents.find((record: { id: string }) => record.id === eventId);
  };

  it.each([
    ['renames', 'customer.updated', { name: 'Mallory' }],
    ['deletes', 'customer.deleted', { deleted: true }],
  ])(
    'S43: an event of live mode that %s a customer of a test account is recorded as ignored, without effect',
    async (_what, type, changes) => {
      const object = await tenant.callProcessor(`/v1/customers/${customer.processorCustomerId}`);
      const event = newSignedEvent(type, { ...object, livemode: true, ...changes }, { livemode: true });
      expect(await postSigned(tenant, event)).toEqual({ status: 200, body: { received: true } });
      expect(await recordOf(event.id)).toMatchObject({
        status: 'ignored',
        error: 'livemode_mismatch',
        projectId: null,
      });

      // An event of its own mode that comes later is applied: by then the other one would have been.
      const own = newSignedEvent('customer.updated', { ...object, name: `After ${type}` }, { created: (newest += 1) });
      await postSigned(tenant, own);
      const named = async () => (await tenant.billing.customers.get(customer.id)).name === `After ${type}`;
      await waitFor(named, { what: 'the event of its own mode to be applied' });
    },
  );

  it('S43: an ignored event of the other mode is replayed, and gets 409', async () => {
    const event = newSignedEvent('customer.updated', { id: customer.processorCustomerId }, { livemode: true });
    await postSigned(tenant, event);
    const replayed = await tenant.user.post(`${tenant.teamPath}/webhook-events/${event.id}/replay`);
    expect(replayed).toMatchObject({ status: 409, body: { error: { code: 'webhook_event_not_failed' } } });
    expect(await recordOf(event.id)).toMatchObject({ status: 'ignored', error: 'livemode_mismatch' });
  });
});

describe('a test key on a live account', () => {
  it('S43: a bil_test_ key is refused everywhere once its team has connected a live account, and changes nothing', async () => {
    const { user } = await newUser(newEmail());
    const { team } = await ok(user.post('/api/service/teams', { name: 'Acme' }), 201);
    const teamPath = `/api/service/teams/${team.id}`;
    const { project } = await ok(user.post(`${teamPath}/projects`, { name: 'Shop' }), 201);
    const path = `${teamPath}/projects/${project.id}`;
    const newKey = async () =>
      (await ok(user.post(`${path}/api-keys`, { name: 'a', scopes: ['customers:read', 'customers:write'] }), 201))
        .secret;
    const testKey = new Caller({ authorization: `Bearer ${await newKey()}` });
    await ok(testKey.get(`${path}/customers`));

    const random = randomBytes(16).toString('hex');
    const credentials = { secretKey: `sk_live_${random}`, publishableKey: `pk_live_${random}` };
    await ok(user.post(`${teamPath}/processor/connect`, credentials));
    const refused = async () => (await testKey.get(`${path}/customers`)).status === 403;
    await waitFor(refused, { what: 'the test key to be refused' });
    const write = await testKey.post(`${path}/customers`, { email: newEmail(), name: 'Mallory' });
    expect(write).toMatchObject({ status: 403, body: { error: { code: 'test_key_on_live_account' } } });

    const liveKey = new Caller({ authorization: `Bearer ${await newKey()}` });
    expect((await ok(liveKey.get(`${path}/customers`))).customers).toEqual([]);
  });
});
