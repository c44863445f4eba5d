import { afterAll, beforeAll, expect, it } from 'vitest';
import { startMigration, workOnMigrations } from './migrate-prices.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const NO_COUNTS = { to_change: 0, scheduled: 0, skipped: 0, failed: 0 };

it('reports old and new amounts, and what is skipped and why, and changes nothing', async () => {
  const { subscribe, deliver, createPrice, create, get, findings, getSubscription } = await startMigration(service);
  const third = await createPrice();
  const seats = await subscribe({ quantity: 3 });
  const several = await subscribe({ otherPrices: [third.processorPriceId] });
  const canceling = await subscribe({ more: { cancel_at_period_end: true } });
  const scheduled = await subscribe();
  await service.processor.createSchedule(scheduled.processorId, 'schedule');
  await deliver();
  await (await startMigration(service)).subscribe();
  const before = await getSubscription(seats.id);

  const created = await create({ mode: 'report' });
  expect(created.status).toBe(202);
  const { id } = created.body.priceMigration;
  expect(created.body.priceMigration).toMatchObject({
    status: 'queued',
    mode: 'report',
    keepDiscounts: true,
    filter: { createdBefore: null, metadata: {} },
    progress: { done: 0, total: null },
    counts: NO_COUNTS,
  });
  await workOnMigrations(service);
  expect(await get(id)).toMatchObject({
    status: 'completed',
    progress: { done: 4, total: 4 },
    counts: { to_change: 1, scheduled: 0, skipped: 3, failed: 0 },
  });
  const found = new Map((await findings(id)).map(one => [one.subscriptionId, one]));
  expect(found.get(seats.id)).toEqual({
    subscriptionId: seats.id,
    customerId: seats.customer.id,
    currency: 'usd',
    oldAmount: '3600',
    newAmount: '4500',
    effectiveAt: before.currentPeriodEnd,
    outcome: 'to_change',
    reason: null,
    error: null,
    changeId: null,
  });
  expect(found.get(several.id)).toMatchObject({ outcome: 'skipped', reason: 'several_items', newAmount: null });
  expect(found.get(scheduled.id)).toMatchObject({ outcome: 'skipped', reason: 'has_schedule' });
  expect(found.get(canceling.id)).toMatchObject({ outcome: 'skipped', reason: 'set_to_cancel', effectiveAt: null });
  expect(await getSubscription(seats.id)).toEqual(before);
});
