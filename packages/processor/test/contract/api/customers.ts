import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { idOf } from './account.ts';
import { apiCase } from './case.ts';

export const customerCases = [
  apiCase(
    'needs neither name nor e-mail, and clears the name with an empty one',
    async ({ record, stripe, createCustomer, once }) => {
      const { id } = record('customer', await createCustomer({ email: '' }));
      await stripe.customers.update(id, { name: 'Ada', metadata: { kept: '1', gone: '2' } }, once());
      const cleared = await stripe.customers.update(id, { name: '', metadata: { gone: '', fresh: '3' } }, once());
      expect(record('cleared', cleared)).toMatchObject({ name: null, email: null });
      expect(cleared.metadata).toEqual({ kept: '1', fresh: '3' });
    },
  ),

  apiCase('is listed by the exact spelling of its e-mail', async ({ stripe, createCustomer }) => {
    const email = `${randomUUID()}@example.com`;
    const { id } = await createCustomer({ email });
    expect((await stripe.customers.list({ email })).data.map(customer => customer.id)).toEqual([id]);
    expect((await stripe.customers.list({ email: email.toUpperCase() })).data).toEqual([]);
  }),

  apiCase('takes its subscriptions with it when it is deleted', async ({ record, stripe, subscribe, findEvent }) => {
    const subscription = await subscribe();
    const id = idOf(subscription.customer);
    expect(record('deleted', await stripe.customers.del(id))).toMatchObject({ id, deleted: true });
    expect(record('retrieved', await stripe.customers.retrieve(id))).toMatchObject({ id, deleted: true });
    const ended = await stripe.subscriptions.retrieve(subscription.id);
    expect(record('subscription', ended)).toMatchObject({ status: 'canceled', customer: id });
    expect(ended.ended_at).not.toBeNull();
    record('customer.deleted', (await findEvent('customer.deleted', id)).data.object);
    await findEvent('customer.subscription.deleted', subscription.id);
  }),

  apiCase('gets a new payment method for each use of a test card', async ({ record, stripe, createCustomer, once }) => {
    const { id: customer } = await createCustomer();
    const attach = () => stripe.paymentMethods.attach('pm_card_visa', { customer }, once());
    const [first, second] = [record('payment method', await attach()), await attach()];
    expect(first).toMatchObject({ customer, type: 'card', card: { brand: 'visa', last4: '4242' } });
    expect(second.id).not.toBe(first.id);
  }),
];
