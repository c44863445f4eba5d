import { CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import type { Envelope } from '@billing/contracts/event';
import { isDeepStrictEqual } from 'node:util';
import { newEvent } from '@billing/testing/events';
import { runs } from '@billing/testing/runs';
import { waitFor } from '@billing/testing/wait-for';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY_MS, startEntitledProject } from './entitled-project.ts';
import { startService, type Service } from './service.ts';
import { dieIn, takeTurns } from './state-turns.ts';

const START = Date.now();

let service: Service;
let clock = START;
beforeAll(async () => {
  service = await startService({ now: () => new Date(clock) });
});
afterAll(() => service[Symbol.asyncDispose]());

type Project = Awaited<ReturnType<typeof start>>;

async function start() {
  clock = START;
  const project = await startEntitledProject(service);
  const { id } = project.customer;
  await publish();
  return {
    ...project,
    /** The states that were published, oldest first. */
    publishedStates: async () =>
      (await service.publicEvents())
        .filter(({ object }) => object.type === 'customer_state' && object.id === id)
        .map(({ data = {}, ...event }) => ({ ...event, data: { ...data } })),
  };
}

const now = () => new Date(clock);
const publish = (turns: { readonly turns?: number; readonly size?: number } = {}) =>
  takeTurns(service, { now, ...turns });

/** Expects that the last event is the state at rest, that each differs from the one before, and says how. */
async function expectPublished(project: Project): Promise<void> {
  const published = await project.publishedStates();
  expect(published.map(({ object }) => object.sequence)).toEqual(published.map((_, index) => index + 1));
  let before: Record<string, unknown> = { entitlements: {}, payment: { status: 'ok' } };
  for (const [index, { data, previousAttributes, cause, type }] of published.entries()) {
    expect([type, cause.type]).toEqual(['customer.state_changed', 'system']);
    expect(essence(data)).not.toEqual(essence(before));
    const changed = Object.keys(data).filter(name => name !== 'asOf' && !isDeepStrictEqual(data[name], before[name]));
    const expected = Object.fromEntries(changed.map(name => [name, before[name]]));
    expect(previousAttributes).toEqual(index === 0 ? null : expected);
    before = data;
  }
  const state = (await project.state()) ?? { entitlements: {}, payment: { status: 'ok' } };
  expect(essence(before)).toEqual(essence(state));
}

const essence = ({ entitlements, payment }: Record<string, unknown>) => ({
  entitlements,
  status: (payment as { status: string }).status, // each state has one
});

it('publishes nothing of a customer who has nothing, then what a payment gives, exactly as a read shows it', async () => {
  const project = await start();
  expect(await project.publishedStates()).toEqual([]);
  await project.subscribe(new Date(clock));
  await publish();
  const { asOf: _asOf, ...state } = await project.state();
  const published = await project.publishedStates();
  expect(published).toMatchObject([
    { type: 'customer.state_changed', object: { id: project.customer.id, sequence: 1 }, previousAttributes: null },
  ]);
  expect(published[0]?.data).toEqual({ ...state, asOf: new Date(clock).toISOString() });
});

it('publishes nothing while neither the entitlements nor the payment status differ', async () => {
  const project = await start();
  await project.subscribe(new Date(clock));
  await publish();
  await project.subscribe(new Date(clock + 1_000), { periodEnd: new Date(clock + 50 * DAY_MS) });
  const renamed = { ...project.customer, email: 'new@shop.example', version: 2 };
  await service.deliver(newEvent(CustomerUpdated, project.scope.teamId, renamed));
  await publish();
  expect(await project.publishedStates()).toHaveLength(1);
  await project.subscribe(new Date(clock + 2_000), { quantity: 5, periodEnd: new Date(clock + 50 * DAY_MS) });
  await publish();
  const [, second] = await project.publishedStates();
  expect(Object.keys(second?.previousAttributes ?? {}).toSorted()).toEqual([
    'customer',
    'entitlements',
    'subscriptions',
  ]);
});

