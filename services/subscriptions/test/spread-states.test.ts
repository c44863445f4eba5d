import { isDeepStrictEqual } from 'node:util';
import { CustomerCreated } from '@billing/contracts/events/customers';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { TeamId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { routedEvent } from '@billing/testing/processor-events';
import { runs } from '@billing/testing/runs';
import { waitFor } from '@billing/testing/wait-for';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stateGauge } from '../src/state/mark-turns.ts';
import { markEnded } from '../src/state/state-marks.ts';
import { DAY_MS, startEntitledProject } from './entitled-project.ts';
import { subscriptionObject } from './payloads.ts';
import { startService, type Service } from './service.ts';
import { dieIn, takeTurns } from './state-turns.ts';

const START = Date.now();
let clock = START;
const now = () => new Date(clock);

let service: Service;
beforeAll(async () => {
  service = await startService({ now });
});
afterAll(() => service[Symbol.asyncDispose]());

/** Starts a project in which so many customers are subscribed to the product, and the last one has a grant instead. */
async function start(count: number, teamId = TeamId.create()) {
  clock = START;
  const project = await startEntitledProject({ ...service, scope: { ...service.scope, teamId } });
  const { scope, base, events, customer: first } = project;
  await project.subscribe(now());
  const customers: CustomerId[] = [first.id];
  for (let index = 1; index < count; index += 1) {
    const customer = await service.createCustomer(scope);
    customers.push(customer.id);
    await service.deliver(newEvent(CustomerCreated, teamId, customer));
    const object = { ...base, id: `${base.id}_${index}`, customer: customer.processorCustomerId };
    const item = { priceId: project.price.processorPriceId, quantity: 4, periodEnd: new Date(START + 20 * DAY_MS) };
    const at = { createdAt: now() };
    if (index < count - 1)
      await service.deliver(
        routedEvent(scope, 'customer.subscription.updated', subscriptionObject({ ...object, ...item }), at),
      );
    else await service.deliver(events.given({ customerId: customer.id, value: 9 }));
  }
  await takeTurns(service, { now });
  return { ...project, customers, published: () => publishedOf(scope) };
}

/** The entitlements in the events of each customer of a project, in the order of their sequence. */
async function publishedOf({ projectId }: ProjectScope) {
  const events = (await service.publicEvents()).filter(
    event => event.projectId === projectId && event.object.type === 'customer_state',
  );
  return Map.groupBy(
    events.toSorted((a, b) => a.object.sequence - b.object.sequence),
    event => event.object.id,
  );
}

const measured = async () =>
  Object.fromEntries(
    (await stateGauge(service.em).read()).map(({ value, attributes }) => [attributes?.['state'], value]),
  );
const makeDue = () => service.em.fork().execute('update customer_state_marks set due_at = statement_timestamp()');

it('S84: a change of many customers reaches each once and in order, page by page, wherever the process dies', async () => {
  const change = fc.oneof(
    fc.constantFrom(null, 1, 5).map(value => ({ kind: 'given', value }) as const),
    fc.boolean().map(isActive => ({ kind: 'defined', isActive }) as const),
    fc.integer({ min: 1, max: 6 }).map(transactions => ({ kind: 'die', transactions }) as const),
    fc.integer({ min: 1, max: 4 }).map(turns => ({ kind: 'turns', turns }) as const),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 6 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(change, { minLength: 1, maxLength: 8 }),
      async (count, size, changes) => {
        const project = await start(count);
        for (const [index, one] of changes.entries()) {
          const version = index + 2;
          if (one.kind === 'given') await project.giveByProduct({ value: one.value, version });
          else if (one.kind === 'defined')
            await service.deliver(project.events.defined({ isActive: one.isActive, version }));
          else if (one.kind === 'die') await dieIn(service, { now, size }, one.transactions);
          else await takeTurns(service, { now, size, turns: one.turns });
        }
        await takeTurns(service, { now, size });
        const published = await project.published();
        for (const id of project.customers) {
          const events = published.get(id) ?? [];
          expect(events.map(({ object }) => object.sequence)).toEqual(events.map((_, index) => index + 1));
          const seen = events.map(({ data }) => JSON.stringify(data?.['entitlements']));
          expect(seen.filter((one, index) => one === seen[index - 1])).toEqual([]);
          const { body } = await service.call('GET', `/customers/${id}/state`, { of: project.scope });
          expect(JSON.parse(seen.at(-1) ?? '{}')).toEqual(body.state.entitlements);
        }
      },
    ),
    { numRuns: runs(16) },
  );
});

