import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectInvariants } from '../invariants/expect-invariants.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { postEvent, redeliver } from '../system/sender.ts';
import { mapConcurrently } from '../../system/map-concurrently.ts';
import type { SentEvent } from '../system/sent-requests.ts';
import { holdDeliveries, monthsOfPayments, RECONCILER_OFF } from './history.ts';

const random = seededRandom('duplicate deliveries');
let system: FaultySystem;
/** The second gateway calls the second webhooks instance. */
let gatewayUrls: readonly [string, string];
beforeAll(async () => {
  system = await startFaultySystem({
    instances: { gateway: 2, webhooks: 2 },
    env: { webhooks: RECONCILER_OFF },
  });
  gatewayUrls = [system.gatewayUrl, system.urlOf('gateway-2')];
});
afterAll(() => system?.[Symbol.asyncDispose]());

const newTenant = async () => holdDeliveries(await system.newTenant());

it('counts an event once when it is delivered up to five times to either path', async context => {
  const tenant = await newTenant();
  const events = await monthsOfPayments(tenant, 250);
  /** For each event, the responses that did not report a duplicate. */
  const firsts = new Map(events.map(({ id }) => [id, 0]));
  const copies = events.flatMap(event => Array.from({ length: random.between(1, 5) }, () => event));
  await mapConcurrently(random.shuffled(copies), async event => {
    const path = random.pick(['processor', 'stripe'] as const);
    const onSuccess = (body: string) => {
      const isFirst = JSON.parse(body).duplicate === undefined;
      firsts.set(event.id, (firsts.get(event.id) ?? 0) + Number(isFirst));
    };
    await postEvent(random.pick(gatewayUrls), tenant, event, { path, onSuccess });
  });
  expect(events.flatMap(({ statuses }) => statuses).filter(status => status !== 200)).toEqual([]);
  expect([...firsts.values()].filter(count => count !== 1)).toEqual([]);
  await expectInvariants(context, tenant, events);
});

it('counts an event once that two endpoints with different secrets deliver at the same moment, when one of two instances is killed in between', async context => {
  const tenant = await newTenant();
  const events = await monthsOfPayments(tenant, 150);
  const another = `whsec_${crypto.randomUUID()}`;
  await tenant.connectWith(another);
  const [firstUrl, secondUrl] = gatewayUrls;
  const killAt = random.between(20, 100);
  let replaced: Promise<void> | undefined;
  const deliverTwice = async ([index, event]: readonly [number, SentEvent]) => {
    if (index === killAt) replaced = system.killAndReplace('webhooks-2');
    await Promise.all([
      postEvent(firstUrl, tenant, event),
      postEvent(secondUrl, { ...tenant, webhookSecret: another }, event, { path: 'stripe' }),
    ]);
  };
  await mapConcurrently([...events.entries()], deliverTwice, 4);
  await replaced;
  await redeliver(system.gatewayUrl, tenant, events);
  await expectInvariants(context, tenant, events);
});
