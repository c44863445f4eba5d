import { AuditRecorded } from '@billing/contracts/events/audit';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { expect, it } from 'vitest';
import { startService, type Service } from './start-service.ts';

const recorded = async (service: Service) => (await service.published(AuditRecorded)).map(({ data }) => data);

it('records links that are created and revoked, without their tokens', async () => {
  await using service = await startService();
  const { teamId, projectId } = service.scope;
  const sessions = `/api/service/teams/${teamId}/projects/${projectId}/portal/sessions`;
  const { sessionId, token } = await service.createLink({ ttlMs: 60_000 });
  const revoke = () => service.call('DELETE', `${sessions}/${sessionId}`);
  expect([(await revoke()).status, (await revoke()).status]).toEqual([200, 200]);
  expect((await service.call('DELETE', `${sessions}/portal_sess_${'0'.repeat(24)}`)).status).toBe(404);
  const common = { actor: { type: 'key' }, projectId, target: { type: 'portal_session', id: sessionId } };
  const entries = await recorded(service);
  expect(entries).toMatchObject([
    {
      ...common,
      action: 'createPortalSession',
      changes: [
        { field: 'customerId', from: null, to: service.customerId },
        { field: 'ttlMs', from: null, to: 60_000 },
        { field: 'token', from: null, to: null },
      ],
    },
    { ...common, action: 'revokePortalSession', changes: [{ field: 'isRevoked', from: false, to: true }] },
    { ...common, action: 'revokePortalSession', changes: [] },
  ]);
  expect(JSON.stringify(entries)).not.toContain(token);
});

it('records what a customer does as done by the customer, by the API and by forms', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const setup = (key: string) =>
    service.call('POST', `/api/portal/${token}/setup-intent`, {
      as: service.identity.anonymous(),
      headers: { 'idempotency-key': key },
    });
  for (const key of ['one', 'one', 'two']) expect((await setup(key)).status).toBe(200);
  expect((await service.submit(token, '/payment-method')).statusCode).toBe(303);
  const entries = (await recorded(service)).slice(1);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(3);
  for (const entry of entries)
    expect(entry).toMatchObject({
      actor: { type: 'customer', id: service.customerId },
      action: 'createPortalSetupSession',
      projectId: service.scope.projectId,
      target: { type: 'customer', id: service.customerId },
      requestId: 'req_test',
      address: '192.0.2.1',
    });
});

it('records that the processor refused what a customer tried', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const control = new LocalProcessorControl(service.account.url, service.account.secretKey);
  await control.fail({ method: 'POST', path: '/v1/checkout/sessions', mode: '400', times: 1 });
  expect((await service.submit(token, '/payment-method')).statusCode).toBe(502);
  expect((await recorded(service)).slice(1)).toMatchObject([
    {
      actor: { type: 'customer', id: service.customerId },
      action: 'createPortalSetupSession',
      target: { type: 'customer', id: service.customerId },
      outcome: 'refused',
    },
  ]);
});

it('records a link once, however often its request is repeated', async () => {
  await using service = await startService();
  for (let count = 0; count < 3; count += 1)
    expect((await service.createSession({}, { 'idempotency-key': 'once' })).statusCode).toBe(201);
  expect(await recorded(service)).toHaveLength(1);
});