it('S84: equal changes that nobody has begun to spread are spread once', async () => {
  const { events } = await start(2);
  for (let version = 2; version < 30; version += 1)
    await service.deliver(events.defined({ isActive: version % 2 === 0, version }));
  await takeTurns(service, { now, turns: 1 });
  // The page of one mark has been taken, and its customers wait.
  const [row] = await service.em
    .fork()
    .execute<{ count: number }[]>(`select count(*)::int as count from customer_state_marks where customer_id is null`);
  expect(row?.count).toBe(1);
  await takeTurns(service, { now });
});

it('S84: a row that fails is put aside, and delays neither the rest of its project nor another team', async () => {
  const failing = await start(4);
  const other = await start(1);
  const [, bad] = failing.customers;
  const items = async (value: string) =>
    service.em.fork().execute(`update subscriptions set items = ?::jsonb where customer_id = ?`, [value, bad]);
  const [row] = await service.em
    .fork()
    .execute<{ items: string }[]>(`select items::text as items from subscriptions where customer_id = ?`, [bad]);
  await items('{}');
  await failing.giveByProduct({ value: 7, version: 2 });
  await other.giveByProduct({ value: 7, version: 2 });
  await takeTurns(service, { now });
  expect((await other.published()).get(other.customers[0] ?? '')).toHaveLength(2);

  for (let attempt = 0; attempt < 12; attempt += 1) {
    await makeDue();
    await takeTurns(service, { now, turns: 6 });
  }
  const lengths = async () => {
    const published = await failing.published();
    return failing.customers.map(id => published.get(id)?.length);
  };
  // The last customer has a grant, of which the product's value takes nothing.
  expect(await lengths()).toEqual([2, 1, 2, 1]);
  expect(await measured()).toEqual({ waiting: 0, failed: 1 });

  await items(row?.items ?? '');
  await makeDue();
  await takeTurns(service, { now });
  expect(await lengths()).toEqual([2, 2, 2, 1]);
  expect(await measured()).toEqual({ waiting: 0, failed: 0 });
});

it('S84: what ends for very many customers of a team at once does not delay the end of another’s', async () => {
  const [many, one] = [await start(1), await start(2)];
  const endsAt = new Date(START + DAY_MS);
  await service.em.fork().execute(
    `insert into customer_states (team_id, project_id, customer_id, sequence, state, due_at)
     select team_id, project_id, 'cus_' || n, 1, state, ?::timestamptz - interval '1 hour'
       from customer_states, generate_series(1, 1500) n where project_id = ?`,
    [endsAt, many.scope.projectId],
  );
  await service.deliver(one.events.given({ customerId: one.customers[1], value: 9, expiresAt: endsAt, version: 2 }));
  await takeTurns(service, { now, turns: 3 });
  await markEnded(service.em.fork(), new Date(endsAt.getTime() + 1));
  const marked = await service.em
    .fork()
    .execute(`select 1 from customer_state_marks where project_id = ?`, [one.scope.projectId]);
  expect(marked).toHaveLength(1);
  await service.em
    .fork()
    .execute(`delete from customer_states where customer_id like 'cus\\__%' and length(customer_id) < 10`);
  await service.em.fork().execute(`delete from customer_state_marks`);
});

it('S84: the running service publishes another team’s state while a change of very many fails', async () => {
  const [many, one] = [await start(2), await start(1)];
  await service.em.fork().execute(
    `insert into subscriptions
     select (jsonb_populate_record(one, jsonb_build_object(
              'id', left(id, -5) || n, 'processor_subscription_id', processor_subscription_id || n,
              'items', case when n % 1000 = 0 then '{}' else items end))).*
       from subscriptions one, generate_series(10000, 12999) n where project_id = ?`,
    [many.scope.projectId],
  );
  await many.giveByProduct({ value: 7, version: 2 });
  await service.run();
  await one.giveByProduct({ value: 7, version: 2 });
  const entitlements = async () => (await one.published()).get(one.customers[0] ?? '')?.at(-1)?.data?.['entitlements'];
  const before = await entitlements();
  await waitFor(async () => !isDeepStrictEqual(await entitlements(), before), { what: 'the state of the other team' });
  expect(await entitlements()).toMatchObject({ seats: { value: 7 } });
});
