import { randomUUID } from 'node:crypto';
import { SubscriptionUpdated, type SubscriptionChange } from '@billing/contracts/events/subscriptions';
import type { ProjectScope } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAnalytics, type AnalyticsService } from './start-analytics.ts';
import { item, subscription, versionsOf, type Shown } from './states.ts';

let service: AnalyticsService;
beforeAll(async () => (service = await startAnalytics()));
afterAll(async () => service[Symbol.asyncDispose]());

const NOW = new Date('2027-06-01T12:00:00.000Z');
const HOUR = 3_600_000;
const before = (hours: number) => new Date(NOW.getTime() - hours * HOUR);

/** A subscription that costs so much from a number of hours ago on; amounts are in cents. */
async function createSubscription(startedHoursAgo: number) {
  service.setNow(NOW);
  const scope = await service.createProject();
  const base = { ...subscription(scope), startedAt: before(startedHoursAgo) };
  const costs = (unitAmount: number, hoursAgo: number): Shown => ({
    state: { ...base, items: [{ ...item, unitAmount }] },
    at: before(hoursAgo),
  });
  return { scope, costs };
}

const updated = (scope: ProjectScope, state: SubscriptionChange) => newEvent(SubscriptionUpdated, scope.teamId, state);

const movements = async (scope: ProjectScope) => (await service.history(scope, 365)).totals;

it('counts what an event of an older version shows, however late it comes, and once', async () => {
  const { scope, costs } = await createSubscription(100);
  const [first, second, third] = versionsOf([costs(1_000, 100), costs(3_000, 60), costs(1_500, 20)]);
  if (!first || !second || !third) throw new Error('A version is missing.');
  await service.emit(updated(scope, first), updated(scope, third));
  expect(await movements(scope)).toMatchObject({ newMrr: 1_000, expansionMrr: 500, contractionMrr: 0, netMrr: 1_500 });
  const late = updated(scope, second);
  await service.emit(late);
  const all = { newMrr: 1_000, expansionMrr: 2_000, contractionMrr: 1_500, netMrr: 1_500 };
  expect(await movements(scope)).toMatchObject(all);
  await service.emit(late, { ...late, id: randomUUID() });
  expect(await movements(scope)).toMatchObject(all);
  const { mrr } = await service.analytics(scope);
  expect(mrr).toBe(1_500);
});

it('stays exact after a thousand states, told many at a time or alone, the newest first', async () => {
  const COUNT = 1_200;
  const { scope, costs } = await createSubscription(COUNT);
  const hours = Array.from({ length: COUNT }, (_, index) => COUNT - index);
  // It rises by a cent an hour.
  const versions = versionsOf(hours.map((hour, index) => costs(1_000 + index, hour)));
  const [newest] = versions.slice(-1);
  if (!newest) throw new Error('The newest version is missing.');
  const [alone, together] = [versions.slice(0, 40), versions.slice(40)];
  const bundles = Array.from({ length: 4 }, (_, rest) => {
    const shown = together.filter((_version, index) => index % 4 === rest).flatMap(version => version.shown);
    return updated(scope, { ...newest, shown, version: newest.version - rest });
  });
  await service.emit(...bundles, ...alone.toReversed().map(version => updated(scope, version)));
  const rises = { newMrr: 1_000, expansionMrr: COUNT - 1, contractionMrr: 0, netMrr: 999 + COUNT };
  expect(await movements(scope)).toMatchObject(rises);

  // What comes late between two of them is as exact: up from there, and down again.
  const late = costs(500_000, 900.5);
  await service.emit(...versionsOf([late]).map(version => updated(scope, version)));
  const amountThen = 1_000 + (COUNT - 901);
  expect(await movements(scope)).toMatchObject({
    ...rises,
    expansionMrr: COUNT - 1 + (500_000 - amountThen) - 1,
    contractionMrr: 500_000 - amountThen - 1,
  });
});
