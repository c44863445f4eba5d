import { startTestService } from '@billing/service/testing/start-test-service';
import { SubscriptionCreated, SubscriptionUpdated } from '@billing/contracts/events/subscriptions';
import { WebhookEventChanged } from '@billing/contracts/events/webhooks';
import type { ProjectId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { analyticsService } from '../src/service.ts';
import { startAnalytics, type AnalyticsService } from './start-analytics.ts';
import { subscription, webhookEvent } from './states.ts';

let service: AnalyticsService;
beforeAll(async () => (service = await startAnalytics()));
afterAll(async () => service[Symbol.asyncDispose]());

it('moves a webhook event to the project it is routed to', async () => {
  const first = await service.createProject();
  const second = await service.createProject(first.teamId);
  const event = (projectId: ProjectId | null, status: 'failed' | 'processed', version: number) =>
    newEvent(WebhookEventChanged, first.teamId, {
      webhookEvents: [webhookEvent('evt_1', { ...first, projectId }, { status, version })],
    });
  await service.emit(event(first.projectId, 'failed', 2), event(null, 'failed', 1));
  expect((await service.analytics(first)).webhookStats).toEqual({ total: 1, processed: 0, failed: 1 });
  await service.emit(event(second.projectId, 'processed', 3));
  expect((await service.analytics(first)).webhookStats).toEqual({ total: 0, processed: 0, failed: 0 });
  expect((await service.analytics(second)).webhookStats).toEqual({ total: 1, processed: 1, failed: 0 });
});

it('counts every webhook event of a bundle once, each in its own project', async () => {
  const first = await service.createProject();
  const second = await service.createProject(first.teamId);
  const bundle = (version: number, status: 'received' | 'processed') =>
    newEvent(WebhookEventChanged, first.teamId, {
      webhookEvents: [
        webhookEvent('evt_a', first, { status, version }),
        webhookEvent('evt_b', second, { status, version }),
        webhookEvent('evt_c', first, { status: 'failed', version }),
      ],
    });
  const [before, after] = [bundle(1, 'received'), bundle(2, 'processed')];
  await service.emit(after, before, after);
  expect((await service.analytics(first)).webhookStats).toEqual({ total: 2, processed: 1, failed: 1 });
  expect((await service.analytics(second)).webhookStats).toEqual({ total: 1, processed: 1, failed: 0 });
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
