import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SubscriptionCanceled, SubscriptionUpdated } from '@billing/contracts/events/subscriptions';
import type { Envelope } from '@billing/contracts/event';
import { ProjectId, SubscriptionId } from '@billing/contracts/ids';
import type { Processor } from '@billing/processor/port';
import { scheduleCancellation } from '../src/operations/order-cancellation.ts';
import { deliveredAgain } from '@billing/testing/processor-events';
import { startService, type Service } from './service.ts';

const DAY_SECONDS = 86_400;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

/** A paid subscription, made by a checkout, of which every event has come. */
async function aSubscription({ trialDays }: { trialDays?: number } = {}) {
  const customer = await service.createCustomer();
  const { price } = await service.createPrice();
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  const body = { customerId: customer.id, priceId: price.id, ...urls, ...(trialDays && { trialDays }) };
  const checkout = await service.call('POST', '/checkout', { body });
  await service.control.checkout(checkout.body.sessionId);
  const [mirrored] = await service.processor.listSubscriptions(customer.processorCustomerId);
  if (!mirrored) throw new Error('The checkout made no subscription.');
  const processorId = mirrored.id;
  const events = async () => (await service.processorEvents()).filter(event => isAbout(event, processorId));
  const deliver = async () => {
    for (const event of await events()) await service.receive(event);
  };
  await deliver();
  const list = await service.call('GET', `/subscriptions?customerId=${customer.id}`);
  const id: string = list.body.subscriptions[0].id;
  return {
    id,
    customer,
    processorId,
    deliver,
    events,
    get: async () => (await service.call('GET', `/subscriptions/${id}`)).body.subscription,
    patch: (cancelAtPeriodEnd: boolean) =>
      service.call('PATCH', `/subscriptions/${id}`, { body: { cancelAtPeriodEnd } }),
    remove: () => service.call('DELETE', `/subscriptions/${id}`),
    atProcessor: () => service.processor.findSubscription(processorId),
    said: async () =>
      (await service.said(SubscriptionUpdated, SubscriptionCanceled)).filter(({ data }) => data['id'] === id),
  };
}

function isAbout({ data }: Envelope, processorSubscriptionId: string): boolean {
  const { object } = data as { object: { id: string; subscription?: unknown } }; // an event of the processor has one
  return object.id === processorSubscriptionId || object.subscription === processorSubscriptionId;
}

