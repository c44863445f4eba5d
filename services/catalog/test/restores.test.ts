import { expect, it } from 'vitest';
import { startCatalog } from './start-catalog.ts';

it.each([
  ['in order', (events: unknown[]) => events],
  ['with the price first', (events: unknown[]) => events.toReversed()],
])('gives products and prices their ids again that a restored backup lacks, %s', async (_name, order) => {
  await using catalog = await startCatalog();
  const product = await catalog.createProduct();
  const price = await catalog.createPrice(product.id);
  const events = await catalog.events();
  const sql = catalog.em.fork();
  for (const table of ['prices', 'products']) await sql.execute(`delete from ${table}`);
  await sql.execute(`insert into restores (restored_at, taken_at) values (now(), now() - interval '5 minutes')`);
  for (const event of order(events) as typeof events) await catalog.deliver(event);
  const { createdAt: _product, ...sameProduct } = product;
  const { createdAt: _price, ...samePrice } = price;
  expect((await catalog.call('GET', '/products')).body.products).toMatchObject([sameProduct]);
  expect((await catalog.call('GET', '/prices')).body.prices).toMatchObject([samePrice]);
});
