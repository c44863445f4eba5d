import { SHOWN_BY, type ShownState } from '@billing/contracts/events/subscriptions';
import { SubscriptionId } from '@billing/contracts/ids';
import { ListSubscriptionStates } from '@billing/contracts/rpc/list-states';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addShownStates } from '../src/record/shown-states.ts';
import { after } from './payloads.ts';
import { startService, type Service } from './service.ts';
import { startProject, type Project } from './start-project.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.run();
});
afterAll(() => service[Symbol.asyncDispose]());

/** An object's list of many items, whose quantity makes it differ from others. */
function manyItems(count: number, quantity: number) {
  const price = {
    object: 'price',
    product: 'prod_1',
    unit_amount: 100,
    currency: 'usd',
    type: 'recurring',
    active: true,
  };
  const recurring = { interval: 'month', interval_count: 1, usage_type: 'licensed' };
  const period = { current_period_start: 1, current_period_end: 2 };
  const data = Array.from({ length: count }, (_, index) => ({
    id: `si_${index}`,
    object: 'subscription_item',
    price: { ...price, id: `price_${index}`, recurring, metadata: {}, created: 1 },
    quantity,
    ...period,
  }));
  return { items: { object: 'list', data } };
}

const seconds = Array.from({ length: 90 }, (_, index) => index + 1);

/** 90 updates of 40 items each, which are handled together. */
async function deliverMuch(project: Project): Promise<void> {
  const updates = seconds.map(second =>
    project.event('customer.subscription.updated', after(second), { more: manyItems(40, second) }),
  );
  await service.deliver(project.event('customer.subscription.created', after(0)));
  await service.deliver(...updates);
}

const timesOf = (states: readonly ShownState[]) => states.map(({ at }) => at.getTime()).toSorted((a, b) => a - b);

/** The pages of a project's states as a rebuild reads them. */
async function readPages({ scope }: Project, limit: number) {
  const read = (place: string | null) => service.rpc.call(ListSubscriptionStates, { ...scope, after: place, limit });
  const pages = [await read(null)];
  for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) pages.push(await read(next));
  return pages;
}

describe('what a batch of events shows', () => {
  it('is published in as many events as messages can carry, each state once', async () => {
    const project = await startProject(service);
    await deliverMuch(project);
    const published = (await project.published()).map(({ data }) => data);
    expect(published.length).toBeGreaterThan(3);
    expect(published.map(({ version }) => version)).toEqual([1, ...published.slice(1).map(() => 2)]);
    expect(timesOf(published.flatMap(({ shown }) => shown))).toEqual(
      [0, ...seconds].map(second => after(second).getTime()),
    );
    for (const data of published) expect(JSON.stringify(data).length).toBeLessThan(524_288);
    expect(await project.subscriptions()).toMatchObject([{ quantity: seconds.length }]);
  });
});

describe('the states of subscriptions, page by page', () => {
  it('are all that were shown, of each subscription in the pages that have room', async () => {
    const project = await startProject(service);
    const others = ['sub_a', 'sub_b', 'sub_c'];
    const [first = '', ...later] = others;
    await service.deliver(
      project.event('customer.subscription.created', after(0), { id: first, createdAt: after(-9) }),
    );
    await deliverMuch(project);
    for (const id of later)
      await service.deliver(project.event('customer.subscription.created', after(0), { id, createdAt: after(9) }));
    for (const limit of [1, 2, 500]) {
      const pages = await readPages(project, limit);
      for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(1_048_576);
      const records = pages.flatMap(page => page.records);
      const byId = Map.groupBy(records, ({ state }) => state.processorSubscriptionId);
      expect([...byId.keys()].toSorted()).toEqual([...others, project.base.id].toSorted());
      for (const [id, ofOne] of byId)
        expect(timesOf(ofOne.flatMap(({ state }) => state.shown))).toEqual(
          (id === project.base.id ? [0, ...seconds] : [0]).map(second => after(second).getTime()),
        );
    }
    expect((await readPages(project, 500)).length).toBeLessThan(5);
  });

  it('continue with a subscription of thousands', async () => {
    const project = await startProject(service);
    await service.deliver(project.event('customer.subscription.created', after(0)));
    const [{ id } = {}] = await project.subscriptions();
    const subscription = { id: SubscriptionId.schema.parse(id), ...project.scope };
    const states = Array.from({ length: 2_000 }, (_, index): ShownState => {
      return { status: 'active', hasTrial: false, items: [], at: after(index), by: SHOWN_BY.updated };
    });
    const add = () => service.em.fork().transactional(tx => addShownStates(tx, [{ subscription, states }]));
    expect((await add()).get(subscription.id)).toEqual(states);
    expect((await add()).size).toBe(0);
    const pages = await readPages(project, 500);
    expect(pages.length).toBe(3);
    const shown = pages.flatMap(({ records }) => records.flatMap(({ state }) => state.shown));
    expect(shown.filter(({ by }) => by === SHOWN_BY.updated)).toEqual(states);
    expect(shown).toHaveLength(2_001);
  });
});
