import { AuditRecorded } from '@billing/contracts/events/audit';
import { PriceId } from '@billing/contracts/ids';
import { planChange } from '@billing/contracts/resources/plan-change';
import { withPriceIds } from '@billing/contracts/resources/price-reference';
import type { Processor } from '@billing/processor/port';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changePlan } from '../src/plan-changes/change-plan.ts';
import { previewChange } from '../src/plan-changes/preview.ts';
import { describeBilling } from '../src/record/describe-billing.ts';
import { dropPlanChange } from '../src/plan-changes/drop-plan-change.ts';
import { cleanPriceMigrations, leaseMigrations } from '../src/price-migrations/migrate-prices.ts';
import { migrateSubscription } from '../src/price-migrations/migrate-subscription.ts';
import { openSubscriptionsOperationLog } from '../src/open-operation-log.ts';
import { acceptSaveOffer } from '../src/plan-changes/save-offer.ts';
import { PriceMigration } from '../src/price-migrations/price-migration.entity.ts';
import { startMigration, workOnMigrations } from './migrate-prices.ts';
import { startService, type Service } from './service.ts';
import { createCoupon, HALF } from './subscribe-with-discounts.ts';

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
  expect(await findings(id, '?outcome=to_change')).toHaveLength(1);
  const [first, second] = [await findings(id, '?limit=3'), await findings(id, '?limit=3&offset=3')];
  expect(new Set([...first, ...second].map(one => one.subscriptionId)).size).toBe(4);
  expect(await getSubscription(seats.id)).toEqual(before);
});

it('schedules the change of each subscription, in the name of who has started it', async () => {
  const { scope, subscribe, deliver, create, get, findings, getSubscription, to } = await startMigration(service);
  const { id: coupon } = await createCoupon(service);
  const subscribed = [
    await subscribe({ quantity: 2 }),
    await subscribe({ more: { discounts: [{ coupon }] } }),
    await subscribe({ more: { trial_period_days: 7 } }),
  ];
  const start = () => create({}, { 'idempotency-key': scope.projectId });
  const { id } = (await start()).body.priceMigration;
  expect((await start()).body.priceMigration.id).toBe(id);
  expect((await create()).body.error.code).toBe('price_migration_running');
  // One copy that ends its turn after each step, and others beside it.
  await Promise.all([workOnMigrations(service, 0), workOnMigrations(service)]);
  await workOnMigrations(service);

  expect(await get(id)).toMatchObject({
    status: 'completed',
    progress: { done: 3, total: 3 },
    counts: { ...NO_COUNTS, scheduled: 3 },
  });
  await deliver();
  for (const finding of await findings(id)) {
    const { scheduledChange, currentPeriodEnd } = await getSubscription(finding.subscriptionId);
    expect(scheduledChange).toMatchObject({ id: finding.changeId, items: [{ priceId: to.id }] });
    expect([finding.effectiveAt, scheduledChange.effectiveAt]).toEqual([currentPeriodEnd, currentPeriodEnd]);
  }
  const [seats, discounted] = await Promise.all(
    subscribed.map(({ processorId }) => service.processor.findSubscription(processorId)),
  );
  expect(seats?.schedule?.phases.at(-1)?.items).toEqual([{ priceId: to.processorPriceId, quantity: 2 }]);
  expect(discounted?.schedule?.phases.at(-1)?.discounts).toHaveLength(1);
  const entries = (await service.published(AuditRecorded)).map(({ data }) => data);
  const ofProject = entries.filter(entry => entry.projectId === scope.projectId);
  expect(ofProject.map(({ action, target }) => [action, target?.type])).toEqual([
    ['createPriceMigration', 'price_migration'],
    ...subscribed.map(() => ['createPriceMigration', 'subscription']),
  ]);
  expect(new Set(ofProject.map(entry => entry.id)).size).toBe(4);
  expect((await start()).body.priceMigration.id).toBe(id);

  const again = (await create()).body.priceMigration;
  await workOnMigrations(service);
  expect((await get(again.id)).counts).toEqual({ ...NO_COUNTS, skipped: 3 });
  expect(new Set((await findings(again.id)).map(({ reason }) => reason))).toEqual(new Set(['has_scheduled_change']));
});

it('does not schedule a change again that was taken back, even where a copy has lost its lease', async () => {
  const { scope, subscribe, create, getSubscription } = await startMigration(service);
  const subscribed = await subscribe();
  const { id } = (await create()).body.priceMigration;
  const migration = await service.em.fork().findOneOrFail(PriceMigration, { id });
  await workOnMigrations(service);
  expect((await getSubscription(subscribed.id)).scheduledChange).not.toBeNull();
  await service.call('DELETE', `/subscriptions/${subscribed.id}/change`, { of: scope });
  await migrateSubscription(service)(migration, subscribed.id);
  expect((await getSubscription(subscribed.id)).scheduledChange).toBeNull();
});

