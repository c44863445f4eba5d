import { randomUUID } from 'node:crypto';
import { startTestService } from '@billing/service/testing/start-test-service';
import { SubscriptionCreated, SubscriptionUpdated } from '@billing/contracts/events/subscriptions';
import { WebhookEventsCounted } from '@billing/contracts/events/webhooks';
import type { ProjectScope } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { analyticsService } from '../src/service.ts';
import { startAnalytics, type AnalyticsService } from './start-analytics.ts';
import { subscription } from './states.ts';

let service: AnalyticsService;
beforeAll(async () => (service = await startAnalytics()));
afterAll(async () => service[Symbol.asyncDispose]());

it('shows the numbers of webhook events with the highest version, each project its own', async () => {
  const first = await service.createProject();
  const second = await service.createProject(first.teamId);
  const counted = ({ teamId, projectId }: ProjectScope, version: number, total: number) =>
    newEvent(WebhookEventsCounted, teamId, { projectId, total, processed: total - 1, failed: 1, version });
  const newest = counted(first, 3, 30);
  await service.emit(newest, counted(second, 1, 5), counted(first, 2, 20));
  await service.emit(counted(first, 1, 10), { ...newest, id: randomUUID() });
  expect((await service.analytics(first)).webhookStats).toEqual({ total: 30, processed: 29, failed: 1 });
  expect((await service.analytics(second)).webhookStats).toEqual({ total: 5, processed: 4, failed: 1 });
});

it('counts each event once when two copies of the service get the same events', async () => {
  const scope = await service.createProject();
  await using copy = await startTestService(analyticsService(), { besides: service });
  const events = Array.from({ length: 40 }, () => subscription(scope)).flatMap(state => [
    newEvent(SubscriptionCreated, scope.teamId, state),
    newEvent(SubscriptionUpdated, scope.teamId, { ...state, status: 'past_due', version: 2 }),
  ]);
  await Promise.all([copy.deliver(...events.toReversed()), service.emit(...events)]);
  const { mrr, subscriptionBreakdown } = await service.analytics(scope);
  expect(mrr).toBe(0);
  expect(subscriptionBreakdown).toMatchObject({ active: 0, past_due: 40 });
});
