import { expect, it } from 'vitest';
import { startCatalog } from './start-catalog.ts';

it('publishes each change of products and prices for tenants once, as GET returned them then', async () => {
  await using catalog = await startCatalog();
  const shown: unknown[] = [];
  const look = async (path: string) => shown.push((await catalog.call('GET', path)).body);
  const product = `/products/${(await catalog.call('POST', '/products', { body: { name: 'Pro' } })).body.product.id}`;
  await look(product);
  const wanted = { productId: product.split('/').at(-1), unitAmount: 2_999, currency: 'usd', interval: 'month' };
  const price = `/prices/${(await catalog.call('POST', '/prices', { body: wanted })).body.price.id}`;
  await look(price);
  await catalog.call('PATCH', product, { body: { name: 'Pro plus' } });
  await look(product);
  // Nothing changes, neither by a request nor by the events about what was written here.
  await catalog.call('PATCH', product, { body: { name: 'Pro plus' } });
  await catalog.deliver(...(await catalog.events()));
  await catalog.call('PATCH', price, { body: { isActive: false } });
  await look(price);
  await catalog.call('DELETE', price);
  await catalog.call('DELETE', product);

  const changes = await catalog.publicEvents();
  expect(changes.map(({ type, object }) => [type, object.sequence])).toEqual([
    ['product.created', 1],
    ['price.created', 1],
    ['product.updated', 2],
    ['price.updated', 2],
    ['price.deleted', 3],
    ['product.deleted', 3],
  ]);
  expect(changes.slice(0, 4).map(({ data }) => data)).toEqual(shown);
  expect(changes.map(({ previousAttributes }) => previousAttributes)).toEqual([
    null,
    null,
    { name: 'Pro' },
    { isActive: true },
    {},
    {},
  ]);
});
