import {
  SubscriptionCreated,
  SubscriptionUpdated,
  type SubscriptionChange,
} from '@billing/contracts/events/subscriptions';
import type { ProjectScope } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startAnalytics, type AnalyticsService } from './start-analytics.ts';
import { item, subscription, versionsOf } from './states.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const at = (time: string) => new Date(time);

let service: AnalyticsService;
beforeAll(async () => (service = await startAnalytics()));
afterAll(async () => service[Symbol.asyncDispose]());
beforeEach(() => service.setNow(NOW));

type Changes = Partial<SubscriptionChange>;

/** Creates subscriptions, each a minute older than the one before. */
async function create(scope: ProjectScope, ...all: Changes[]): Promise<SubscriptionChange[]> {
  const states = all.map((changes, index) => {
    const createdAt = new Date(at('2026-01-01T00:00:00Z').getTime() - index * 60_000);
    return { ...subscription(scope), createdAt, startedAt: createdAt, ...changes };
  });
  await service.emit(...states.map(state => newEvent(SubscriptionCreated, scope.teamId, state)));
  return states;
}

const tiered = { ...item, unitAmount: null, billingScheme: 'tiered' as const };
const metered = { ...item, metered: true };
const inEuros = { ...item, currency: 'eur' };

describe('the subscriptions behind mrr', () => {
  it('are the active and trialing ones with their exact amounts, newest first', async () => {
    const scope = await service.createProject();
    const third = { ...item, unitAmount: 100, interval: 'year' as const };
    const decimal = { ...item, unitAmount: null, unitAmountDecimal: '0.05', quantity: 3 };
    const packages = { ...item, quantity: 11, transformQuantity: { divideBy: 5, round: 'up' as const } };
    const [a, b, c] = await create(
      scope,
      { status: 'trialing', items: [third] },
      { items: [decimal, packages] },
      { items: [{ ...item, unitAmount: 0 }] },
      { status: 'past_due' },
      { items: [inEuros] },
    );
    const { subscriptions, total, pagination } = await service.subscriptions(scope, 'mrr');
    expect(subscriptions).toEqual([
      expected(a, { status: 'trialing', amount: '8.333333333333333334' }),
      expected(b, { amount: '8997.15' }),
      expected(c, { amount: '0' }),
    ]);
    expect(total).toBe(9_005);
    expect(pagination).toEqual({
      limit: 100,
      offset: 0,
      total: 3,
      hasMore: false,
      totalIsExact: true,
      nextCursor: null,
    });
    // A year of 100 is 8⅓ a month, so twelve times the rounded month is not the year.
    expect(await service.analytics(scope)).toMatchObject({ mrr: 9_005, mrrTrialing: 8, arr: 108_066 });
  });

  it('are listed in another currency, with the revenue in it, which no other metric has', async () => {
    const scope = await service.createProject();
    const [euro, trial] = await create(scope, { items: [inEuros] }, { status: 'trialing', items: [inEuros] }, {});
    const listed = async (query: string) => {
      const { body } = await service.call('GET', `/analytics/subscriptions?${query}`, { of: scope });
      return body;
    };
    const both = [expected(euro, { currency: 'eur' }), expected(trial, { currency: 'eur', status: 'trialing' })];
    expect(await listed('metric=mrr&currency=eur')).toMatchObject({ subscriptions: both, total: 2 * 2_999 });
    expect(await listed('metric=mrrTrialing&currency=eur')).toMatchObject({ subscriptions: [both[1]], total: 2_999 });
    expect(await listed('metric=netMrr&growthDays=365&currency=eur')).toMatchObject({ total: 2 * 2_999 });
    expect(await listed('metric=mrr&currency=gbp')).toMatchObject({ subscriptions: [], total: 0 });
    expect((await listed('metric=excluded&currency=eur')).error.details.fields).toMatchObject([{ path: 'currency' }]);
  });

  it('come in pages', async () => {
    const scope = await service.createProject();
    const states = await create(scope, {}, {}, {}, {}, {});
    const { body } = await service.call('GET', '/analytics/subscriptions?metric=mrr&limit=2&offset=2', { of: scope });
    expect(body.subscriptions).toMatchObject(states.slice(2, 4).map(({ id }) => ({ subscriptionId: id })));
    expect(body).toMatchObject({
      total: 5 * 2_999,
      pagination: { limit: 2, offset: 2, total: 5, hasMore: true, totalIsExact: true, nextCursor: expect.any(String) },
    });
  });

  it('are listed apart when they are in a trial, and when their payments are paused', async () => {
    const scope = await service.createProject();
    const pauseCollection = { behavior: 'void' as const, resumesAt: null };
    const [trial, paused, both] = await create(
      scope,
      { status: 'trialing' },
      { pauseCollection },
      { status: 'trialing', pauseCollection },
      {},
      { status: 'trialing', items: [inEuros] },
      { status: 'past_due', pauseCollection },
    );
    const { mrrTrialing, mrrPaused } = await service.analytics(scope);
    expect(await service.subscriptions(scope, 'mrrTrialing')).toMatchObject({
      subscriptions: [expected(trial, { status: 'trialing' }), expected(both, { status: 'trialing' })],
      total: mrrTrialing,
      pagination: { total: 2 },
    });
    expect(await service.subscriptions(scope, 'mrrPaused')).toMatchObject({
      subscriptions: [expected(paused, {}), expected(both, { status: 'trialing' })],
      total: mrrPaused,
      pagination: { total: 2 },
    });
  });

  it('include those whose payments are paused', async () => {
    const scope = await service.createProject();
    const pauseCollection = { behavior: 'void', resumesAt: null };
    const [paused] = await create(scope, { pauseCollection }, {});
    expect(await service.analytics(scope)).toMatchObject({ mrr: 2 * 2_999, mrrPaused: 2_999 });
    if (!paused) throw new Error('There is no paused subscription.');
    await service.emit(newEvent(SubscriptionUpdated, scope.teamId, { ...paused, pauseCollection: null, version: 2 }));
    expect(await service.analytics(scope)).toMatchObject({ mrr: 2 * 2_999, mrrPaused: 0 });
  });
});