it('publishes the state after a payment that fails, and when only time has passed: at the end of a grant and of the grace', async () => {
  const project = await start();
  await project.subscribe(new Date(clock), { status: 'past_due' });
  await publish();
  await project.fail(new Date(clock));
  await project.give({ expiresAt: new Date(clock + DAY_MS) });
  await publish();
  for (const days of [0.5, 2, 5, 8, 30]) {
    clock = START + days * DAY_MS;
    await publish();
  }
  const published = await project.publishedStates();
  const keys = published.map(({ data }) => Object.keys(data['entitlements'] as object).join());
  expect(keys).toEqual(['', 'seats,sso', 'seats,sso', '']);
  await expectPublished(project);
});

it('publishes the states of all whom a feature, a product feature or the grace concerns, however many they are', async () => {
  const project = await start();
  const { events } = project;
  await project.subscribe(new Date(clock), { status: 'past_due' });
  await project.fail(new Date(clock));
  const values = async () => {
    await publish();
    return (await project.publishedStates()).map(({ data }) => Object.keys(data['entitlements'] as object).join());
  };
  expect(await values()).toEqual(['seats,sso']);
  await service.deliver(events.defined({ isActive: false, version: 2 }));
  expect(await values()).toEqual(['seats,sso', 'sso']);
  await service.deliver(events.productFeatureSaved({ key: 'sso', value: null, version: 2 }));
  expect(await values()).toEqual(['seats,sso', 'sso', '']);
  await service.deliver(events.productFeatureSaved({ ownerId: project.price.id, key: 'sso', value: true }));
  expect(await values()).toEqual(['seats,sso', 'sso', '', 'sso']);
  clock = START + 3 * DAY_MS;
  await service.deliver(events.settled({ entitlementGraceDays: 2, version: 2 }));
  expect(await values()).toEqual(['seats,sso', 'sso', '', 'sso', '']);
});

it('changes with a pause, and with what the project wants of pauses', async () => {
  const project = await start();
  const at = (seconds: number) => new Date(clock + seconds * 1_000);
  const paused = { more: { pause_collection: { behavior: 'void', resumes_at: null } } };
  const given = async () => {
    await publish();
    return (await project.publishedStates()).map(({ data }) => Object.keys(data['entitlements'] as object).length > 0);
  };
  await project.subscribe(at(0), paused);
  expect(await given()).toEqual([true]);
  await service.deliver(project.events.settled({ entitlementsWhilePaused: false, version: 2 }));
  expect(await given()).toEqual([true, false]);
  await project.subscribe(at(5));
  expect(await given()).toEqual([true, false, true]);
  await project.subscribe(at(9), paused);
  expect(await given()).toEqual([true, false, true, false]);
});

it('takes everything and the personal data of a deleted customer, in the last event too', async () => {
  const project = await start();
  await project.subscribe(new Date(clock));
  await publish();
  const deleted = { ...project.customer, deletedAt: new Date(clock), version: 2 };
  await service.deliver(newEvent(CustomerDeleted, project.scope.teamId, deleted));
  await project.give({});
  await publish();
  const published = await project.publishedStates();
  expect(published).toHaveLength(2);
  expect(published[1]?.data).toMatchObject({
    customer: { id: project.customer.id, externalId: null, email: null },
    subscriptions: [],
    entitlements: {},
  });
  expect(JSON.stringify([published[1], await kept(project)])).not.toContain(project.customer.email);
});

const kept = ({ customer }: Project) =>
  service.em.fork().execute('select state from customer_states where customer_id = ?', [customer.id]);

it('leaves out a state that no event can carry, which the bus might not take', async () => {
  const project = await start();
  await project.subscribe(new Date(clock));
  await publish();
  await service.em.fork().execute(
    `insert into subscriptions
     select (jsonb_populate_record(one, jsonb_build_object(
              'id', left(id, -3) || n, 'processor_subscription_id', processor_subscription_id || n))).*
       from subscriptions one, generate_series(100, 199) n where project_id = ?`,
    [project.scope.projectId],
  );
  await project.giveByProduct({ value: 1, version: 2 });
  await publish();
  const [first, second] = await project.publishedStates();
  expect(first?.data).not.toEqual({});
  expect(second).toMatchObject({ data: {}, previousAttributes: null, object: { sequence: 2 } });
  expect((await project.state()).entitlements).toMatchObject({ seats: { value: 101 } });
});

