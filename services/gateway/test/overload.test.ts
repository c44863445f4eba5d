import { expect, it } from 'vitest';
import { startGateway } from './start-gateway.ts';

it('rejects only writes to its own tables while overloaded', async () => {
  let isOverloaded = false;
  await using gateway = await startGateway({ isOverloaded: () => isOverloaded });
  const { owner, teamPath, path, createKey } = await gateway.createTenant();
  const { id, bearer } = await createKey();

  isOverloaded = true;
  const rejected = await owner.call('POST', '/api/service/teams', { name: 'Next' });
  expect(rejected).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  expect(rejected.headers.get('retry-after')).toBe('5');
  expect((await owner.call('PATCH', path, { name: 'Store' })).status).toBe(503);
  expect((await gateway.call('POST', '/api/service/teams', { body: { name: 'Next' } })).status).toBe(401);

  const { body } = await owner.call('GET', `${teamPath}/projects`);
  expect(body).toMatchObject({ projects: [{ name: 'Shop' }] });
  expect((await gateway.call('GET', '/health/ready')).status).toBe(200);
  await gateway.signUp();
  const product = { body: { name: 'Pro' }, headers: bearer };
  expect((await gateway.call('POST', `${path}/products`, product)).status).toBe(200);
  expect(gateway.services.catalog.received).toHaveLength(1);
  expect((await owner.call('DELETE', `${path}/api-keys/${id}`)).status).toBe(200);

  isOverloaded = false;
  expect((await owner.call('POST', '/api/service/teams', { name: 'Next' })).status).toBe(201);
});
