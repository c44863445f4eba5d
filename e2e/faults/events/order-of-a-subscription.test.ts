import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { newMonthlyPrice, type Tenant } from '../../system/tenant.ts';
import { watchFinality } from '../invariants/finality.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { eachOf, postEvent, redeliver } from '../system/sender.ts';
import type { SentEvent } from '../system/sent.ts';
import { holdDeliveries, newBuyer, readTold, subscribe, toldAt, toldSoFar, WITHOUT_HEALING } from './history.ts';
import { expectPromisesKept } from './kept-promises.ts';

const random = seededRandom('order of a subscription');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem({ env: { webhooks: WITHOUT_HEALING } });
});
afterAll(() => system?.[Symbol.asyncDispose]());

type EventType = 'checkout.session.completed' | `customer.subscription.${'created' | 'updated' | 'deleted'}`;

describe.each([
  ['in one second', 0],
  ['a second apart', 1],
])('events that happened %s', (_when, secondsApart) => {
  it('count alike in each order of the creation, the change and the completed checkout', async context => {
    const types = [
      'customer.subscription.created',
      'checkout.session.completed',
      'customer.subscription.updated',
    ] as const;
    const tenant = await deliverEachPermutation(context, types, secondsApart);

    const { items: subscriptions } = await tenant.billing.subscriptions.list().page();
    expect(subscriptions.map(({ status, quantity }) => `${quantity} ${status}`)).toEqual(Array(6).fill('3 active'));
    const { referralStats } = await tenant.billing.analytics.get();
    expect(referralStats).toMatchObject({ totalReferrals: 6, converted: 6 });
  });

  it('count alike in each order of the creation, the change and the end, which is final', async context => {
    const types = [
      'customer.subscription.created',
      'customer.subscription.updated',
      'customer.subscription.deleted',
    ] as const;
    const tenant = await deliverEachPermutation(context, types, secondsApart);

    const { items: subscriptions } = await tenant.billing.subscriptions.list({ activeOnly: false }).page();
    expect(subscriptions.map(({ status, quantity }) => `${quantity} ${status}`)).toEqual(Array(6).fill('3 canceled'));
    expect(await tenant.billing.analytics.get()).toMatchObject({ mrr: 0, subscriptionBreakdown: { canceled: 6 } });
  });
});

/** One subscription for each order of three of its events, `secondsApart` from each other, each posted in that order. */
async function deliverEachPermutation(
  context: TestContext,
  types: readonly [EventType, EventType, EventType],
  secondsApart: number,
): Promise<Tenant> {
  const tenant = await holdDeliveries(await system.newTenant());
  const { priceId } = await newMonthlyPrice(tenant);
  await tenant.billing.referrals.updateConfig({ enabled: true, referrerCreditAmount: 1, refereeCreditAmount: 1 });
  const { code } = await tenant.billing.referrals.createCode({ customerId: (await newBuyer(tenant)).customerId });
  const events: SentEvent[] = [];
  await using watch = watchFinality(tenant);
  for (const order of PERMUTATIONS_OF_3) {
    const buyer = await newBuyer(tenant);
    await tenant.billing.referrals.apply({ code, refereeCustomerId: buyer.customerId });
    const id = await subscribe(buyer, priceId);
    await changeQuantity(tenant, id, 3);
    if (types.includes('customer.subscription.deleted')) await tenant.processor.end(id);

    const history = (await toldSoFar(tenant)).filter(event => isAbout(event, id));
    const begin = Math.floor(Date.now() / 1_000) - 10;
    const three = types.map((type, index) => {
      const event = history.find(told => told.type === type);
      if (!event) throw new Error(`The processor told of no ${type}.`);
      return toldAt(event, begin + index * secondsApart);
    });
    events.push(...three);
    for (const event of order.flatMap(index => three[index] ?? [])) await postEvent(system.gatewayUrl, tenant, event);
  }
  await expectPromisesKept(context, tenant, events);
  expect(await watch.stop()).toEqual([]);
  return tenant;
}

const PERMUTATIONS_OF_3 = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

describe('two changes of one second', () => {
  it('end as the processor has it, whichever comes first', async context => {
    const { tenant, events } = await liveTies(5, 10);
    await deliverShuffled(tenant, events);
    await expectPromisesKept(context, tenant, events);
  });

  it('end as the processor has it once it is back, when it was down as they came', async context => {
    const { tenant, events } = await liveTies(5, 2);
    const faults = 1_000_000;
    await tenant.processor.fail({ path: '/v1/', method: 'GET', mode: 'dropped', times: faults });
    await deliverShuffled(tenant, events);
    await waitFor(async () => (await tenant.processor.faults()).some(({ times }) => times < faults), {
      what: 'the processor to be asked in vain',
      timeoutMs: 60_000,
    });
    await tenant.processor.clearFaults();
    const healedAt = performance.now();
    // A minute is promised; how long it took is printed, since the machine may be busy with other things.
    await expectPromisesKept(context, tenant, events);
    console.log(`converged ${((performance.now() - healedAt) / 1_000).toFixed(1)} s after the processor came back`);
  });
});

/** Subscriptions whose quantity is changed, and customers whose name is, twice in one second, many times over. */
async function liveTies(subscriptions: number, tiesEach: number): Promise<{ tenant: Tenant; events: SentEvent[] }> {
  const tenant = await holdDeliveries(await system.newTenant());
  const { priceId } = await newMonthlyPrice(tenant);
  const ids: string[] = [];
  for (let count = 0; count < subscriptions; count += 1) {
    const buyer = await newBuyer(tenant);
    ids.push(buyer.processorCustomerId, await subscribe(buyer, priceId));
  }
  const before = new Set((await toldSoFar(tenant)).map(({ id }) => id));
  for (const id of ids)
    for (let change = 1; change <= 2 * tiesEach; change += 1)
      await (id.startsWith('cus_') ? rename(tenant, id, `Ada ${change}`) : changeQuantity(tenant, id, 1 + change));
  const told = (await toldSoFar(tenant)).filter(({ id }) => !before.has(id));
  const changes = ids.map(id => told.filter(event => isAbout(event, id)));
  const begin = Math.floor(Date.now() / 1_000) - tiesEach;
  const events = changes.flatMap(all => all.map((event, index) => toldAt(event, begin + Math.floor(index / 2))));
  return { tenant, events };
}

async function deliverShuffled(tenant: Tenant, events: SentEvent[]): Promise<void> {
  await eachOf(random.shuffled(events), event => postEvent(system.gatewayUrl, tenant, event), 8);
  await redeliver(system.gatewayUrl, tenant, events);
}

async function changeQuantity({ askProcessor }: Tenant, id: string, quantity: number): Promise<void> {
  const { items } = await askProcessor(`/v1/subscriptions/${id}`);
  await askProcessor(`/v1/subscriptions/${id}`, {
    'items[0][id]': items.data[0].id,
    'items[0][quantity]': `${quantity}`,
  });
}

const rename = ({ askProcessor }: Tenant, id: string, name: string) => askProcessor(`/v1/customers/${id}`, { name });

/** Whether it is the event of an object, or of the checkout that made a subscription. */
function isAbout(event: SentEvent, id: string): boolean {
  const { object } = readTold(event).data;
  return object.id === id || object.subscription === id;
}