it('removes discounts when the change applies, on request', async () => {
  const { subscribe, create, getSubscription } = await startMigration(service);
  const { id: coupon } = await createCoupon(service);
  const { id, processorId } = await subscribe({ more: { discounts: [{ coupon }] } });
  await create({ keepDiscounts: false });
  await workOnMigrations(service);
  expect((await getSubscription(id)).discounts).toMatchObject([HALF]);
  const { schedule } = await service.processor.findSubscription(processorId);
  expect(schedule?.phases.map(({ discounts }) => discounts.length)).toEqual([1, 0]);
});

it('removes no discount that a customer accepts to stay after it is scheduled', async () => {
  const { scope, subscribe, create } = await startMigration(service);
  const { id: coupon } = await createCoupon(service);
  const subscribed = await subscribe({ more: { discounts: [{ coupon }] } });
  await create({ keepDiscounts: false });
  await workOnMigrations(service);
  const { promotionCode } = await service.createPromotionCode({ coupon: { off: { percent: 25 } } }, scope);
  const key = { id: subscribed.id, customerId: subscribed.customer.id };
  const accept = acceptSaveOffer({ ...service, operationLog: openSubscriptionsOperationLog(service) });
  await accept(scope, key, promotionCode.id, testAuditContext());
  const { schedule, discounts } = await service.processor.findSubscription(subscribed.processorId);
  expect(schedule?.phases.map(phase => phase.discounts.map(({ discountId }) => discountId))).toEqual([
    discounts.map(({ id }) => id),
    discounts.slice(1).map(({ id }) => id),
  ]);
});

it('moves only what was created before, and has the metadata', async () => {
  const { subscribe, create, findings, getSubscription } = await startMigration(service);
  const tagged = await subscribe({ metadata: { plan: 'old', region: 'eu' } });
  await subscribe({ metadata: { plan: 'new' } });
  const report = async (filter: object) => {
    const { body } = await create({ mode: 'report', filter });
    await workOnMigrations(service);
    return (await findings(body.priceMigration.id)).map(({ subscriptionId }) => subscriptionId);
  };
  const { createdAt } = await getSubscription(tagged.id);
  const after = new Date(Date.parse(createdAt) + 86_400_000).toISOString();
  expect(await report({ metadata: { plan: 'old' } })).toEqual([tagged.id]);
  expect(await report({ metadata: { plan: 'old', region: 'us' } })).toEqual([]);
  expect(await report({ createdBefore: createdAt, metadata: { plan: 'old' } })).toEqual([]);
  expect(await report({ createdBefore: after, metadata: { plan: 'old' } })).toEqual([tagged.id]);
});

it('refuses prices that nobody can move between', async () => {
  const { create, from, to, createPrice } = await startMigration(service);
  const once = await createPrice({ recurring: false });
  const codeOf = async (body: object) => (await create(body)).body.error.code;
  expect(await codeOf({ toPriceId: from.id })).toBe('no_change');
  expect(await codeOf({ toPriceId: PriceId.create() })).toBe('price_not_found');
  expect(await codeOf({ fromPriceId: (await startMigration(service)).from.id })).toBe('price_not_found');
  expect(await codeOf({ toPriceId: once.id })).toBe('price_type_mismatch');
  expect(await codeOf({ fromPriceId: once.id })).toBe('price_type_mismatch');
  const sold = service.prices.get(to.id);
  if (sold) service.prices.set(to.id, { ...sold, price: { ...sold.price, isActive: false } });
  expect(await codeOf({})).toBe('price_inactive');
});

it('fails as a whole when the new price is archived meanwhile', async () => {
  const { subscribe, create, get, to } = await startMigration(service);
  await subscribe();
  const { id } = (await create()).body.priceMigration;
  await service.processor.updatePrice(to.processorPriceId, { isActive: false }, 'archive');
  await workOnMigrations(service);
  expect(await get(id)).toMatchObject({ status: 'failed', error: { code: 'price_inactive' } });
});