describe('a cancellation at the end of the period', () => {
  it('leaves the subscription active until the period ends, and can be taken back', async () => {
    const { patch, atProcessor, get } = await aSubscription();
    const scheduled = await patch(true);
    expect(scheduled.status).toBe(200);
    expect(scheduled.body.subscription).toMatchObject({ status: 'active', cancelAtPeriodEnd: true });
    expect(await atProcessor()).toMatchObject({ cancelAtPeriodEnd: true });
    const resumed = await patch(false);
    expect(resumed.body.subscription).toMatchObject({ status: 'active', cancelAtPeriodEnd: false });
    expect(await atProcessor()).toMatchObject({ cancelAtPeriodEnd: false });
    expect(await get()).toEqual(resumed.body.subscription);
  });

  it('can be switched any number of times', async () => {
    const { patch, atProcessor, said } = await aSubscription();
    const before = (await said()).length;
    for (const wanted of [true, false, true, false, true]) {
      expect((await patch(wanted)).body.subscription.cancelAtPeriodEnd).toBe(wanted);
      expect(await atProcessor()).toMatchObject({ cancelAtPeriodEnd: wanted });
    }
    expect(await said()).toHaveLength(before + 5);
  });

  it('may be asked for again, and says nothing when nothing changes', async () => {
    const { patch, said } = await aSubscription();
    await patch(true);
    const before = await said();
    expect((await patch(true)).status).toBe(200);
    expect(await said()).toEqual(before);
  });

  it('becomes an end when the period is over', async () => {
    const { patch, deliver, get } = await aSubscription({ trialDays: 3 });
    await patch(true);
    await service.control.advanceClock(4 * DAY_SECONDS);
    await deliver();
    expect(await get()).toMatchObject({ status: 'canceled' });
  });

  it('is not undone by an event from before it', async () => {
    const { patch, get, deliver, events } = await aSubscription();
    const before = (await events()).map(deliveredAgain);
    await patch(true);
    for (const event of before) await service.receive(event);
    expect(await get()).toMatchObject({ cancelAtPeriodEnd: true });
    await deliver();
    expect(await get()).toMatchObject({ cancelAtPeriodEnd: true });
  });

  it('does not overwrite what an event brought while the processor was answering', async () => {
    const { id, processorId, deliver, get, atProcessor } = await aSubscription();
    // The answer is on its way here when somebody else changes the subscription, and their event arrives first.
    const overtaken: Pick<Processor, 'setCancelAtPeriodEnd'> = {
      async setCancelAtPeriodEnd(...order) {
        const answer = await service.processor.setCancelAtPeriodEnd(...order);
        await service.processor.setCancelAtPeriodEnd(processorId, false, 'somebody-else');
        await deliver();
        return answer;
      },
    };
    const processors = { of: async () => ({ ...service.processor, ...overtaken }) };
    const schedule = scheduleCancellation({ em: service.em, processors });
    const known = SubscriptionId.schema.parse(id);
    expect(await schedule(service.scope, { id: known }, true)).toMatchObject({ cancelAtPeriodEnd: false });
    expect(await get()).toMatchObject({ cancelAtPeriodEnd: false });
    expect(await atProcessor()).toMatchObject({ cancelAtPeriodEnd: false });
  });

  it('reaches us by the event when the process dies between the answer and the commit', async () => {
    const { patch, get, deliver, said } = await aSubscription();
    // The database goes away after the order is counted: the answer comes, and there is nowhere to keep it.
    await service.em.fork().execute(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'gone'; end $$`);
    await service.em.fork().execute(`
      create trigger refuse before update of cancel_at_period_end on subscriptions
        for each row execute function refuse()`);
    expect((await patch(true)).status).toBe(500);
    await service.em.fork().execute(`drop function refuse() cascade`);
    expect(await get()).toMatchObject({ cancelAtPeriodEnd: false });
    await deliver();
    expect(await get()).toMatchObject({ cancelAtPeriodEnd: true });
    expect((await said()).at(-1)?.data).toMatchObject({ cancelAtPeriodEnd: true });
  });

  it('reaches us by the event when the answer is lost', async () => {
    const { patch, get, deliver } = await aSubscription();
    await service.control.fail({ path: '/v1/subscriptions', mode: 'done-but-answer-lost', times: 99 });
    const { status, headers } = await patch(true);
    expect([status, headers['retry-after']]).toEqual([503, '5']);
    await service.control.clearFaults();
    await deliver();
    expect(await get()).toMatchObject({ cancelAtPeriodEnd: true });
  });
});

describe('a cancellation now', () => {
  it('ends the subscription for good, scheduled or not', async () => {
    const { id, patch, remove, get, deliver, said } = await aSubscription();
    await patch(true);
    const { status, body } = await remove();
    expect(status).toBe(200);
    expect(body).toEqual({ subscription: { id, status: 'canceled', cancelAtPeriodEnd: false } });
    expect(await get()).toMatchObject({ status: 'canceled', cancelAtPeriodEnd: false });
    await deliver();
    expect(await get()).toMatchObject({ status: 'canceled', cancelAtPeriodEnd: false });
    expect((await said()).filter(({ type }) => type === SubscriptionCanceled.name)).toHaveLength(1);
  });

  it.each(['PATCH', 'DELETE'] as const)('leaves nothing to %s', async method => {
    const { id, remove } = await aSubscription();
    await remove();
    const body = method === 'PATCH' ? { body: { cancelAtPeriodEnd: false } } : {};
    const answer = await service.call(method, `/subscriptions/${id}`, body);
    expect([answer.status, answer.body.error.code]).toEqual([422, 'subscription_ended']);
  });

  it.each(['PATCH', 'DELETE'] as const)('that we have not heard of is found out by a %s', async method => {
    const { id, processorId, get } = await aSubscription();
    await service.control.end(processorId);
    const body = method === 'PATCH' ? { body: { cancelAtPeriodEnd: true } } : {};
    const answer = await service.call(method, `/subscriptions/${id}`, body);
    expect([answer.status, answer.body.error.code]).toEqual([422, 'subscription_ended']);
    expect(await get()).toMatchObject({ status: 'canceled' });
  });
});

describe('what may not be changed', () => {
  it('is another project’s subscription', async () => {
    const { id, atProcessor } = await aSubscription();
    const of = { ...service.scope, projectId: ProjectId.create() };
    const answers = [
      await service.call('PATCH', `/subscriptions/${id}`, { of, body: { cancelAtPeriodEnd: true } }),
      await service.call('DELETE', `/subscriptions/${id}`, { of }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(await atProcessor()).toMatchObject({ status: 'active', cancelAtPeriodEnd: false });
  });

  it.each([{}, { cancelAtPeriodEnd: 'yes' }, { cancelAtPeriodEnd: true, status: 'active' }])(
    'is anything by %j',
    async body => {
      const { id } = await aSubscription();
      expect((await service.call('PATCH', `/subscriptions/${id}`, { body })).status).toBe(400);
    },
  );
});
