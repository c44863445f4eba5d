import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { newMonthlyPrice, type Tenant } from '../../system/tenant.ts';
import { expectInvariants } from '../invariants/expect-invariants.ts';
import { watchFinality } from '../invariants/finality.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { forEachConcurrently, postEvent, redeliver } from '../system/sender.ts';
import type { SentEvent } from '../system/sent-requests.ts';
import {
  holdDeliveries,
  newBuyer,
  parseEvent,
  subscribe,
  withCreated,
  readStripeEvents,
  RECONCILER_OFF,
} from './history.ts';

const random = seededRandom('order of a subscription');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem({ env: { webhooks: RECONCILER_OFF } });
});
afterAll(() => system?.[Symbol.asyncDispose]());

type EventType = 'checkout.session.completed' | `customer.subscription.${'created' | 'updated' | 'deleted'}`;

describe.each([
  ['in the same second', 0],
  ['a second apart', 1],
])('events created %s', (_when, secondsApart) => {
  it('lead to the same state in every order of created, updated and completed checkout', async context => {
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

  it('lead to a canceled subscription in every order of created, updated and deleted', async context => {
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

/** Posts three events, created `secondsApart`, in each of their six orders; each order gets a subscription of its own. */
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

    const history = (await readStripeEvents(tenant)).filter(event => isAbout(event, id));
    const firstCreated = Math.floor(Date.now() / 1_000) - 10;
    const three = types.map((type, index) => {
      const event = history.find(candidate => candidate.type === type);
      if (!event) throw new Error(`The processor created no ${type} event.`);
      return withCreated(event, firstCreated + index * secondsApart);
    });
    events.push(...three);
    for (const event of order.flatMap(index => three[index] ?? [])) await postEvent(system.gatewayUrl, tenant, event);
  }
  await expectInvariants(context, tenant, events);
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

describe('two changes in the same second', () => {
  it('end in the processor’s state, whichever is delivered first', async context => {
    const { tenant, events } = await createTies(5, 10);
    await deliverShuffled(tenant, events);
    await expectInvariants(context, tenant, events);
  });

  it('end in the processor’s state after the processor was down during delivery', async context => {
    const { tenant, events } = await createTies(5, 2);
    const faults = 1_000_000;
    await tenant.processor.fail({ path: '/v1/', method: 'GET', mode: 'dropped', times: faults });
    await deliverShuffled(tenant, events);
    await waitFor(async () => (await tenant.processor.faults()).some(({ times }) => times < faults), {
      what: 'a call to the unavailable processor',
    });
    await tenant.processor.clearFaults();
    await expectInvariants(context, tenant, events);
  });
});

/** Changes subscriptions and customers so that every two changes share a second, and returns the events. */
async function createTies(subscriptions: number, tiesEach: number): Promise<{ tenant: Tenant; events: SentEvent[] }> {
  const tenant = await holdDeliveries(await system.newTenant());
  const { priceId } = await newMonthlyPrice(tenant);
  const ids: string[] = [];
  for (let count = 0; count < subscriptions; count += 1) {
    const buyer = await newBuyer(tenant);
    ids.push(buyer.processorCustomerId, await subscribe(buyer, priceId));
  }
  const before = new Set((await readStripeEvents(tenant)).map(({ id }) => id));
  for (const id of ids)
    for (let change = 1; change <= 2 * tiesEach; change += 1)
      await (id.startsWith('cus_') ? rename(tenant, id, `Ada ${change}`) : changeQuantity(tenant, id, 1 + change));
  const changed = (await readStripeEvents(tenant)).filter(({ id }) => !before.has(id));
  const changes = ids.map(id => changed.filter(event => isAbout(event, id)));
  const firstCreated = Math.floor(Date.now() / 1_000) - tiesEach;
  const events = changes.flatMap(all =>
    all.map((event, index) => withCreated(event, firstCreated + Math.floor(index / 2))),
  );
  return { tenant, events };
}

async function deliverShuffled(tenant: Tenant, events: SentEvent[]): Promise<void> {
  await forEachConcurrently(random.shuffled(events), event => postEvent(system.gatewayUrl, tenant, event), 8);
  await redeliver(system.gatewayUrl, tenant, events);
}

async function changeQuantity({ callProcessor }: Tenant, id: string, quantity: number): Promise<void> {
  const { items } = await callProcessor(`/v1/subscriptions/${id}`);
  await callProcessor(`/v1/subscriptions/${id}`, {
    'items[0][id]': items.data[0].id,
    'items[0][quantity]': `${quantity}`,
  });
}

const rename = ({ callProcessor }: Tenant, id: string, name: string) => callProcessor(`/v1/customers/${id}`, { name });

/** Returns whether an event is of this object, or of the checkout that created this subscription. */
function isAbout(event: SentEvent, id: string): boolean {
  const { object } = parseEvent(event).data;
  return object.id === id || object.subscription === id;
}
