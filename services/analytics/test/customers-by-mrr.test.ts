import { CustomerCreated } from '@billing/contracts/events/customers';
import { SubscriptionCreated, type SubscriptionChange } from '@billing/contracts/events/subscriptions';
import { CustomerId, PriceId, type ProjectScope } from '@billing/contracts/ids';
import { analyticsOperations } from '@billing/contracts/operations/analytics';
import type { AnalyticsCustomer } from '@billing/contracts/resources/analytics';
import type { Envelope } from '@billing/contracts/event';
import { newEvent } from '@billing/testing/events';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { disorder, moveToProject, projectHistory } from './histories/project-history.ts';
import { lookback } from './histories/times.ts';
import { isTextOf, PARTS, partsOf, roundedTexts } from './reference-model.ts';
import { newScope, startAnalytics, type AnalyticsService } from './start-analytics.ts';
import { customer, item, subscription } from './states.ts';

let service: AnalyticsService;
beforeAll(async () => (service = await startAnalytics()));
afterAll(async () => service[Symbol.asyncDispose]());

async function pageOf(scope: ProjectScope, query: string) {
  const { status, body, text } = await service.call('GET', `/analytics/customers-by-mrr?${query}`, { of: scope });
  if (status !== 200) throw new Error(`${status} ${text}`);
  return analyticsOperations.listCustomersByMrr.response.parse(body);
}

/** All pages of two, one after the other by cursor; each says how many there are together. */
async function listed(scope: ProjectScope, query = ''): Promise<AnalyticsCustomer[]> {
  const pages = [await pageOf(scope, `${query}&limit=2`)];
  for (let cursor = pages[0]?.pagination.nextCursor; cursor; cursor = pages.at(-1)?.pagination.nextCursor)
    pages.push(await pageOf(scope, `${query}&limit=2&cursor=${cursor}`));
  const customers = pages.flatMap(page => page.customers);
  expect(new Set(pages.map(({ pagination }) => pagination.total))).toEqual(new Set([customers.length]));
  return customers;
}

async function shown(scope: ProjectScope, ids: readonly CustomerId[]): Promise<readonly AnalyticsCustomer[]> {
  const { body } = await service.call('GET', `/analytics/customers?ids=${ids.join(',')}`, { of: scope });
  return analyticsOperations.getAnalyticsCustomers.response.parse(body).customers;
}

const CURRENCIES = ['usd', 'eur', 'jpy'] as const;
type Currency = (typeof CURRENCIES)[number];

const amountIn = (currency: Currency, { mrr }: AnalyticsCustomer): string =>
  mrr.find(part => part.currency === currency)?.amount ?? '0';

/** An amount in units of its eighteenth decimal. */
function exact(text: string): bigint {
  const [whole = '', decimals = ''] = text.split('.');
  return BigInt(whole + decimals.padEnd(18, '0'));
}

/** The highest revenue in a currency first, then the lowest id. */
const byRevenue = (currency: Currency) => (one: AnalyticsCustomer, other: AnalyticsCustomer) => {
  const more = exact(amountIn(currency, other)) - exact(amountIn(currency, one));
  return more === 0n ? (one.customerId < other.customerId ? -1 : 1) : more > 0n ? 1 : -1;
};

const isLiveIn = (currency: Currency, { status, items: [first] }: SubscriptionChange): boolean =>
  (status === 'active' || status === 'trialing') && first?.currency === currency;

