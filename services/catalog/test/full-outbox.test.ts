import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { startCatalog } from './harness.ts';

it('refuses writes while its outbox is full, answers reads, and takes writes once it has drained', async () => {
  await using catalog = await startCatalog({ highWater: 2 });
  const product = await catalog.createProduct({ name: 'Pro' });
  await catalog.heard();
  // Facts that a relay has claimed and is stuck with.
  await catalog.em.execute(
    `insert into outbox_events (id, type, team_id, data, trace, occurred_at, claimed_until)
     select gen_random_uuid(), 'test.counted.v1', 'team', '{}', '{}', now(), now() + interval '1 hour'
       from generate_series(1, 3)`,
  );
  await waitFor(catalog.backlog.isOverloaded, { what: 'the outbox to be full' });

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

  await catalog.em.execute('update outbox_events set claimed_until = null where published_at is null');
  await waitFor(() => !catalog.backlog.isOverloaded(), { what: 'the outbox to count as drained' });
  const created = await create();
  expect(created).toMatchObject({ status: 201, body: { product: { name: 'Team' } } });
  expect(created.headers).not.toHaveProperty('idempotent-replayed');
});
