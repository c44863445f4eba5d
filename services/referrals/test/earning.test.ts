import type { Envelope } from '@billing/contracts/event';
import { SubscriptionId } from '@billing/contracts/ids';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import { deliveredAgain } from '@billing/testing/processor-events';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openProgram } from './project.ts';
import { startService, type Service } from './service.ts';
import { subscriptionEvent } from './subscription-created.ts';

let service: Service;
let copy: Awaited<ReturnType<Service['startCopy']>>;
beforeAll(async () => {
  service = await startService();
  copy = await service.startCopy();
});
afterAll(async () => {
  await copy[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

/** Creates a pending referral, and returns the events of the referee's subscription in its states, and what was earned. */
async function givenReferral(statuses: readonly SubscriptionStatus[], ageMs = 0) {
  const project = await openProgram(service);
  const { code } = await project.newCode();
  const { id: refereeId } = project.newCustomer();
  await project.apply(code, refereeId);
  const id = SubscriptionId.create();
  const startedAt = new Date(Date.now() - ageMs);
  const events = statuses.map((status, index) => {
    const type = index === 0 ? 'created' : status === 'canceled' ? 'canceled' : 'updated';
    return subscriptionEvent(type, project.scope, refereeId, { id, status, startedAt, version: index + 1 });
  });
  const earned = async () => {
    const { referrals } = (await project.request('GET', `/codes/${code}`)).body;
    const { credits } = (await project.request('GET', '/credits')).body;
    return [referrals[0].status, credits.length];
  };
  return { events, earned, refereeId };
}

it.each<[SubscriptionStatus[], number]>([
  [['active'], 2],
  [['trialing', 'canceled'], 2],
  [['incomplete'], 0],
  [['incomplete', 'incomplete_expired'], 0],
  [['incomplete', 'active', 'past_due', 'canceled'], 2],
  [['incomplete', 'trialing', 'active'], 2],
  [['incomplete', 'past_due'], 2],
  [['incomplete', 'canceled'], 0],
])('converts at the creation of a subscription that is %j, and earns %d credits', async (statuses, credits) => {
  const { events, earned } = await givenReferral(statuses);
  for (const event of events) await service.deliver(event);
  expect(await earned()).toEqual(['converted', credits]);
});

it('gives nothing for a subscription that started before the referral', async () => {
  const { events, earned } = await givenReferral(['incomplete', 'active'], 5_000);
  for (const event of events) await service.deliver(event);
  expect(await earned()).toEqual(['pending', 0]);
});

it('converts nothing by what a sync has found, but counts that it is active', async () => {
  const [found] = (await givenReferral(['active'])).events;
  const { events, earned, refereeId } = await givenReferral(['incomplete']);
  if (!found || !events[0]) throw new Error('Each has an event.');
  const ofReferee = { ...(found.data as object), customerId: refereeId, fromSync: true }; // a record's state
  const { projectId } = events[0].data as { projectId: string }; // as is this
  await service.deliver({ ...found, teamId: events[0].teamId, data: { ...ofReferee, projectId } });
  expect(await earned()).toEqual(['pending', 0]);
  await service.deliver(events[0]);
  expect(await earned()).toEqual(['converted', 2]);
});

it('does nothing about updates that leave an active subscription active', async () => {
  const { events, earned } = await givenReferral(['incomplete', 'active', 'active']);
  const [created, activated, other] = events.map((event, index) =>
    withChange(event, index === 1 ? 'incomplete' : null),
  );
  if (!created || !activated || !other) throw new Error('There are three events.');
  await service.deliver(other, created);
  expect(await earned()).toEqual(['converted', 0]);
  await service.deliver(activated);
  expect(await earned()).toEqual(['converted', 2]);
  const processed = await service.em
    .fork()
    .execute('select event_id as id from processed_events where event_id = any(?)', [events.map(({ id }) => id)]);
  expect(new Set(processed)).toEqual(new Set([{ id: created.id }, { id: activated.id }]));
});

/** An event with what tenants see of its change: from another status, or of the quantity alone. */
function withChange(event: Envelope, status: SubscriptionStatus | null): Envelope {
  const previousAttributes = status ? { status } : { quantity: 2 };
  const change = {
    types: ['subscription.updated'],
    sequence: 1,
    at: new Date().toISOString(),
    cause: CAUSED_BY_SYSTEM,
  };
  return { ...event, data: { ...(event.data as object), change: { ...change, previousAttributes } } }; // a record's state
}

it('earns both credits once, whatever the order, the grouping and the repetition of the events', async () => {
  const statuses: SubscriptionStatus[] = ['incomplete', 'active', 'past_due', 'canceled'];
  const order = fc
    .array(fc.nat({ max: 3 }), { maxLength: 4 })
    .chain(again => fc.shuffledSubarray([0, 1, 2, 3, ...again], { minLength: 4 + again.length }));
  await fc.assert(
    fc.asyncProperty(order, fc.constantFrom('one by one', 'together', 'by two copies'), async (indexes, how) => {
      const { events, earned } = await givenReferral(statuses);
      const delivered = indexes.flatMap(index => events[index] ?? []).map(deliveredAgain);
      if (how === 'together') await service.deliver(...delivered);
      else if (how === 'by two copies')
        await Promise.all(delivered.map((event, index) => (index % 2 === 0 ? service : copy).deliver(event)));
      else for (const event of delivered) await service.deliver(event);
      expect(await earned()).toEqual(['converted', 2]);
    }),
    { numRuns: runs(40) },
  );
});
