import { startReceiver } from '@billing/testing/receiver';
import { mapConcurrently } from '../../system/map-concurrently.ts';
import { waitFor } from '@billing/testing/wait-for';
import { ok } from '../../system/http.ts';
import { newCustomer, newEmail } from '../../system/tenant.ts';
import { postEvent, redeliver } from '../system/sender.ts';
import { newProcessorId, subscriptionEvent, webhookEvent } from '../system/webhook-events.ts';
import { again, caller, type Noise, type Stage } from './noise.ts';

const now = () => Math.floor(Date.now() / 1_000);
const MEBIBYTE = 1_024 ** 2;
const SUBSCRIPTIONS_OF_ONE = 1_500;
const CUSTOMERS = 2_000;

/** Makes customers by events, as an import does; returns their ids at the processor. */
async function importCustomers({ system, noisy }: Stage, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newProcessorId('cus'));
  const events = ids.map(id => {
    const object = { id, object: 'customer', email: newEmail(), name: 'Grace', created: now(), metadata: {} };
    return webhookEvent('customer.created', { ...object, metadata: { projectId: noisy.projectId } }, now());
  });
  await redeliver(system.gatewayUrl, noisy, events);
  return ids;
}

/** Gives one customer so many subscriptions; returns our id of the customer. */
async function importSubscriptions({ system, noisy }: Stage, count: number): Promise<string> {
  const customerId = await newCustomer(noisy);
  const { processorCustomerId: customer } = await noisy.billing.customers.get(customerId);
  const events = Array.from({ length: count }, () => {
    const state = { id: newProcessorId('sub'), customer, projectId: noisy.projectId, startedAt: now() - 60 };
    return subscriptionEvent('created', { ...state, status: 'active', quantity: 1 }, now() - 60);
  });
  await redeliver(system.gatewayUrl, noisy, events);
  return customerId;
}

/** Adds an endpoint of the team; returns its id. */
async function addEndpoint({ noisy }: Stage, url: string): Promise<string> {
  const { webhookEndpoint } = await ok(noisy.api.post(`${noisy.P}/webhook-endpoints`, { url, eventTypes: ['*'] }), 201);
  return webhookEndpoint.id as string;
}

const postAgain = (stage: Stage, signal: AbortSignal, next: (turn: number) => ReturnType<typeof webhookEvent>) =>
  again(16, signal, async (_caller, turn) => {
    const status = await postEvent(stage.system.gatewayUrl, stage.noisy, next(turn));
    stage.seen.note(status);
    return status;
  });

