import { expect, it } from 'vitest';
import { startGateway } from './harness.ts';

it('refuses writes of its own while its outbox is full, and goes on with reads, sign-in and what others answer', async () => {
  let isFull = false;
  await using gateway = await startGateway({ isOverloaded: () => isFull });
  const { owner, teamPath, path, newKey } = await gateway.givenProject();
  const { bearer } = await newKey();

  isFull = true;
  const refused = await owner.as('POST', '/api/service/teams', { name: 'Next' });
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  expect(refused.headers.get('retry-after')).toBe('5');
  expect((await owner.as('PATCH', path, { name: 'Store' })).status).toBe(503);
  expect((await gateway.call('POST', '/api/service/teams', { body: { name: 'Next' } })).status).toBe(401);

  const { body } = await owner.as('GET', `${teamPath}/projects`);
  expect(body).toMatchObject({ projects: [{ name: 'Shop' }] });
  expect((await gateway.call('GET', '/health/ready')).status).toBe(200);
  await gateway.signUp();
  const product = { body: { name: 'Pro' }, headers: bearer };
  expect((await gateway.call('POST', `${path}/products`, product)).status).not.toBe(503);
  expect(gateway.services.catalog.seen).toHaveLength(1);

  isFull = false;
  expect((await owner.as('POST', '/api/service/teams', { name: 'Next' })).status).toBe(201);
});