it('reads the new price once a turn, and notices when it is archived after that', async () => {
  const { subscribe, create, get, findings, to } = await startMigration(service);
  const subscribed = [await subscribe(), await subscribe(), await subscribe()];
  const { id } = (await create()).body.priceMigration;
  const calls: string[] = [];
  let archiving: Promise<unknown> | undefined;
  const processors: Service['processors'] = {
    of: async teamId => {
      const processor = await service.processors.of(teamId);
      const counted: Partial<Processor> = {
        findPrice: priceId => {
          calls.push('findPrice');
          return processor.findPrice(priceId);
        },
        createSchedule: async (...args) => {
          calls.push('createSchedule');
          await (archiving ??= service.processor.updatePrice(to.processorPriceId, { isActive: false }, 'archive it'));
          return processor.createSchedule(...args);
        },
      };
      return { ...processor, ...counted };
    },
  };
  // One turn, however slow.
  await workOnMigrations({ ...service, processors }, 60_000);
  expect(calls.slice(0, calls.indexOf('createSchedule'))).toEqual(['findPrice']);
  const failed = { status: 'failed', error: { code: 'price_inactive' }, counts: { ...NO_COUNTS, to_change: 3 } };
  expect(await get(id)).toMatchObject(failed);
  expect(await findings(id, '?outcome=to_change')).toHaveLength(3);
  for (const { processorId } of subscribed)
    expect((await service.processor.findSubscription(processorId)).schedule).toBeNull();
});

it('waits while the processor is away, and stops when it is canceled', async () => {
  const { subscribe, create, get, cancel, getSubscription } = await startMigration(service);
  const subscribed = await subscribe();
  const { id } = (await create()).body.priceMigration;
  await service.control.fail({ path: '/v1/', mode: '500', times: 50 });
  await workOnMigrations(service);
  await service.control.clearFaults();
  expect((await get(id)).status).toBe('running');
  expect((await cancel(id)).body.priceMigration).toMatchObject({ status: 'canceled', counts: NO_COUNTS });
  await workOnMigrations(service);
  expect((await getSubscription(subscribed.id)).scheduledChange).toBeNull();
  expect((await cancel(id)).body.priceMigration.status).toBe('canceled');
});

it('works on one migration of a team at a time', async () => {
  const projects = [await startMigration(service), await startMigration(service)];
  const ids = [];
  for (const { create } of projects) ids.push((await create({ mode: 'report' })).body.priceMigration.id);
  const [leased, ...others] = await leaseMigrations(service.em, 4);
  expect([ids.indexOf(leased?.id), others]).toEqual([0, []]);
  expect(await leaseMigrations(service.em, 4)).toEqual([]);
  for (const [index, { cancel }] of projects.entries()) await cancel(ids[index]);
});

it('deletes findings after thirty days, and no migration', async () => {
  const { subscribe, create, get, findings, set } = await startMigration(service);
  await subscribe();
  const { id } = (await create({ mode: 'report' })).body.priceMigration;
  await workOnMigrations(service);
  await cleanPriceMigrations(service.em);
  expect(await findings(id)).toHaveLength(1);
  await set(id, `finished_at = now() - interval '31 days'`);
  await cleanPriceMigrations(service.em);
  expect(await findings(id)).toEqual([]);
  expect(await get(id)).toMatchObject({ counts: { to_change: 1 }, progress: { done: 1, total: 1 } });
});

it('keeps what it has scheduled although the customer takes it back', async () => {
  const { scope, subscribe, create, getSubscription } = await startMigration(service);
  const { id: subscriptionId, customer } = await subscribe();
  await create();
  await workOnMigrations(service);
  const { scheduledChange } = await getSubscription(subscriptionId);
  const described = await describeBilling(service)(scope, customer.id, { limit: 1, offset: 0 });
  expect(described.subscriptions).toMatchObject([{ isMigrating: true, scheduledChange: { id: scheduledChange.id } }]);
  const operationLog = openSubscriptionsOperationLog(service);
  const key = { id: subscriptionId, customerId: customer.id };
  const drop = dropPlanChange({ ...service, operationLog })(scope, key, testAuditContext());
  await expect(drop).rejects.toMatchObject({ code: 'change_not_found' });
  const later = withPriceIds(planChange).parse({ quantity: 4, when: 'period_end', proration: 'none' });
  const hasSchedule = { code: 'subscription_has_schedule' };
  await expect(previewChange(service)(scope, key, later)).rejects.toMatchObject(hasSchedule);
  const change = changePlan({ ...service, operationLog });
  await expect(change(scope, key, later, testAuditContext())).rejects.toMatchObject(hasSchedule);
  expect((await getSubscription(subscriptionId)).scheduledChange).toEqual(scheduledChange);
  // Seats that are added now move along.
  await change(scope, key, withPriceIds(planChange).parse({ quantity: 4 }), testAuditContext());
  expect((await getSubscription(subscriptionId)).scheduledChange).toMatchObject({ items: [{ quantity: 4 }] });
  const dropped = await service.call('DELETE', `/subscriptions/${subscriptionId}/change`, { of: scope });
  expect(dropped.body.subscription.scheduledChange).toBeNull();
});
