import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PriceCreated } from '@billing/contracts/events/catalog';
import { SubscriptionUpdated } from '@billing/contracts/events/subscriptions';
import { SubscriptionChangeId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { deliveredAgain } from '@billing/testing/processor-events';
import { basisOf, followedOf, scheduleMetadata } from '../src/record/schedule.rules.ts';
import { buySubscription } from './buy-subscription.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

/** Buys two seats; all of its events have been delivered. */
async function buySeats({ knowsPrice = true } = {}) {
  const [{ price }, { price: other }] = [await service.createPrice(), await service.createPrice({ unitAmount: 999 })];
  const otherCreated = newEvent(PriceCreated, service.scope.teamId, other);
  if (knowsPrice) await service.deliver(otherCreated);
  const bought = await buySubscription(service, { priceId: price.id, quantity: 2 });
  return {
    ...bought,
    price,
    other,
    otherCreated,
    publicEvents: async () => (await service.publicEvents()).filter(({ object }) => object.id === bought.id),
    published: async () => (await service.published(SubscriptionUpdated)).filter(({ data }) => data.id === bought.id),
  };
}

const KEPT = { discounts: [], metadata: {}, proration: 'none' } as const;

/** Schedules a change at the processor as this service does it. */
async function schedule({ processorId, price, other }: Awaited<ReturnType<typeof buySeats>>) {
  const { processor, scope } = service;
  const snapshot = await processor.findSubscription(processorId);
  const { currentPeriodStart: startsAt, currentPeriodEnd: endsAt } = snapshot;
  const { id } = await processor.createSchedule(processorId, processorId);
  const phases = [
    { ...KEPT, items: [{ priceId: price.processorPriceId, quantity: 2 }], startsAt, endsAt },
    { ...KEPT, items: [{ priceId: other.processorPriceId, quantity: 3 }] },
  ];
  const from = basisOf(followedOf(snapshot));
  const changeId = SubscriptionChangeId.create();
  await processor.setPhases(
    id,
    phases,
    scheduleMetadata(scope, { id: changeId, from, removedDiscountIds: [] }),
    `${processorId}-phases`,
  );
  return { id, changeId, endsAt };
}

describe('a schedule of ours at the processor', () => {
  it.each([['as they come'], ['the newest first'], ['twice']])('shows its change, with events %s', async order => {
    const bought = await buySeats();
    const before = (await bought.events()).length;
    const { changeId, endsAt } = await schedule(bought);
    const events = (await bought.events()).slice(before);
    const delivered =
      order === 'twice'
        ? [...events, ...events.map(deliveredAgain)]
        : order === 'as they come'
          ? events
          : events.toReversed();
    for (const event of delivered) await service.deliver(event);
    const { id: priceId, processorPriceId } = bought.other;
    const items = [{ priceId, processorPriceId, quantity: 3 }];
    expect(await bought.get()).toMatchObject({
      quantity: 2,
      scheduledChange: { id: changeId, items, effectiveAt: endsAt.toISOString() },
    });
    expect((await bought.published()).at(-1)?.data.scheduledChange).toEqual({
      id: changeId,
      items,
      effectiveAt: endsAt,
    });
  });

  it('gets the id of a price that becomes known later', async () => {
    const bought = await buySeats({ knowsPrice: false });
    await schedule(bought);
    await bought.deliverEvents();
    expect((await bought.get()).scheduledChange.items).toMatchObject([{ priceId: null, quantity: 3 }]);
    await service.deliver(bought.otherCreated);
    expect((await bought.get()).scheduledChange.items).toMatchObject([{ priceId: bought.other.id, quantity: 3 }]);
  });

  it('is found by a sync, and what was missed of it', async () => {
    const bought = await buySeats();
    const first = await schedule(bought);
    const ofSubscription = (await bought.events()).findLast(({ type }) => type.includes('customer.subscription.'));
    if (!ofSubscription) throw new Error('The subscription has no event.');
    const sync = () => {
      const again = deliveredAgain(ofSubscription);
      return service.deliver({ ...again, data: { ...Object(again.data), fromSync: true } });
    };
    await sync();
    expect((await bought.get()).scheduledChange).toMatchObject({ id: first.changeId });
    const [id, from] = [SubscriptionChangeId.create(), 'another plan'];
    const { phases } = await service.processor.findSchedule(first.id);
    const kept = phases.map(({ items, startsAt, endsAt }) => ({ items, startsAt, endsAt, ...KEPT }));
    const metadata = scheduleMetadata(service.scope, { id, from, removedDiscountIds: [] });
    await service.processor.setPhases(first.id, kept, metadata, `${first.id}-again`);
    await sync();
    expect((await bought.get()).scheduledChange).toMatchObject({ id });
  });

  it('shows nothing once it is released, also where no events about schedules are sent', async () => {
    const bought = await buySeats();
    const { id } = await schedule(bought);
    await bought.deliverEvents();
    await service.account.dashboard.subscriptionSchedules.release(id);
    for (const event of await bought.events())
      if (event.type.includes('customer.subscription.')) await service.deliver(event);
    expect(await bought.get()).toMatchObject({ scheduledChange: null });
  });

  it('shows nothing once its change has taken effect, which is told once', async () => {
    const bought = await buySeats();
    await schedule(bought);
    await bought.deliverEvents();
    const before = (await bought.publicEvents()).length;
    await service.control.advanceClock(32 * 86_400);
    await bought.deliverEvents();
    expect(await bought.get()).toMatchObject({ scheduledChange: null, quantity: 3, priceId: bought.other.id });
    const told = (await bought.publicEvents())
      .slice(before)
      .filter(({ previousAttributes }) => previousAttributes?.['scheduledChange']);
    expect(told).toMatchObject([{ type: 'subscription.updated', previousAttributes: { quantity: 2 } }]);
  });
});

it('shows nothing of a schedule that somebody else has made, nor reads anything because of it', async () => {
  const bought = await buySeats();
  const { id } = await service.processor.createSchedule(bought.processorId, bought.processorId);
  await bought.deliverEvents();
  expect(await bought.get()).toMatchObject({ scheduledChange: null });
  await service.account.dashboard.subscriptionSchedules.update(id, { metadata: { by: 'hand' } });
  const updated = (await bought.events()).find(({ type }) => type === 'processor.subscription_schedule.updated.v1');
  if (!updated) throw new Error('The schedule has no event.');
  await service.control.fail({ method: 'GET', path: '/v1/subscription', mode: '500', times: 99 });
  expect(await service.deliverOnce('subscriptions-schedules', updated)).toBe('ack');
});