/** Every kind that was found to trouble others once, each as hard as the limits of a team let it. */
export const NOISES: readonly Noise[] = [
  {
    name: 'S75: events of a mebibyte, each of another object',
    async prepare(stage) {
      const description = 'x'.repeat(MEBIBYTE - 4_096);
      const { projectId } = stage.noisy;
      const invoice = () => ({ id: newProcessorId('in'), object: 'invoice', description, metadata: { projectId } });
      return signal => postAgain(stage, signal, () => webhookEvent('invoice.updated', invoice(), now()));
    },
  },
  {
    name: 'S76: metadata of a mebibyte, of one customer',
    async prepare(stage) {
      const { processorCustomerId: id } = await stage.noisy.billing.customers.get(await newCustomer(stage.noisy));
      const big = { projectId: stage.noisy.projectId, big: 'x'.repeat(MEBIBYTE - 4_096) };
      const customer = { id, object: 'customer', email: newEmail(), name: 'Grace', created: now(), metadata: big };
      return signal => postAgain(stage, signal, () => webhookEvent('customer.updated', customer, now()));
    },
  },
  {
    name: 'S77: three hundred waiting reads of events, half of which hang up',
    prepare: async stage => signal =>
      again(300, signal, (index, turn) => {
        const hangsUp = index % 2 === 0 && turn % 2 === 0;
        const end = hangsUp ? AbortSignal.any([signal, AbortSignal.timeout(1_000)]) : signal;
        return caller(stage, end)('GET', '/events?waitMs=20000&since=2090-01-01T00:00:00.000Z');
      }),
  },
  {
    name: 'S78: ten recoveries, syncs and exports at once',
    async prepare(stage, resources) {
      const receiver = resources.use(await startReceiver(() => 500));
      const endpoint = await addEndpoint(stage, receiver.url);
      await importCustomers(stage, CUSTOMERS);
      return signal =>
        again(10, signal, async index => {
          const call = caller(stage, signal);
          if (index < 6)
            return call('POST', `/webhook-endpoints/${endpoint}/recover`, {
              since: '2026-01-01T00:00:00.000Z',
              only: 'all',
            });
          if (index < 8) return call('POST', '/syncs', { mode: 'report', filter: { metadata: { app: 'shop' } } });
          return call('GET', '/customers?limit=100&offset=1900');
        });
    },
  },
  {
    name: 'S81: sends by hand to an endpoint that fails',
    async prepare(stage, resources) {
      const receiver = resources.use(await startReceiver(() => 500));
      const endpoint = await addEndpoint(stage, receiver.url);
      await newCustomer(stage.noisy);
      const events = await waitFor(
        async () => {
          const listed = await ok(stage.noisy.api.get(`${stage.noisy.P}/events`));
          return listed.events.length > 0 && listed.events;
        },
        { what: 'an event to be published' },
      );
      return signal =>
        again(10, signal, () =>
          caller(stage, signal)('POST', `/webhook-endpoints/${endpoint}/send`, { eventId: events[0].id }),
        );
    },
  },
  {
    name: 'S82: twenty endpoints that keep their connections open',
    async prepare(stage, resources) {
      const headers = { 'keep-alive': 'timeout=600' };
      await mapConcurrently(Array.from({ length: 20 }), async () => {
        const receiver = resources.use(await startReceiver(() => ({ status: 204, headers })));
        await addEndpoint(stage, receiver.url);
      });
      return signal =>
        again(4, signal, () => caller(stage, signal)('POST', '/customers', { email: newEmail(), name: 'Grace' }));
    },
  },
  {
    name: 'S83: a hundred reads of the state of a customer with 1,500 subscriptions',
    async prepare(stage) {
      const customerId = await importSubscriptions(stage, SUBSCRIPTIONS_OF_ONE);
      return signal => again(100, signal, () => caller(stage, signal)('GET', `/customers/${customerId}/state`));
    },
  },
  {
    name: 'S84: changes of a feature that thousands of customers have',
    async prepare(stage) {
      const { billing, P, api } = stage.noisy;
      await billing.features.create({ key: 'seats', name: 'Seats', type: 'limit' });
      const customers = await importCustomers(stage, CUSTOMERS);
      const product = await billing.products.create({ name: 'Pro' });
      const events = customers.map(customer => {
        const state = { id: newProcessorId('sub'), customer, projectId: stage.noisy.projectId, startedAt: now() - 60 };
        return subscriptionEvent('created', { ...state, status: 'active', quantity: 1 }, now() - 60);
      });
      await redeliver(stage.system.gatewayUrl, stage.noisy, events);
      await ok(api.put(`${P}/products/${product.id}/features/seats`, { value: 1 }));
      return signal =>
        again(2, signal, (_caller, turn) =>
          caller(stage, signal)('PUT', `/products/${product.id}/features/seats`, { value: turn + 2 }),
        );
    },
  },
  {
    name: 'S85: endpoints that answer after fifteen seconds',
    async prepare(stage, resources) {
      const slow = () => new Promise<number>(resolve => void setTimeout(resolve, 14_900, 204));
      const receiver = resources.use(await startReceiver(slow));
      await mapConcurrently(Array.from({ length: 20 }), (_, index) => addEndpoint(stage, `${receiver.url}/${index}`));
      return signal =>
        again(4, signal, () => caller(stage, signal)('POST', '/customers', { email: newEmail(), name: 'Grace' }));
    },
  },
  {
    name: 'S87: ten searches at once',
    async prepare(stage) {
      await importCustomers(stage, CUSTOMERS);
      const lists = [
        'customers?search=race',
        'customers?search=example',
        'customers?search=zzz',
        'customers?offset=1500',
      ];
      return signal =>
        again(10, signal, index => caller(stage, signal)('GET', `/${lists[index % lists.length] ?? ''}&limit=100`));
    },
  },
  {
    name: 'ordinary calls, as many as a key may make',
    async prepare(stage) {
      await importCustomers(stage, 200);
      return signal =>
        again(8, signal, (index, turn) => {
          const call = caller(stage, signal);
          if (turn % 4 === 0) return call('POST', '/customers', { email: newEmail(), name: 'Grace' });
          return call('GET', ['/customers', '/subscriptions', '/products', '/events'][index % 4] ?? '');
        });
    },
  },
];
