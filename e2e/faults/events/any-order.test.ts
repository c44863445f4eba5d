import { waitFor } from '@billing/testing/wait-for';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newMonthlyPrice, type Tenant } from '../../system/tenant.ts';
import { expectInvariants } from '../invariants/expect-invariants.ts';
import { watchFinality } from '../invariants/finality.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { randomOf, seededRandom, type Random } from '../system/random.ts';
import { postEvent, redeliver } from '../system/sender.ts';
import { mapConcurrently } from '../../system/map-concurrently.ts';
import type { SentEvent } from '../system/sent-requests.ts';
import { attempt, chosenActions, FIRST_ACTIONS, type ActionName } from './actions.ts';
import {
  holdDeliveries,
  newBuyer,
  parseEvent,
  readStripeEvents,
  RECONCILER_OFF,
  subscribe,
  withCreated,
  type Buyer,
} from './history.ts';
import { newBuyerOf, ORIGINS, refer, type Origin } from './known-buyers.ts';
import { newPrices } from './prices.ts';

const RUNS = Number(process.env['ANY_ORDER_RUNS'] ?? 10);
const ACTION_NAMES = chosenActions(process.env['ANY_ORDER_ACTIONS']);

interface History {
  readonly origin: Origin;
  readonly actions: readonly ActionName[];
}

/** Two or three histories of a few kinds of actions: actions that belong together, as a dispute and its end, meet then. */
const someHistories = fc
  .subarray(ACTION_NAMES, { minLength: Math.min(6, ACTION_NAMES.length), maxLength: 8 })
  .chain(names => {
    const actions = fc.array(fc.constantFrom(...names), { minLength: 3, maxLength: 8 });
    const origin = fc.oneof(fc.constant('unknown' as const), fc.constantFrom(...ORIGINS));
    return fc.array(fc.record({ origin, actions }), { minLength: 2, maxLength: 3 });
  });

/** Events of another product are foreign after three attempts. */
const ROUTING = { ROUTING_PAUSES_SECONDS: '0.3,0.3' };

const random = seededRandom('any order');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem({ env: { webhooks: { ...RECONCILER_OFF, ...ROUTING } } });
});
afterAll(() => system?.[Symbol.asyncDispose]());

describe('histories whose events are delivered repeatedly and in any order', () => {
  it('lead to the same subscriptions, customers, invoices, payments, referrals and metrics', async context => {
    await fc.assert(
      fc.asyncProperty(someHistories, fc.nat(), async (histories, seed) => {
        const order = randomOf(seed);
        const tenant = await runHistories(histories, order);
        const events = await readStripeEvents(tenant);
        await using watch = watchFinality(tenant);
        await deliver(tenant, events, order);
        await expectInvariants(context, tenant, events);
        expect(await watch.stop()).toEqual([]);
      }),
      // Shrinking would repeat every history many times; the printed seed reproduces the failure.
      { seed: random.seed, numRuns: RUNS, endOnFailure: true },
    );
  });
});

/** Returns a tenant whose buyers acted in turn, one history each. Between their actions some webhooks are delivered. */
async function runHistories(histories: readonly History[], order: Random): Promise<Tenant> {
  const tenant = await holdDeliveries(await system.newTenant());
  const { billing } = tenant;
  const prices = await newPrices(tenant);
  await billing.referrals.updateConfig({ enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 300 });
  const { code } = await billing.referrals.createCode({ customerId: (await newBuyer(tenant)).customerId });
  const buyers: Buyer[] = [];
  for (const { origin } of histories) {
    const buyer = await newBuyerOf(tenant, origin, prices);
    await refer(buyer, code, origin);
    buyers.push(buyer);
  }
  const longest = Math.max(...histories.map(({ actions }) => actions.length));
  for (let step = 0; step < longest; step += 1)
    for (const [index, buyer] of buyers.entries()) {
      const chosen = histories[index]?.actions[step];
      const action = step === 0 ? (FIRST_ACTIONS.find(first => first === chosen) ?? 'subscribe') : chosen;
      if (action) await attempt(action, buyer, prices, step * buyers.length + index);
      if (order.between(1, 6) === 1) await deliverSome(tenant, order);
    }
  return tenant;
}

/** Posts some of the events so far, and does not wait until they are processed. */
async function deliverSome(tenant: Tenant, order: Random): Promise<void> {
  const events = order.shuffled(await readStripeEvents(tenant));
  const some = events.slice(0, order.between(1, events.length));
  await mapConcurrently(some, event => postEvent(system.gatewayUrl, tenant, event), 8);
}

/** Posts every event one to three times, in random order, several at a time. */
async function deliver(tenant: Tenant, events: readonly SentEvent[], order: Random): Promise<void> {
  const copies = events.flatMap(event => Array.from({ length: order.between(1, 3) }, () => event));
  await mapConcurrently(order.shuffled(copies), event => postEvent(system.gatewayUrl, tenant, event), 8);
  await redeliver(system.gatewayUrl, tenant, events);
}

describe('two changes in the same second', () => {
  it('end in the processor’s state, whichever is delivered first', async context => {
    const { tenant, events } = await createTies(5, 10);
    await deliver(tenant, events, random);
    await expectInvariants(context, tenant, events);
  });

  it('end in the processor’s state after the processor was down during delivery', async context => {
    const { tenant, events } = await createTies(5, 2);
    const faults = 1_000_000;
    await tenant.processor.fail({ path: '/v1/', method: 'GET', mode: 'dropped', times: faults });
    await deliver(tenant, events, random);
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
