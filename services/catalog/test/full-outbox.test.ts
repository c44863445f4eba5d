import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { startCatalog } from './start-catalog.ts';

it('refuses writes while its outbox is full, and serves reads', async () => {
  await using catalog = await startCatalog({ outboxHighWater: 2 });
  await catalog.run();
  const product = await catalog.createProduct({ name: 'Pro' });
  // Events that a stuck relay has leased.
  await catalog.em.execute(
    `insert into outbox_messages (id, type, team_id, body, events, trace, created_at, due_at)
     select gen_random_uuid(), 'test.counted.v1', 'team' || n, '[]', 3, '{}', now(), now() + interval '1 hour'
       from generate_series(1, 3) n`,
  );
  await waitFor(catalog.isOverloaded, { what: 'the outbox to be full' });

  const headers = { 'idempotency-key': 'team-product' };
  const create = () => catalog.call('POST', '/products', { body: { name: 'Team' }, headers });
  const refused = await create();
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  expect(refused.headers['retry-after']).toBe('5');
  const change = await catalog.call('PATCH', `/products/${product.id}`, { body: { name: 'Plus' } });
  expect(change.status).toBe(503);
  expect((await catalog.call('DELETE', `/products/${product.id}`)).status).toBe(503);
  expect(await catalog.call('GET', '/products')).toMatchObject({ status: 200, body: { products: [product] } });
  expect(await catalog.call('GET', `/products/${product.id}`)).toMatchObject({ status: 200, body: { name: 'Pro' } });

  await catalog.em.execute('update outbox_messages set due_at = now() where due_at is not null');
  await waitFor(() => !catalog.isOverloaded(), { what: 'the outbox to count as drained' });
  const created = await create();
  expect(created).toMatchObject({ status: 201, body: { product: { name: 'Team' } } });
  expect(created.headers).not.toHaveProperty('idempotent-replayed');
});
