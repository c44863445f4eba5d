import { CustomerUpdated } from '@billing/contracts/events/customers';
import { expect, it } from 'vitest';
import { startCustomers } from './start-customers.ts';

it('publishes each change for tenants once, no new balance or discount, with the customer as GET returned it then', async () => {
  await using customers = await startCustomers();
  const shown: unknown[] = [];
  const { id, processorCustomerId } = await customers.createCustomer({ email: 'ada@example.com', name: 'Ada' });
  const look = async () => shown.push((await customers.call('GET', `/customers/${id}`)).body.customer);
  await look();
  await customers.call('PATCH', `/customers/${id}`, { body: { name: 'Grace', metadata: { plan: 'pro' } } });
  await look();
  // Nothing changes, neither by a request nor by the events about what was written here.
  await customers.call('PATCH', `/customers/${id}`, { body: { name: 'Grace' } });
  await customers.deliver(...(await customers.events()));
  await customers.processor.updateCustomer(processorCustomerId, { name: 'Rear Admiral' }, 'key');
  await customers.deliver(...(await customers.events('customer.updated')));
  await look();
  const balance = { amount: -500, currency: 'usd', description: 'Sorry', metadata: {} };
  await customers.processor.createBalanceTransaction(processorCustomerId, balance, 'credit');
  await customers.deliver(...(await customers.events('customer.updated')));
  expect((await customers.published(CustomerUpdated)).at(-1)?.data.balance).toEqual({ credit: 500, currency: 'usd' });
  const { id: coupon } = await customers.dashboard.coupons.create({ percent_off: 50, duration: 'forever' });
  const discount = await customers.control.discountCustomer(processorCustomerId, coupon);
  await customers.deliver(...(await customers.events('customer.updated')));
  expect((await customers.published(CustomerUpdated)).at(-1)?.data.discountId).toBe(discount?.id);
  expect((await customers.call('GET', `/customers/${id}`)).body.customer).toEqual(shown.at(-1));
  await customers.call('DELETE', `/customers/${id}`);

  const changes = await customers.publicEvents();
  expect(changes.map(({ type, object }) => [type, object.sequence])).toEqual([
    ['customer.created', 1],
    ['customer.updated', 2],
    ['customer.updated', 3],
    ['customer.deleted', 4],
  ]);
  expect(changes.slice(0, 3).map(({ data }) => data)).toEqual(shown);
  expect(changes.map(({ previousAttributes }) => previousAttributes)).toMatchObject([
    null,
    { name: 'Ada', metadata: {} },
    { name: 'Grace' },
    {},
  ]);
  expect(changes.map(({ cause }) => cause.type)).toEqual(['api', 'api', 'processor', 'api']);
  expect(changes.at(-1)?.data).toMatchObject({ id, email: null, metadata: {} });
  expect(JSON.stringify(changes.at(-1))).not.toMatch(/ada@example|Admiral|"pro"/);
});
