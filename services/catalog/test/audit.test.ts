import { AuditRecorded } from '@billing/contracts/events/audit';
import { expect, it } from 'vitest';
import { startCatalog } from './start-catalog.ts';

const hidden = (field: string) => ({ field, from: null, to: null });

it('records each change of a product and a price with its caller, and no value of metadata', async () => {
  await using catalog = await startCatalog();
  const { projectId } = catalog.scope;
  const product = await catalog.createProduct({ name: 'Pro', metadata: { vat: 'secret-1' } });
  const at = `/products/${product.id}`;
  await catalog.call('PATCH', at, { body: { name: 'Team', description: '', metadata: { vat: 'secret-2' } } });
  const price = await catalog.createPrice(product.id);
  await catalog.call('PATCH', `/prices/${price.id}`, { body: { isActive: false } });
  await catalog.call('DELETE', `/prices/${price.id}`);
  await catalog.call('DELETE', at);

  const entries = (await catalog.published(AuditRecorded)).map(({ data }) => data);
  const [ofProduct, ofPrice] = [
    { type: 'product', id: product.id },
    { type: 'price', id: price.id },
  ];
  expect(entries).toMatchObject([
    {
      action: 'createProduct',
      actor: { type: 'key', id: expect.stringMatching(/^key_/) },
      projectId,
      requestId: 'req_test',
      address: '192.0.2.1',
      target: ofProduct,
      changes: [{ field: 'name', from: null, to: 'Pro' }, hidden('metadata')],
    },
    {
      action: 'updateProduct',
      target: ofProduct,
      changes: [{ field: 'name', from: 'Pro', to: 'Team' }, hidden('metadata')],
    },
    {
      action: 'createPrice',
      target: ofPrice,
      changes: [
        { field: 'productId', from: null, to: product.id },
        { field: 'unitAmount', from: null, to: 2_999 },
        { field: 'currency', from: null, to: 'usd' },
        { field: 'type', from: null, to: 'recurring' },
        { field: 'interval', from: null, to: 'month' },
        { field: 'intervalCount', from: null, to: 1 },
        { field: 'taxBehavior', from: null, to: 'unspecified' },
      ],
    },
    { action: 'updatePrice', target: ofPrice, changes: [{ field: 'isActive', from: true, to: false }] },
    { action: 'deletePrice', target: ofPrice, changes: [] },
    { action: 'deleteProduct', target: ofProduct, changes: [] },
  ]);
  expect(JSON.stringify(entries)).not.toContain('secret-');
});

it('records a change that changes nothing, and none that was invalid or failed', async () => {
  await using catalog = await startCatalog();
  const { id } = await catalog.createProduct({ name: 'Pro', metadata: { a: 'b', longer: 'c' } });
  const at = `/products/${id}`;
  for (const body of [{}, { name: 'Pro', metadata: { longer: 'c', a: 'b' } }])
    expect((await catalog.call('PATCH', at, { body })).status).toBe(200);
  expect((await catalog.call('PATCH', at, { body: { name: '' } })).status).toBe(400);
  await catalog.control.fail({ method: 'POST', path: '/v1/products', mode: '500' });
  expect((await catalog.call('POST', '/products', { body: { name: 'Failed' } })).status).toBe(502);
  const changes = (await catalog.published(AuditRecorded)).slice(1).map(({ data }) => [data.action, data.changes]);
  expect(changes).toEqual([
    ['updateProduct', []],
    ['updateProduct', []],
  ]);
});

it('records a creation that the processor refused, without what is not there', async () => {
  await using catalog = await startCatalog();
  await catalog.control.fail({ method: 'POST', path: '/v1/products', mode: '400' });
  expect((await catalog.call('POST', '/products', { body: { name: 'Refused' } })).status).toBe(502);
  expect((await catalog.published(AuditRecorded)).map(({ data }) => data)).toMatchObject([
    { action: 'createProduct', target: null, outcome: 'refused', changes: [] },
  ]);
});

it('records a creation once, however often its request is repeated', async () => {
  await using catalog = await startCatalog();
  const create = () =>
    catalog.call('POST', '/products', { body: { name: 'Pro' }, headers: { 'idempotency-key': 'once' } });
  await create();
  await create();
  // As after a crash between the commit and the stored response.
  await catalog.em.fork().execute('update idempotent_requests set status = null, due_at = now()');
  expect((await create()).status).toBe(201);
  expect(await catalog.published(AuditRecorded)).toHaveLength(1);
});
