import { AuditRecorded } from '@billing/contracts/events/audit';
import { GrantSaved } from '@billing/contracts/events/features';
import { FindFeature } from '@billing/contracts/rpc/calls';
import { expect, it } from 'vitest';
import { startCustomers } from './start-customers.ts';

/** Starts the service beside a catalog whose one feature is `seats`. */
async function start() {
  const service = await startCustomers();
  const seats = { key: 'seats', type: 'limit', values: null, merge: 'max', isActive: true, version: 1 } as const;
  await service.serve(FindFeature, async ({ projectId, key }) => (key === seats.key ? { projectId, ...seats } : null));
  return service;
}

it('gives a customer a feature, replaces it, lists it and takes it back, and publishes each change once', async () => {
  await using service = await start();
  const { id } = await service.createCustomer();
  const path = `/customers/${id}/grants/seats`;
  const body = { value: 10, expiresAt: '2026-12-31T00:00:00.000Z', note: 'For the migration' };
  const first = { key: 'seats', ...body };
  expect((await service.call('PUT', path, { body })).body).toEqual({ grant: first });
  expect((await service.call('PUT', path, { body })).body).toEqual({ grant: first });
  expect((await service.call('GET', path)).body).toEqual({ grant: first });
  const second = { key: 'seats', value: 'unlimited', expiresAt: null, note: null };
  expect((await service.call('PUT', path, { body: { value: 'unlimited' } })).body).toEqual({ grant: second });
  expect((await service.call('GET', `/customers/${id}/grants`)).body).toEqual({ grants: [second] });
  expect((await service.call('DELETE', path)).body).toEqual({ success: true });
  const gone = { code: 'feature_not_found', message: 'The customer was given no such feature.' };
  for (const method of ['GET', 'DELETE'] as const)
    expect(await service.call(method, path)).toMatchObject({ status: 404, body: { error: gone } });
  const saved = (await service.published(GrantSaved)).map(({ data }) => data);
  const { projectId } = service.scope;
  const state = { projectId, customerId: id, key: 'seats' };
  expect(saved).toEqual([
    { ...state, value: 10, expiresAt: new Date(body.expiresAt), version: 1 },
    { ...state, value: 'unlimited', expiresAt: null, version: 2 },
    { ...state, value: null, expiresAt: null, version: 3 },
  ]);
  const audited = (await service.published(AuditRecorded)).filter(({ data }) => data.action === 'removeGrant');
  expect(audited.map(({ data }) => data.changes)).toEqual([[{ field: 'seats.value', from: 'unlimited', to: null }]]);
});

it('gives only what is defined, to customers of the project, with values that the feature may have', async () => {
  await using service = await start();
  const { id } = await service.createCustomer();
  const put = (customer: string, key: string, value: unknown) =>
    service.call('PUT', `/customers/${customer}/grants/${key}`, { body: { value } });
  expect((await put(id, 'unknown', 1)).body.error.code).toBe('feature_not_found');
  expect((await put(id, 'seats', true)).body.error.code).toBe('feature_value_invalid');
  expect((await put(id, 'seats', -1)).status).toBe(400);
  const body = { value: 1, expiresAt: '0000-01-01T00:00:00Z' };
  expect((await service.call('PUT', `/customers/${id}/grants/seats`, { body })).status).toBe(400);
  expect((await put('pc_0000000000000000000000', 'seats', 1)).body.error.code).toBe('customer_not_found');
  expect(await service.published(GrantSaved)).toEqual([]);
});