it('lists all customers by the exact sums that they have by id, whatever their subscriptions have been through', async () => {
  const cases = lookback.chain(window =>
    projectHistory(window).chain(({ events, records: { subscriptions } }) =>
      fc.record({
        delivered: disorder(events),
        subscriptions: fc.constant(subscriptions),
        count: fc.integer({ min: 1, max: 5 }),
      }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ({ delivered, subscriptions, count }) => {
      const scope = newScope();
      const ids = Array.from({ length: count }, () => CustomerId.create());
      const ownerOf = new Map(
        subscriptions.map(({ customerId }, index) => [customerId, ids[index % count] ?? customerId]),
      );
      await service.emit(...moveToCustomers(ownerOf, moveToProject(scope, delivered)));
      const known = await shown(scope, ids);
      for (const currency of CURRENCIES) {
        const query = `currency=${currency}`;
        const list = await listed(scope, query);
        const live = subscriptions.filter(state => isLiveIn(currency, state));
        const liveOf = ({ customerId }: AnalyticsCustomer) =>
          live.filter(state => ownerOf.get(state.customerId) === customerId);
        expect(list).toEqual(known.filter(one => liveOf(one).length > 0).toSorted(byRevenue(currency)));
        for (const one of list) {
          const numerator = liveOf(one).reduce((sum, state) => sum + partsOf(state, currency), 0n);
          expect(isTextOf({ numerator, denominator: PARTS }, amountIn(currency, one))).toBe(true);
        }
        const mrrOf = (one: AnalyticsCustomer) => roundedTexts([amountIn(currency, one)]);
        for (const bound of new Set(list.map(mrrOf))) {
          expect(await listed(scope, `${query}&minMrr=${bound}`)).toEqual(list.filter(one => mrrOf(one) >= bound));
          expect(await listed(scope, `${query}&maxMrr=${bound}`)).toEqual(list.filter(one => mrrOf(one) <= bound));
        }
      }
    }),
    { numRuns: runs(40), endOnFailure: true },
  );
});

/** The same events of subscriptions that belong to other customers. */
const moveToCustomers = (ownerOf: ReadonlyMap<string, string>, events: readonly Envelope[]): Envelope[] =>
  events.map(event => {
    const text = [...ownerOf].reduce((moved, [from, to]) => moved.replaceAll(from, to), JSON.stringify(event.data));
    return { ...event, data: JSON.parse(text) as unknown };
  });

/** Creates a customer with these subscriptions. */
async function create(scope: ProjectScope, ...all: Partial<SubscriptionChange>[]): Promise<CustomerId> {
  const state = customer(scope);
  const states = all.map(changes => ({ ...subscription(scope), customerId: state.id, ...changes }));
  await service.emit(newEvent(CustomerCreated, scope.teamId, state));
  await service.emit(...states.map(one => newEvent(SubscriptionCreated, scope.teamId, one)));
  return state.id;
}

const worth = (unitAmount: number, priceId: PriceId | null = null) => ({ items: [{ ...item, unitAmount, priceId }] });
const idsOf = (customers: readonly AnalyticsCustomer[]) => customers.map(({ customerId }) => customerId);

it('lists those who have a live subscription in the project’s currency, also a free one', async () => {
  const scope = await service.createProject();
  const free = await create(scope, worth(0));
  const low = await create(scope, worth(1_000), { status: 'past_due' });
  const high = await create(scope, worth(800), { ...worth(300), status: 'trialing' });
  await create(scope, { items: [{ ...item, currency: 'eur' }] });
  await create(scope, { status: 'canceled', endedAt: new Date() });
  await create(scope);
  expect(idsOf(await listed(scope))).toEqual([high, low, free]);
  expect(idsOf(await listed(scope, 'minMrr=1&maxMrr=1000'))).toEqual([low]);
});

it('lists those who pay for one of some prices by all that they pay', async () => {
  const scope = await service.createProject();
  const [basic, pro] = [PriceId.create(), PriceId.create()];
  const both = await create(scope, worth(500, basic), worth(600, pro));
  const one = await create(scope, worth(700, basic));
  const other = await create(scope, worth(900, pro));
  await create(scope, worth(2_000));
  await create(scope, { ...worth(3_000, basic), status: 'unpaid' });
  expect(idsOf(await listed(scope, `priceIds=${basic}`))).toEqual([both, one]);
  expect(idsOf(await listed(scope, `priceIds=${basic},${pro}`))).toEqual([both, other, one]);
  expect(idsOf(await listed(scope, `priceIds=${pro}&maxMrr=1000`))).toEqual([other]);
  expect(await listed(scope, `priceIds=${PriceId.create()}`)).toEqual([]);
});

it('tells the total also beyond the end', async () => {
  const scope = await service.createProject();
  await create(scope, worth(1));
  const { customers, pagination } = await pageOf(scope, 'offset=5');
  expect([customers.length, pagination.total, pagination.hasMore]).toEqual([0, 1, false]);
});

it('takes a cursor only in the project and the currency of its page', async () => {
  const scope = await service.createProject();
  const sibling = await service.createProject(scope.teamId);
  await create(scope, worth(1));
  await create(scope, worth(2));
  const { nextCursor } = (await pageOf(scope, 'limit=1')).pagination;
  const statusOf = async (of: ProjectScope, query: string) =>
    (await service.call('GET', `/analytics/customers-by-mrr?cursor=${nextCursor}${query}`, { of })).status;
  expect(await statusOf(scope, '&currency=usd')).toBe(200);
  expect(await statusOf(scope, '&currency=eur')).toBe(400);
  expect(await statusOf(sibling, '')).toBe(400);
});

it('is for those who may read analytics, and shows nobody of another project', async () => {
  const scope = await service.createProject();
  const sibling = await service.createProject(scope.teamId);
  await create(sibling, {});
  expect(await listed(scope)).toEqual([]);
  const as = service.identity.asKey({ ...scope, scopes: ['customers:read'] });
  expect((await service.call('GET', '/analytics/customers-by-mrr', { of: scope, as })).status).toBe(403);
});

it.each([
  'minMrr=-1',
  'minMrr=1.5',
  'maxMrr=9007199254740992',
  'currency=USD',
  'priceIds=',
  'priceIds=price_1',
  'ids=',
])('rejects %s', async query => {
  expect((await service.call('GET', `/analytics/customers-by-mrr?${query}`)).status).toBe(400);
});