describe('the subscriptions that mrr leaves out', () => {
  it('are counted once each, with the reason', async () => {
    const scope = await service.createProject();
    const states = await create(
      scope,
      { items: [tiered] },
      { items: [metered] },
      { items: [inEuros] },
      { items: [item, metered] },
      { items: [item] },
      { items: [tiered], status: 'canceled', endedAt: NOW },
    );
    const { subscriptions, total, pagination } = await service.subscriptions(scope, 'excluded', 30, 3);
    expect(subscriptions).toEqual([
      expected(states[0], { amount: '0', reason: 'tiered' }),
      expected(states[1], { amount: '0', reason: 'metered' }),
      expected(states[2], { currency: 'eur', reason: 'otherCurrency' }),
      expected(states[3], { reason: 'metered' }),
    ]);
    expect([total, pagination.total]).toEqual([4, 4]);
    const metrics = await service.analytics(scope);
    expect(metrics.mrr).toBe(2 * 2_999);
    expect(metrics.mrrExcluded).toEqual({ tiered: 1, metered: 2, otherCurrency: 1, testClock: 0 });
    expect(metrics.mrrByCurrency).toEqual({ eur: 2_999, usd: 2 * 2_999 });
  });
});

describe('the subscriptions that were canceled', () => {
  it('are in the window by when somebody requested that, and leave it when they resume', async () => {
    const scope = await service.createProject();
    const canceledAt = at('2026-11-10T00:00:00Z');
    const ending = { cancelAtPeriodEnd: true, canceledAt };
    const cancellation = { reason: 'unused', comment: 'Bye.' } as const;
    const [first] = await create(
      scope,
      { ...ending, cancellation },
      { ...ending, canceledAt: at('2026-01-01T00:00:00Z') },
      { ...ending, status: 'canceled', cancelAtPeriodEnd: false, endedAt: canceledAt },
      { ...ending, status: 'incomplete_expired' },
      { ...ending, status: 'canceled', cancelAtPeriodEnd: false, endedAt: canceledAt, involuntary: true },
      {},
    );
    expect(await service.cancellations(scope)).toEqual([
      { reason: 'unused', count: 1 },
      { reason: null, count: 1 },
    ]);
    const unused = () => service.subscriptions(scope, 'cancellations', 30, 100, { reason: 'unused' });
    expect(await unused()).toMatchObject({ subscriptions: [expected(first, { cancellation })], total: 1 });
    if (!first) throw new Error('There is no subscription.');
    const resumed = { ...first, cancelAtPeriodEnd: false, canceledAt: null, cancellation: null, version: 2 };
    await service.emit(newEvent(SubscriptionUpdated, scope.teamId, resumed));
    expect(await service.cancellations(scope)).toEqual([{ reason: null, count: 1 }]);
    expect(await unused()).toMatchObject({ subscriptions: [], total: 0 });
    const refused = await service.call('GET', '/analytics/subscriptions?metric=mrr&reason=unused', { of: scope });
    expect(refused.status).toBe(400);
  });
});

