import { afterAll, beforeAll, expect, it } from 'vitest';
import { objectOf, startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';

const ITEMS = 12;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Subscribes the customer of a new project to twelve prices of 29.99, and returns the event of that. */
async function subscribe() {
  const project = await startProject(service);
  const { scope, customer } = project;
  const prices = await Promise.all(Array.from({ length: ITEMS }, () => service.createPrice({}, scope)));
  const { id } = await service.account.dashboard.subscriptions.create({
    customer: customer.processorCustomerId,
    items: prices.map(({ price }) => ({ price: price.processorPriceId })),
    payment_behavior: 'default_incomplete',
  });
  const events = await service.account.events(scope, 'customer.subscription.created');
  const event = events.find(one => objectOf(one)['id'] === id);
  if (!event) throw new Error('The processor sent no event of the subscription.');
  return { ...project, id, event };
}

it('counts all items of a subscription whose event cuts them', async () => {
  const { event, published, id } = await subscribe();
  expect(objectOf(event)).toMatchObject({ items: { has_more: true, data: { length: 10 } } });
  await service.deliver(event);
  const [created] = await published();
  expect(created?.data).toMatchObject({ processorSubscriptionId: id, items: { length: ITEMS } });
});

it('takes what the event has of a subscription that is gone at the processor', async () => {
  const { event, published } = await subscribe();
  const object = { ...objectOf(event), id: 'sub_gone' };
  await service.deliver({ ...event, data: { ...Object(event.data), object } });
  expect((await published())[0]?.data).toMatchObject({ items: { length: 10 } });
});