it('leads to the state at rest, whatever happens, in any order, again, together and with processes that die', async () => {
  const days = fc.integer({ min: 0, max: 12 }).map(day => day * DAY_MS);
  const version = fc.integer({ min: 2, max: 9 });
  type Draw = (project: Project) => Envelope;
  const event: fc.Arbitrary<Draw> = fc.oneof(
    fc
      .tuple(
        days,
        fc.constantFrom('active', 'trialing', 'past_due', 'unpaid'),
        fc.boolean(),
        fc.integer({ min: 1, max: 2 }),
      )
      .map(
        ([at, status, cancelAtPeriodEnd, quantity]): Draw =>
          ({ events }) =>
            events.subscribed(new Date(START + at), { status, cancelAtPeriodEnd, quantity }),
      ),
    days.map(
      (at): Draw =>
        ({ events }) =>
          events.failed(new Date(START + at)),
    ),
    days.map(
      (at): Draw =>
        ({ events }) =>
          events.paid(new Date(START + at)),
    ),
    fc.tuple(version, fc.constantFrom(null, 1, 5), fc.option(days)).map(
      ([one, value, end]): Draw =>
        ({ events }) =>
          events.given({ version: one, value, expiresAt: end === null ? null : new Date(START + end + 1) }),
    ),
    fc.tuple(version, fc.constantFrom(null, 1, 5)).map(
      ([one, value]): Draw =>
        ({ events }) =>
          events.productFeatureSaved({ version: one, value }),
    ),
    fc.tuple(version, fc.boolean()).map(
      ([one, isActive]): Draw =>
        ({ events }) =>
          events.defined({ version: one, isActive }),
    ),
    fc.tuple(version, fc.integer({ min: 0, max: 10 })).map(
      ([one, entitlementGraceDays]): Draw =>
        ({ events }) =>
          events.settled({ version: one, entitlementGraceDays }),
    ),
    fc.constant<Draw>(({ customer, scope }) =>
      newEvent(CustomerUpdated, scope.teamId, { ...customer, externalId: 'e', version: 2 }),
    ),
  );
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.array(event, { minLength: 1, maxLength: 3 }) },
    { weight: 3, arbitrary: fc.constantFrom('publish' as const, 'publish at once' as const, 'die' as const) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 14 }),
      fc.boolean(),
      fc.boolean(),
      async (steps, isRepeated, isChecked) => {
        const project = await start();
        const delivered: Envelope[] = [];
        for (const one of steps) {
          if (typeof one === 'number') clock += one * DAY_MS;
          else if (one === 'die') await dieIn(service, { now });
          else if (one === 'publish') await publish({ turns: 1 });
          else if (one === 'publish at once')
            await Promise.all([publish({ size: 1 }), publish({ size: 1 }), publish({ size: 1 })]);
          else {
            const events = one.map(draw => draw(project));
            delivered.push(...events);
            await Promise.all([service.deliver(...events), publish({ turns: 1 })]);
          }
          if (!isChecked) continue;
          await publish();
          await expectPublished(project);
        }
        if (isRepeated) await service.deliver(...delivered.toReversed());
        await publish();
        await expectPublished(project);
        const { length } = await project.publishedStates();
        await publish();
        expect(await project.publishedStates()).toHaveLength(length);
      },
    ),
    { numRuns: runs(48) },
  );
});

it('is published by the running service as soon as what changes it is committed', async () => {
  const project = await start();
  await service.run();
  await project.subscribe(new Date(clock));
  await waitFor(async () => (await project.publishedStates()).length === 1, { what: 'the state to be published' });
  await expectPublished(project);
});
