import { expect, it } from 'vitest';
import { ok } from '../system/http.ts';
import { newSignedEvent, postSigned } from '../system/signed-events.ts';
import { newEmail } from '../system/tenant.ts';
import { callerFrom, countStatuses, newAddress, newLimitedTenant } from './limited.ts';

it('S29: five hundred forged webhooks are all refused, leave no record, use up no quota and stop no API call', async () => {
  const tenant = await newLimitedTenant();
  const attacker = callerFrom(newAddress(), {
    'stripe-signature': `t=${Math.floor(Date.now() / 1_000)},v1=${'0'.repeat(64)}`,
  });
  const event = newSignedEvent('customer.updated', { id: 'cus_forged', object: 'customer' });
  const inventedTeam = () => `team_${Math.random().toString(36).slice(2).padEnd(20, '0')}`;
  const flood = countStatuses(500, index =>
    attacker.post(`/api/webhooks/processor/${index % 2 ? tenant.teamId : inventedTeam()}`, event),
  );
  const calls = await countStatuses(
    10,
    () => tenant.api.post(`${tenant.P}/customers`, { email: newEmail(), name: 'A' }),
    1,
  );
  expect(calls).toEqual({ 201: 10 });
  expect(await flood).toEqual({ 400: 500 });
  const signed = await postSigned(tenant, newSignedEvent('customer.updated', { id: 'cus_own', object: 'customer' }));
  expect(signed).toMatchObject({ status: 200, body: { received: true } });
  const { webhookEvents } = await ok(tenant.user.get(`${tenant.teamPath}/webhook-events?limit=100`));
  expect(JSON.stringify(webhookEvents)).not.toContain(event.id);
});
