import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { waitFor } from '@billing/testing/wait-for';
import { startGateway } from './start-gateway.ts';

it('rejects only writes to its own tables while overloaded', async () => {
  await using gateway = await startGateway({ outboxHighWater: 5 });
  const { owner, teamPath, path, createKey } = await gateway.createTenant();
  const { id, bearer } = await createKey();
  const createTeam = () => owner.call('POST', '/api/service/teams', { name: 'Next' });

  // Another process has leased these events of several teams and does not publish them.
  await gateway.em.fork().execute(
    `insert into outbox_messages (id, type, team_id, body, events, trace, created_at, due_at, lease_id)
     select gen_random_uuid(), 'project.updated.v1', 'team_' || n, '[]', 2, '{}', now(), now() + interval '1 hour', ?
       from generate_series(1, 3) n`,
    [randomUUID()],
  );
  await waitFor(async () => (await createTeam()).status === 503, { what: 'writes to be paused' });
  const rejected = await createTeam();
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

  await gateway.em.fork().execute('delete from outbox_messages where published_at is null');
  await waitFor(async () => (await createTeam()).status === 201, { what: 'writes to resume' });
});