describe('the subscriptions behind churn', () => {
  const started = { startedAt: at('2026-01-01T00:00:00Z') };
  /** The versions of a subscription that was active, then changed at times. */
  const history = (scope: ProjectScope, ...later: [at: string, changes: Changes][]) => {
    const first: SubscriptionChange = { ...subscription(scope), ...started };
    const changed = later.map(([time, changes]) => ({ state: { ...first, ...changes }, at: at(time) }));
    const versions = versionsOf([{ state: first, at: started.startedAt }, ...changed]);
    return versions.map(state => newEvent(SubscriptionUpdated, scope.teamId, state));
  };
  const canceled = (time: string): [string, Changes] => [time, { status: 'canceled', endedAt: at(time) }];

  it('were active at the start of the window, then, and ended in it', async () => {
    const scope = await service.createProject();
    const lost = history(scope, ['2026-11-01T00:00:00Z', { status: 'past_due' }], canceled('2026-11-10T00:00:00Z'));
    const pastDueThen = history(
      scope,
      ['2026-10-01T00:00:00Z', { status: 'past_due' }],
      canceled('2026-11-10T00:00:00Z'),
    );
    const pastDueNow = history(scope, ['2026-11-10T00:00:00Z', { status: 'unpaid' }]);
    const recovered = history(
      scope,
      ['2026-10-01T00:00:00Z', { status: 'paused' }],
      ['2026-11-01T00:00:00Z', { status: 'active' }],
    );
    const endedBefore = history(scope, canceled('2026-10-01T00:00:00Z'));
    await service.emit(...[lost, pastDueThen, pastDueNow, recovered, endedBefore].flat().toReversed());
    // Active at the start: the lost one and the one that is past due now.
    expect(await service.analytics(scope, 30)).toMatchObject({ churnRate: 50 });
    const { subscriptions, total, pagination } = await service.subscriptions(scope, 'churn', 30);
    const [state] = lost.map(({ data }) => data as SubscriptionChange);
    expect(subscriptions).toEqual([expected(state, { status: 'canceled' })]);
    expect([total, pagination.total]).toEqual([50, 1]);
  });

  it('have ended, whenever that was requested', async () => {
    const scope = await service.createProject();
    const canceledAt = at('2026-05-01T00:00:00Z');
    const requested = history(scope, ['2026-05-01T00:00:00Z', { cancelAtPeriodEnd: true, canceledAt }]);
    await service.emit(...requested, ...history(scope, canceled('2026-11-19T00:00:00Z')));
    expect(await service.analytics(scope, 30)).toMatchObject({ churnRate: 50 });
  });
});

