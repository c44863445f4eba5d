import { expect, it } from 'vitest';
import { ProductUpdated } from '@billing/contracts/events/catalog';
import { runs } from '@billing/testing/runs';
import { startCatalog, type Catalog } from './start-catalog.ts';

/** A multiple of four. */
const TIMES = runs(32);

const createPrice = async (catalog: Catalog) => catalog.createPrice((await catalog.createProduct()).id);

it('applies concurrent changes of a product one after the other', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct();
  const changed = await changeAtOnce(catalog, index =>
    catalog.call('PATCH', `/products/${id}`, { body: { name: `name ${index}` } }),
  );
  const here = (await catalog.call('GET', `/products/${id}`)).body.name;
  expect(here).toBe((await catalog.processor.findProduct(processorProductId)).name);
  const versions = (await catalog.published(ProductUpdated)).map(({ data }) => data.version);
  expect(versions.toSorted((a, b) => a - b)).toEqual(changed.map((_, index) => index + 2));
});

it('applies concurrent changes of a price one after the other', async () => {
  await using catalog = await startCatalog();
  const { id, processorPriceId } = await createPrice(catalog);
  await changeAtOnce(catalog, index =>
    catalog.call('PATCH', `/prices/${id}`, { body: { metadata: { plan: `plan ${index}` } } }),
  );
  const here = (await catalog.call('GET', `/prices/${id}`)).body.metadata;
  expect((await catalog.processor.findPrice(processorPriceId)).metadata).toMatchObject(here);
});

/** Sends changes at once, and returns those that took effect; one whose turn did not come in time is in conflict. */
async function changeAtOnce(catalog: Catalog, change: (index: number) => Promise<{ readonly status: number }>) {
  const responses = await Promise.all(Array.from({ length: TIMES }, (_, index) => change(index)));
  expect(responses.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  const changed = responses.filter(({ status }) => status === 200);
  expect(changed.length).toBeGreaterThan(0);
  expect(await countDeadlocks(catalog)).toBe(0);
  return changed;
}

/** PostgreSQL ends a deadlock after a second, which each change would take then. */
async function countDeadlocks({ em }: Catalog): Promise<number> {
  const [row] = await em
    .fork()
    .execute<{ deadlocks: number }[]>(
      'select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()',
    );
  return row?.deadlocks ?? Number.NaN;
}

it.each(['products', 'prices'] as const)('deletes one of the %s once among concurrent changes', async kind => {
  await using catalog = await startCatalog();
  const { id } = kind === 'products' ? await catalog.createProduct() : await createPrice(catalog);
  const responses = await Promise.all(
    Array.from({ length: TIMES }, (_, index) =>
      index % 4 === 3
        ? catalog.call('DELETE', `/${kind}/${id}`)
        : catalog.call('PATCH', `/${kind}/${id}`, { body: { metadata: { index: `${index}` } } }),
    ),
  );
  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter(status => ![200, 404, 409].includes(status))).toEqual([]);
  const deletions = statuses.filter((_, index) => index % 4 === 3);
  expect(deletions.filter(status => status === 200)).toHaveLength(1);
  expect((await catalog.call('GET', `/${kind}/${id}`)).status).toBe(404);
  expect(await catalog.openOperations()).toEqual([]);
});
