import { CustomerCreated, CustomerDeleted } from '@billing/contracts/events/customers';
import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import { FindProject } from '@billing/contracts/rpc/calls';
import { newEvent } from '@billing/testing/events';
import { projectState } from '@billing/testing/projects';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { newScope, startAnalytics, type AnalyticsService } from './start-analytics.ts';
import { customer, item, subscription } from './states.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');

let service: AnalyticsService;
beforeAll(async () => (service = await startAnalytics()));
afterAll(async () => service[Symbol.asyncDispose]());
beforeEach(() => service.setNow(NOW));

it('returns zeros for a project without events, in the base currency of the gateway', async () => {
  const scope = newScope();
  let calls = 0;
  await using resources = new AsyncDisposableStack();
  resources.defer(
    await service.serve(FindProject, async ({ teamId, projectId }) => {
      calls += 1;
      return projectState({ teamId, projectId }, { baseCurrency: 'eur', createdAt: NOW });
    }),
  );
  const metrics = await service.analytics(scope);
  expect(metrics).toMatchObject({
    mrr: 0,
    arr: 0,
    mrrTrialing: 0,
    mrrPaused: 0,
    mrrExcluded: { tiered: 0, metered: 0, otherCurrency: 0, testClock: 0 },
    mrrByCurrency: { eur: 0 },
    customerCount: 0,
    churnRate: 0,
    churn: { active: 0, ended: 0 },
    webhookStats: { total: 0, processed: 0, failed: 0 },
    referralStats: { totalCodes: 0, totalReferrals: 0, converted: 0 },
    asOf: null,
  });
  expect(metrics.subscriptionBreakdown).toEqual({
    active: 0,
    trialing: 0,
    past_due: 0,
    canceled: 0,
    unpaid: 0,
    incomplete: 0,
    incomplete_expired: 0,
    paused: 0,
  });
  expect(metrics.customerGrowth).toHaveLength(31);
  expect(metrics.customerGrowth[0]).toEqual({ date: '2026-10-21', count: 0 });
  expect(metrics.customerGrowth.at(-1)).toEqual({ date: '2026-11-20', count: 0 });
  // The currency is stored now.
  expect((await service.analytics(scope)).mrrByCurrency).toEqual({ eur: 0 });
  expect(calls).toBe(1);
});

it('returns 503 while the gateway does not reply, and usd for a project it does not have', async () => {
  const scope = newScope();
  await expect(service.analytics(scope)).rejects.toThrow(/^503 /);
  await using resources = new AsyncDisposableStack();
  resources.defer(await service.serve(FindProject, async () => null));
  expect((await service.analytics(scope)).mrrByCurrency).toEqual({ usd: 0 });
});

it('keeps the metrics of projects and teams apart', async () => {
  const [mine, sibling, other] = [newScope(), newScope(), newScope()];
  await using resources = new AsyncDisposableStack();
  resources.defer(await service.serve(FindProject, async () => null));
  await service.emit(newEvent(CustomerCreated, mine.teamId, customer(mine)));
  expect((await service.analytics(mine)).customerCount).toBe(1);
  expect((await service.analytics(other)).customerCount).toBe(0);
  expect((await service.analytics({ ...mine, projectId: sibling.projectId })).customerCount).toBe(0);
  expect((await service.analytics({ ...mine, teamId: other.teamId })).customerCount).toBe(0);
});

it('limits revenue to the largest integer that JSON represents exactly', async () => {
  const scope = await service.createProject();
  const huge = { ...item, unitAmount: 99_999_999, quantity: 999_999, interval: 'day' as const };
  await service.emit(
    ...[1, 2, 3, 4].map(() => newEvent(SubscriptionCreated, scope.teamId, { ...subscription(scope), items: [huge] })),
  );
  expect((await service.analytics(scope)).mrr).toBe(Number.MAX_SAFE_INTEGER);
});

it('counts a deleted customer until its deletion, even if the deletion arrives first', async () => {
  const scope = await service.createProject();
  const state = { ...customer(scope), createdAt: new Date('2026-11-17T23:59:59.999Z') };
  await service.emit(
    newEvent(CustomerDeleted, scope.teamId, { ...state, deletedAt: new Date('2026-11-19T00:00:00Z'), version: 2 }),
    newEvent(CustomerCreated, scope.teamId, state),
  );
  const { customerGrowth, customerCount } = await service.analytics(scope, 4);
  expect(customerCount).toBe(0);
  expect(customerGrowth).toEqual([
    { date: '2026-11-16', count: 0 },
    { date: '2026-11-17', count: 1 },
    { date: '2026-11-18', count: 1 },
    { date: '2026-11-19', count: 0 },
    { date: '2026-11-20', count: 0 },
  ]);
});

// One subscription lives on, another starts and ends around the edges of the window.
it.each([
  ['started at the start', '2026-10-21T12:00:00.000Z', '2026-11-01T00:00:00.000Z', 50],
  ['started after the start', '2026-10-21T12:00:00.001Z', '2026-11-01T00:00:00.000Z', 0],
  ['ended at the start', '2026-01-01T00:00:00.000Z', '2026-10-21T12:00:00.000Z', 0],
  ['ended after the start', '2026-01-01T00:00:00.000Z', '2026-10-21T12:00:00.001Z', 50],
  ['ended before now', '2026-01-01T00:00:00.000Z', '2026-11-20T11:59:59.999Z', 50],
  ['ends now', '2026-01-01T00:00:00.000Z', '2026-11-20T12:00:00.000Z', 0],
])('counts churn to the millisecond: one that %s', async (_case, startedAt, endedAt, expected) => {
  const scope = await service.createProject();
  const ongoing = { ...subscription(scope), startedAt: new Date('2025-06-01T00:00:00Z') };
  const ended = {
    ...subscription(scope),
    status: 'canceled' as const,
    startedAt: new Date(startedAt),
    endedAt: new Date(endedAt),
  };
  await service.emit(
    newEvent(SubscriptionCreated, scope.teamId, ongoing),
    newEvent(SubscriptionCreated, scope.teamId, ended),
  );
  expect((await service.analytics(scope, 30)).churnRate).toBe(expected);
});

it.each(['0', '366', '-1', '1.5', 'x', '', '1e2'])('rejects growthDays %j and names the field', async growthDays => {
  const { status, body } = await service.call('GET', `/analytics?growthDays=${growthDays}`);
  expect(status).toBe(400);
  expect(body).toMatchObject({
    error: { code: 'validation_error', details: { fields: [{ path: 'growthDays' }] } },
  });
});

it('is readable only with analytics:read for the project', async () => {
  const [scope, other] = [await service.createProject(), newScope()];
  const statusFor = async (as: Record<string, string>) =>
    (await service.call('GET', '/analytics', { of: scope, as })).status;
  const { asKey, asUser, anonymous } = service.identity;
  expect(await statusFor(asKey({ ...scope, scopes: ['analytics:read'] }))).toBe(200);
  expect(await statusFor({})).toBe(401);
  expect(await statusFor(anonymous())).toBe(403);
  expect(await statusFor(asKey(other))).toBe(403);
  expect(await statusFor(asUser(other))).toBe(403);
  expect(await statusFor(asKey({ ...scope, scopes: ['customers:read'] }))).toBe(403);
});