describe('the subscriptions behind a movement of revenue', () => {
  const atNine = (day: string) => at(`${day}T09:00:00Z`);
  const days = { from: '2026-11-10', to: '2026-11-15' };
  const worth = (unitAmount: number) => ({ items: [{ ...item, unitAmount }] });

  it('moved on the requested days, each once with what it added or took away', async () => {
    const scope = await service.createProject();
    const history = (...versions: [day: string, changes: Changes][]) => {
      const first = { ...subscription(scope), startedAt: atNine(versions[0]?.[0] ?? '') };
      const shown = versions.map(([day, changes]) => ({ state: { ...first, ...changes }, at: atNine(day) }));
      return { first, events: versionsOf(shown).map(state => newEvent(SubscriptionUpdated, scope.teamId, state)) };
    };
    const grown = history(
      ['2026-10-01', worth(1_000)],
      ['2026-11-10', worth(1_500)],
      ['2026-11-12', worth(1_800)],
      ['2026-11-16', worth(9_000)],
    );
    const recovered = history(
      ['2026-10-01', worth(1_000)],
      ['2026-11-11', { ...worth(1_000), status: 'past_due' }],
      ['2026-11-15', worth(1_000)],
    );
    const started = history(['2026-11-13', { items: [{ ...item, unitAmount: 100, interval: 'year' }] }]);
    const inOtherCurrency = history(['2026-11-13', { items: [inEuros] }]);
    const ended = history(
      ['2026-11-01', worth(700)],
      ['2026-11-14', { ...worth(700), status: 'canceled', endedAt: atNine('2026-11-14') }],
    );
    const all = [grown, recovered, started, inOtherCurrency, ended];
    await service.emit(...all.flatMap(({ events }) => events).toReversed());

    const list = async (metric: Parameters<typeof service.subscriptions>[1]) => {
      const { subscriptions, total } = await service.subscriptions(scope, metric, 30, 1, days);
      return { total, parts: subscriptions.map(({ subscriptionId, amount }) => [subscriptionId, amount]) };
    };
    const idOf = ({ first }: typeof grown) => first.id;
    expect(await list('newMrr')).toEqual({ total: 8, parts: [[idOf(started), '8.333333333333333334']] });
    expect(await list('expansionMrr')).toEqual({ total: 800, parts: [[idOf(grown), '800']] });
    expect(await list('reactivatedMrr')).toEqual({ total: 1_000, parts: [[idOf(recovered), '1000']] });
    expect(await list('contractionMrr')).toEqual({ total: 1_000, parts: [[idOf(recovered), '1000']] });
    expect(await list('churnedMrr')).toEqual({ total: 700, parts: [[idOf(ended), '700']] });
    expect(await list('netMrr')).toEqual({
      total: 108,
      parts: [
        [idOf(recovered), '0'],
        [idOf(ended), '-700'],
        [idOf(started), '8.333333333333333334'],
        [idOf(grown), '800'],
      ],
    });
    const { subscriptions, total } = await service.subscriptions(scope, 'expansionMrr', 7);
    expect([total, subscriptions.length]).toEqual([7_200, 1]);
  });

  it.each([
    'metric=mrr&from=2026-11-01&to=2026-11-02',
    'metric=excluded&to=2026-11-02',
    'metric=newMrr&from=2026-11-02&to=2026-11-01',
    'metric=newMrr&from=2026-11-02',
    'metric=newMrr&from=2026-11-02&to=yesterday',
  ])('are not listed for %s', async query => {
    expect((await service.call('GET', `/analytics/subscriptions?${query}`)).status).toBe(400);
  });
});

function expected(state: SubscriptionChange | undefined, changes: object = {}) {
  if (!state) throw new Error('There is no such subscription.');
  const { id: subscriptionId, customerId } = state;
  const common = { status: 'active', currency: 'usd', amount: '2999' };
  return { subscriptionId, customerId, ...common, reason: null, converted: null, cancellation: null, ...changes };
}

it.each(['', '?metric=arr', '?metric=mrr&growthDays=0', '?metric=mrr&limit=0', '?metric=mrr&x=1'])(
  'rejects %j',
  async query => {
    expect((await service.call('GET', `/analytics/subscriptions${query}`)).status).toBe(400);
  },
);

it('are listed only with analytics:read for the project, and never those of another one', async () => {
  const [scope, other] = [await service.createProject(), await service.createProject()];
  await create(scope, {});
  expect((await service.subscriptions(other, 'mrr')).subscriptions).toEqual([]);
  const path = '/analytics/subscriptions?metric=mrr';
  const as = service.identity.asKey({ ...scope, scopes: ['subscriptions:read'] });
  expect((await service.call('GET', path, { of: scope, as })).status).toBe(403);
});
